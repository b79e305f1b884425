/* A Chrome trace of a scheduler: what its hook tells, kept per worker, written at the end. */
#ifndef TRACE_JOBS_TRACE_H
#define TRACE_JOBS_TRACE_H

#include "tarn/jobs.h"

#include <stdbool.h>

typedef struct trace trace;

/* NULL when there is no memory. */
trace *trace_open(void);
void trace_close(trace *t);

/* The options' hook; its context is the trace. */
void trace_hook(void *context, tarn_jobs_event event, uint32_t worker, const char *name);

/* Once no worker is left. False after a line on stderr. */
bool trace_write(const trace *t, const char *path);

#endif
