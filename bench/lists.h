/* What the bench knows by name: the workloads and the subjects. The driver and its workers share
 * these lists, so that a name means the same on both sides of a command line. */
#ifndef TARN_BENCH_LISTS_H
#define TARN_BENCH_LISTS_H

#include <stdbool.h>

#define BENCH_THREADS_MAX      64u
#define BENCH_OBJECT_BYTES_MIN 8u /* each allocation writes a word */
#define BENCH_OBJECT_BYTES_MAX (1u << 20)

/* X(name, works in pairs of threads, frees objects of other threads, objects in one burst or 0) */
#define BENCH_WORKLOAD_LIST(X)                  \
    X(pair, false, false, 0)                    \
    X(burst1000_lifo, false, false, 1000)       \
    X(burst1000_fifo, false, false, 1000)       \
    X(burst1000_random, false, false, 1000)     \
    X(burst100000_lifo, false, false, 100000)   \
    X(burst100000_fifo, false, false, 100000)   \
    X(burst100000_random, false, false, 100000) \
    X(handoff_oneway, true, true, 0)            \
    X(handoff_bothways, true, true, 0)          \
    X(mixed, false, true, 0)

/* X(name, what one thread allocates another may free) */
#define BENCH_SUBJECT_LIST(X) \
    X(tarn, true)             \
    X(tarn_guest, true)       \
    X(glibc, true)            \
    X(mimalloc, true)         \
    X(jemalloc, true)         \
    X(ck_stack, true)         \
    X(mutex, true)            \
    X(floor, false)

typedef enum bench_workload {
#define BENCH_WORKLOAD_ENUM_(name, paired, remote, burst) BENCH_WORKLOAD_##name,
    BENCH_WORKLOAD_LIST(BENCH_WORKLOAD_ENUM_)
#undef BENCH_WORKLOAD_ENUM_
        BENCH_WORKLOADS
} bench_workload;

typedef enum bench_subject {
#define BENCH_SUBJECT_ENUM_(name, remote) BENCH_SUBJECT_##name,
    BENCH_SUBJECT_LIST(BENCH_SUBJECT_ENUM_)
#undef BENCH_SUBJECT_ENUM_
        BENCH_SUBJECTS
} bench_subject;

const char *bench_workload_name(bench_workload workload);
const char *bench_subject_name(bench_subject subject);
unsigned bench_burst_objects(bench_workload workload);

/* False when the name is none of the list's. */
bool bench_workload_find(const char *name, bench_workload *workload);
bool bench_subject_find(const char *name, bench_subject *subject);

/* Hand-offs need an even number of threads; the floor cannot free what another thread allocated. */
bool bench_applies(bench_workload workload, unsigned threads, bench_subject subject);

#endif
