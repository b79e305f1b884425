/* Frames for tests: made, entered and ended in one line, with what they reported. */
#ifndef TARN_TESTS_SUPPORT_FRAMES_H
#define TARN_TESTS_SUPPORT_FRAMES_H

#include "support/kit.h"
#include "support/misuse.h"

/* Reports of frames that are checked because the library or the environment says so. */
static misuse_log frames_log;

static inline tarn_frame *frames_create(tarn_frame_options options)
{
    tarn_frame *frame = NULL;
    frames_log = (misuse_log){0};
    if (!options.report) {
        options.report = misuse_note;
        options.report_context = &frames_log;
    }
    kit_expect_status(tarn_frame_create(&options, &frame), TARN_OK);
    assert_non_null(frame);
    return frame;
}

static inline tarn_frame *frames_in_flight(uint32_t frames_in_flight)
{
    return frames_create((tarn_frame_options){.frames_in_flight = frames_in_flight,
                                              .lanes_max = 8,
                                              .block_bytes = TARN_FRAME_BLOCK_BYTES_MIN});
}

static inline tarn_lane *frames_attach(tarn_frame *frame)
{
    tarn_lane *lane = NULL;
    kit_expect_status(tarn_lane_attach(frame, "test", &lane), TARN_OK);
    assert_non_null(lane);
    return lane;
}

static inline void frames_enter(tarn_lane *lane)
{
    kit_expect_status(tarn_lane_enter(lane), TARN_OK);
}

static inline void frames_leave(tarn_lane *lane)
{
    kit_expect_status(tarn_lane_leave(lane), TARN_OK);
}

static inline void frames_end(tarn_frame *frame)
{
    kit_expect_status(tarn_frame_end(frame, 0, NULL), TARN_OK);
}

/* Nothing was reported that the test does not know of. */
static inline void frames_destroy(tarn_frame *frame)
{
    kit_expect_status(tarn_frame_destroy(frame), TARN_OK);
    assert_int_equal(frames_log.count, 0);
}

static inline tarn_frame_statistics frames_sample(const tarn_frame *frame)
{
    tarn_frame_statistics statistics;
    kit_expect_status(tarn_frame_sample(frame, &statistics), TARN_OK);
    return statistics;
}

static inline tarn_lane_statistics frames_sample_lane(const tarn_frame *frame, uint32_t index)
{
    tarn_lane_statistics statistics;
    kit_expect_status(tarn_lane_sample(frame, index, &statistics), TARN_OK);
    return statistics;
}

#endif
