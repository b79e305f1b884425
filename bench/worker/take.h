/* One allocation as every workload does it. Included after a subject. */
#ifndef TARN_BENCH_TAKE_H
#define TARN_BENCH_TAKE_H

#include "worker/harness.h"

static subject_handle handles[BENCH_THREADS_MAX];

static inline void *bench_take(subject_handle subject, uint64_t word)
{
    void *object = subject_alloc(subject);
    if (__builtin_expect(!object, 0))
        bench_fail("the subject ran out of objects");
    *(uint64_t *)object = word;
    bench_keep(object);
    return object;
}

#endif
