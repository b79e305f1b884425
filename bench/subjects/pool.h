/* The pool of the subjects that are tarn, as a job system would create it: room for what can be
 * live, and for caches of their full size. Untouched capacity costs address space only. */
#ifndef TARN_BENCH_SUBJECT_POOL_H
#define TARN_BENCH_SUBJECT_POOL_H

#include "tarn/tarn.h"
#include "worker/harness.h"

#define POOL_CAPACITY_MIN ((size_t)65536)

static tarn_pool *subject_pool;

/* The options hold what the subject adds. */
static bool pool_open(const subject_needs *needs, tarn_pool_options options)
{
    size_t capacity = 2 * needs->live_per_thread_max * needs->threads;
    options.name = "bench";
    options.object_bytes = needs->object_bytes;
    options.capacity = capacity > POOL_CAPACITY_MIN ? capacity : POOL_CAPACITY_MIN;
    options.caches_max = needs->threads + 2;
    tarn_status status = tarn_pool_create(&options, &subject_pool);
    if (status != TARN_OK)
        bench_fail(tarn_status_text(status));
    return true;
}

#endif
