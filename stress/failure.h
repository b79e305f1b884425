/* The first thing that went wrong in a run; later ones are consequences and are dropped. */
#ifndef STRESS_FAILURE_H
#define STRESS_FAILURE_H

#include <stdatomic.h>
#include <stdbool.h>

typedef struct failure {
    _Atomic bool found;
    char reason[240]; /* written by the thread that found it, read when all threads have ended */
} failure;

void failure_report(failure *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Relaxed: only ends loops early, and must order nothing between the threads that are watched. */
static inline bool failure_found(const failure *f)
{
    return atomic_load_explicit(&f->found, memory_order_relaxed);
}

#endif
