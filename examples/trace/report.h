/* What tarn-replay prints. */
#ifndef TARN_TRACE_REPORT_H
#define TARN_TRACE_REPORT_H

#include "plan.h"
#include "replay.h"

#define REPORT_ROUNDS_MAX 1000u

/* Of one memory, over all timed rounds. */
typedef struct report_times {
    uint64_t busy_ns[REPORT_ROUNDS_MAX], wall_ns[REPORT_ROUNDS_MAX];
    uint32_t rounds;
} report_times;

/* Where the trace is from, calls, bytes, threads, remote frees, waste. */
void report_trace(const trace *from, const plan *what);

/* What a checked replay found. Returns false when anything was wrong, which it prints to stderr. */
bool report_check(const char *memory, const replay_result *result);

/* Sorts the times. */
void report_timing(report_times *tarn, report_times *heap, const plan *what);

/* A line per class in use. */
void report_classes(const plan *what);

/* Pool options as initialisers in C. */
void report_advice(const plan *what);

#endif
