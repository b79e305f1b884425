/* pair: one object is allocated, written and freed, with 64 others of the thread alive.
 * An operation is one allocation and its free. */
#ifndef TARN_BENCH_PAIR_H
#define TARN_BENCH_PAIR_H

#include "worker/take.h"

#define PAIR_OTHERS   64
#define PAIR_LIVE_MAX (PAIR_OTHERS + 1)

static void pair_prepare(unsigned thread)
{
    for (uint64_t i = 0; i < PAIR_OTHERS; i++)
        bench_take(handles[thread], i);
}

static void pair_work(unsigned thread, uint64_t operations)
{
    subject_handle subject = handles[thread];
    for (uint64_t i = 0; i < operations; i++)
        subject_drop(subject, bench_take(subject, i));
}

#endif
