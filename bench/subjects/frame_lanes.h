/* The frame of the subjects that are tarn, and a lane per thread. */
#ifndef TARN_BENCH_SUBJECT_FRAME_LANES_H
#define TARN_BENCH_SUBJECT_FRAME_LANES_H

#include "tarn/frame.h"
#include "tarn/lane.h"
#include "worker/harness.h"

#define FRAME_BYTES_MIN ((size_t)64 << 20)

static tarn_frame *subject_frame;

/* The budget is twice what all objects take: blocks have an end that nothing fits in. */
static bool frame_lanes_open(const subject_needs *needs)
{
    size_t bytes = 2 * needs->threads * needs->live_per_thread_max * (needs->object_bytes + 64);
    tarn_frame_options options = {
        .name = "bench",
        .lanes_max = needs->threads,
        .memory_bytes_max = bytes > FRAME_BYTES_MIN ? bytes : FRAME_BYTES_MIN,
    };
    tarn_status status = tarn_frame_create(&options, &subject_frame);
    if (status != TARN_OK)
        bench_fail(tarn_status_text(status));
    return true;
}

static inline void frame_lanes_enter(tarn_lane *lane)
{
    if (tarn_lane_enter(lane) != TARN_OK)
        bench_fail("a lane was refused");
}

static void subject_drop_all(void)
{
    if (tarn_frame_end(subject_frame, 0, NULL) != TARN_OK)
        bench_fail("the frame was not ended");
}

#endif
