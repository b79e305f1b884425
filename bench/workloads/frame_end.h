/* frame_end: what one call costs after a frame of few objects or of many, in one lane or in 64, all
 * of one thread. What the frame of few does not have, another frame takes meanwhile, and that one
 * ends first: as much time has gone by, as much has passed through the caches, and the code was
 * used as lately. An operation is one frame's end. */
#ifndef TARN_BENCH_FRAME_END_H
#define TARN_BENCH_FRAME_END_H

#include "lists.h"

#include <stddef.h>

#define FRAME_END_OBJECT_BYTES 16u
#define FRAME_END_OBJECTS      10000000u

typedef struct frame_end_kind {
    size_t lanes;
    size_t lane_objects, lane_others;
} frame_end_kind;

static const frame_end_kind frame_end_kinds[BENCH_WORKLOADS] = {
    [BENCH_WORKLOAD_frame_end_few] = {1, 10, FRAME_END_OBJECTS - 10},
    [BENCH_WORKLOAD_frame_end_many] = {1, FRAME_END_OBJECTS, 0},
    [BENCH_WORKLOAD_frame_end_few_64lanes] = {64, 1, FRAME_END_OBJECTS / 64 - 1},
    [BENCH_WORKLOAD_frame_end_many_64lanes] = {64, FRAME_END_OBJECTS / 64, 0},
};

#endif
