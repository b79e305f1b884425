/* The workload frame for subjects that free objects one by one: in the order of allocation. */
#ifndef TARN_BENCH_FRAME_EACH_H
#define TARN_BENCH_FRAME_EACH_H

#include "worker/take.h"
#include "workloads/frame.h"

static subject_ref *frame_objects[BENCH_THREADS_MAX];

static void frame_each_prepare(unsigned thread)
{
    frame_objects[thread] = bench_pages(FRAME_OBJECTS * sizeof(subject_ref));
}

static void frame_fill(unsigned thread)
{
    subject_handle subject = handles[thread];
    subject_ref *objects = frame_objects[thread];
    for (size_t i = 0; i < FRAME_OBJECTS; i++)
        objects[i] = bench_take(subject, i);
    for (size_t i = 0; i < FRAME_OBJECTS; i++)
        subject_drop(subject, objects[i]);
}

static void frame_end(void)
{
}

#endif
