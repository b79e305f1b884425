/* A frame pool of tarn's, in which each thread has a lane. */
#include "subjects/frame_lanes.h"
#include "tarn/frame_pool.h"

typedef tarn_lane *subject_handle;

static tarn_frame_pool *subject_pool;

static bool subject_open(const subject_needs *needs)
{
    tarn_frame_pool_options options = {.name = "bench", .object_bytes = needs->object_bytes};
    if (!frame_lanes_open(needs))
        return false;
    tarn_status status = tarn_frame_pool_create(subject_frame, &options, &subject_pool);
    if (status != TARN_OK)
        bench_fail(tarn_status_text(status));
    return true;
}

static bool subject_enter(unsigned thread, subject_handle *handle)
{
    (void)thread;
    return tarn_lane_attach(subject_frame, "bench", handle) == TARN_OK;
}

static void subject_leave(subject_handle lane)
{
    tarn_lane_detach(lane);
}

static inline void subject_begin(subject_handle lane)
{
    frame_lanes_enter(lane);
}

static inline void *subject_alloc(subject_handle lane)
{
    return tarn_frame_pool_alloc(subject_pool, lane);
}

static inline void subject_finish(subject_handle lane)
{
    tarn_lane_leave(lane);
}
