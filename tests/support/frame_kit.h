/* What tests of frames share: frames and lanes made in one line, steps that must succeed, and what
 * an allocation comes to. For use with cmocka. */
#ifndef TARN_TESTS_SUPPORT_FRAME_KIT_H
#define TARN_TESTS_SUPPORT_FRAME_KIT_H

#include "support/kit.h"

#include "frame/state.h"

static inline tarn_frame *frame_kit_create(tarn_frame_options options)
{
    tarn_frame *frame = NULL;
    kit_expect_status(tarn_frame_create(&options, &frame), TARN_OK);
    assert_non_null(frame);
    return frame;
}

static inline void frame_kit_destroy(tarn_frame *frame)
{
    kit_expect_status(tarn_frame_destroy(frame), TARN_OK);
}

static inline tarn_lane *frame_kit_attach(tarn_frame *frame, const char *label)
{
    tarn_lane *lane = NULL;
    kit_expect_status(tarn_lane_attach(frame, label, &lane), TARN_OK);
    assert_non_null(lane);
    return lane;
}

static inline void frame_kit_enter(tarn_lane *lane)
{
    kit_expect_status(tarn_lane_enter(lane), TARN_OK);
}

static inline void frame_kit_leave(tarn_lane *lane)
{
    kit_expect_status(tarn_lane_leave(lane), TARN_OK);
}

static inline void frame_kit_end(tarn_frame *frame)
{
    kit_expect_status(tarn_frame_end(frame, 0, NULL), TARN_OK);
}

/* Ends the frame that the lane is inside of, and enters the next. */
static inline void frame_kit_turn(tarn_frame *frame, tarn_lane *lane)
{
    frame_kit_leave(lane);
    frame_kit_end(frame);
    frame_kit_enter(lane);
}

static inline tarn_frame_statistics frame_kit_sample(const tarn_frame *frame)
{
    tarn_frame_statistics statistics;
    kit_expect_status(tarn_frame_sample(frame, &statistics), TARN_OK);
    return statistics;
}

static inline tarn_lane_statistics frame_kit_lane_at(const tarn_frame *frame, uint32_t index)
{
    tarn_lane_statistics statistics;
    kit_expect_status(tarn_lane_sample(frame, index, &statistics), TARN_OK);
    return statistics;
}

static inline tarn_lane_statistics frame_kit_lane(const tarn_frame *frame, const tarn_lane *lane)
{
    return frame_kit_lane_at(frame, lane->index);
}

/* What one block holds. */
static inline size_t frame_kit_room(const tarn_frame *frame)
{
    return frame->block_bytes - TARN_BLOCK_HEADER_BYTES;
}

/* What lies behind each allocation. */
static inline size_t frame_kit_red_zone(const tarn_frame *frame)
{
    return frame->is_watched ? TARN_FRAME_RED_ZONE_BYTES : 0;
}

/* What an allocation takes of a block. */
static inline size_t frame_kit_step(const tarn_frame *frame, size_t bytes)
{
    size_t step = (bytes + TARN_FRAME_ALIGNMENT - 1) / TARN_FRAME_ALIGNMENT * TARN_FRAME_ALIGNMENT;
    return step + frame_kit_red_zone(frame);
}

/* The largest allocation that does not get a span. */
static inline size_t frame_kit_small_max(const tarn_frame *frame)
{
    size_t half = frame_kit_room(frame) / 2 - frame_kit_red_zone(frame);
    return half / TARN_FRAME_ALIGNMENT * TARN_FRAME_ALIGNMENT;
}

static inline void frame_kit_expect_late(const tarn_late *late, uint32_t lanes,
                                         const tarn_lane *lane, const char *label)
{
    assert_int_equal(late->lanes, lanes);
    assert_int_equal(late->lane, lane->index);
    assert_string_equal(late->label, label);
}

static inline void frame_kit_expect_nobody_late(const tarn_late *late)
{
    static const char nothing[TARN_LANE_LABEL_BYTES_MAX];
    assert_int_equal(late->lanes, 0);
    assert_int_equal(late->lane, 0);
    assert_memory_equal(late->label, nothing, sizeof nothing);
}

/* So that another thread is likely to have gone on. */
static inline void frame_kit_yield_often(void)
{
    for (int i = 0; i < 200; i++)
        tarn_thread_yield();
}

/* Memory that tells whose it is. */
static inline void frame_kit_fill(void *start, size_t bytes, uint64_t seed)
{
    memset(start, (int)(seed * 37 % 251 + 1), bytes);
}

static inline bool frame_kit_is_filled(const void *start, size_t bytes, uint64_t seed)
{
    const unsigned char *content = start;
    for (size_t i = 0; i < bytes; i++)
        if (content[i] != seed * 37 % 251 + 1)
            return false;
    return true;
}

#endif
