/* Frames for tests, with what they reported; see frame_kit.h for the rest. */
#ifndef TARN_TESTS_SUPPORT_FRAMES_H
#define TARN_TESTS_SUPPORT_FRAMES_H

#include "support/frame_kit.h"
#include "support/misuse.h"

/* Reports of frames that are checked because the library or the environment says so. */
static misuse_log frames_log;

static inline tarn_frame *frames_create(tarn_frame_options options)
{
    frames_log = (misuse_log){0};
    if (!options.report) {
        options.report = misuse_note;
        options.report_context = &frames_log;
    }
    return frame_kit_create(options);
}

static inline tarn_frame *frames_in_flight(uint32_t frames_in_flight)
{
    return frames_create((tarn_frame_options){.frames_in_flight = frames_in_flight,
                                              .lanes_max = 8,
                                              .block_bytes = TARN_FRAME_BLOCK_BYTES_MIN});
}

/* Nothing was reported that the test does not know of. */
static inline void frames_destroy(tarn_frame *frame)
{
    frame_kit_destroy(frame);
    assert_int_equal(frames_log.count, 0);
}

#endif
