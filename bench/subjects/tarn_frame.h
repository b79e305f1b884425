/* tarn's frame memory: a lane per thread. */
#include "subjects/frame_lanes.h"

typedef struct frame_scratch {
    tarn_lane *lane;
    size_t object_bytes;
} frame_scratch;

typedef frame_scratch subject_handle;

static size_t subject_object_bytes;

static bool subject_open(const subject_needs *needs)
{
    subject_object_bytes = needs->object_bytes;
    return frame_lanes_open(needs);
}

static bool subject_enter(unsigned thread, subject_handle *handle)
{
    (void)thread;
    handle->object_bytes = subject_object_bytes;
    return tarn_lane_attach(subject_frame, "bench", &handle->lane) == TARN_OK;
}

static void subject_leave(subject_handle handle)
{
    tarn_lane_detach(handle.lane);
}

static inline void subject_begin(subject_handle handle)
{
    frame_lanes_enter(handle.lane);
}

static inline void *subject_alloc(subject_handle handle)
{
    return tarn_frame_alloc(handle.lane, handle.object_bytes);
}

static inline void subject_finish(subject_handle handle)
{
    tarn_lane_leave(handle.lane);
}
