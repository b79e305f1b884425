/* Subjects that know nothing of frames: each thread has memory of its own, to drop itself. */
#ifndef TARN_BENCH_SUBJECT_FRAME_APART_H
#define TARN_BENCH_SUBJECT_FRAME_APART_H

#include "worker/harness.h"

static subject_needs subject_each;

static bool frame_apart_open(const subject_needs *needs)
{
    subject_each = *needs;
    return true;
}

/* What a frame's objects take, with room for alignment and an allocator's own records. */
static inline size_t frame_apart_bytes(void)
{
    return subject_each.live_per_thread_max * (subject_each.object_bytes + 16) + 4096;
}

static void subject_drop_all(void)
{
}

#endif
