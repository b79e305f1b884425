/* The workloads that allocate and free, for the subjects that do. */
#ifndef TARN_BENCH_ALLOCATIONS_H
#define TARN_BENCH_ALLOCATIONS_H

#include "worker/resident.h"
#include "worker/take.h"
#include "workloads/burst.h"
#include "workloads/frame_each.h"
#include "workloads/handoff.h"
#include "workloads/mixed.h"
#include "workloads/pair.h"
#include "workloads/template.h"

#include <string.h>

static const template templates[BENCH_WORKLOADS] = {
    [BENCH_WORKLOAD_pair] = {pair_prepare, pair_work, 1000, PAIR_LIVE_MAX},
    [BENCH_WORKLOAD_burst1000_lifo] = {burst_prepare_1000, burst_work_1000_lifo, 1000, 1000},
    [BENCH_WORKLOAD_burst1000_fifo] = {burst_prepare_1000, burst_work_1000_fifo, 1000, 1000},
    [BENCH_WORKLOAD_burst1000_random] = {burst_prepare_1000, burst_work_1000_random, 1000, 1000},
    [BENCH_WORKLOAD_burst100000_lifo] = {burst_prepare_100000, burst_work_100000_lifo, 100000,
                                         100000},
    [BENCH_WORKLOAD_burst100000_fifo] = {burst_prepare_100000, burst_work_100000_fifo, 100000,
                                         100000},
    [BENCH_WORKLOAD_burst100000_random] = {burst_prepare_100000, burst_work_100000_random, 100000,
                                           100000},
    [BENCH_WORKLOAD_handoff_oneway] = {handoff_prepare, handoff_work_oneway, RING_BATCH_OBJECTS,
                                       HANDOFF_LIVE_MAX},
    [BENCH_WORKLOAD_handoff_bothways] = {handoff_prepare, handoff_work_bothways, RING_BATCH_OBJECTS,
                                         HANDOFF_LIVE_MAX},
    [BENCH_WORKLOAD_mixed] = {mixed_prepare, mixed_work, MIXED_OPERATIONS_STEP, MIXED_LIVE_MAX},
    [BENCH_WORKLOAD_frame] = {frame_each_prepare, frame_work, FRAME_OBJECTS, FRAME_OBJECTS},
};

static void workloads_open(unsigned threads, bool reads)
{
    handoff_open(threads, reads);
    mixed_open(threads);
    frame_open(threads);
}

/* Resident bytes of so many live objects. Their names' array is touched first: it is the program's,
 * not the allocator's. */
static uint64_t workloads_memory(size_t objects_count, size_t object_bytes)
{
    subject_ref *objects = bench_pages(objects_count * sizeof *objects);
    memset(objects, 1, objects_count * sizeof *objects);
    uint64_t before = resident_bytes();
    subject_needs needs = {1, object_bytes, objects_count};
    subject_handle subject;
    if (!subject_open(&needs) || !subject_enter(0, &subject))
        bench_fail("the subject could not be set up");
    for (size_t i = 0; i < objects_count; i++)
        objects[i] = bench_take(subject, i);
    return resident_bytes() - before;
}

#endif
