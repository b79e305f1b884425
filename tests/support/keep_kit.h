/* What tests of the memory that lanes keep share: a frame over memory functions that count, and
 * frames that use blocks. For use with cmocka. */
#ifndef TARN_TESTS_SUPPORT_KEEP_KIT_H
#define TARN_TESTS_SUPPORT_KEEP_KIT_H

#include "support/frame_kit.h"
#include "support/memory_hooks.h"

enum { KEEP_BLOCK_BYTES = 4096 };

static memory_hooks keep_hooks;

static inline tarn_frame *keep_create(tarn_frame_options options)
{
    memory_hooks_init(&keep_hooks, 4096);
    options.memory = &keep_hooks.memory;
    options.block_bytes = KEEP_BLOCK_BYTES;
    return frame_kit_create(options);
}

static inline void keep_destroy(tarn_frame *frame)
{
    frame_kit_destroy(frame);
    assert_null(keep_hooks.violation);
    assert_true(memory_hooks_are_balanced(&keep_hooks));
    memory_hooks_destroy(&keep_hooks);
}

static inline void keep_use_blocks_inside(tarn_frame *frame, tarn_lane *lane, uint32_t blocks)
{
    size_t half = frame_kit_small_max(frame);
    for (uint32_t i = 0; i < 2 * blocks; i++)
        assert_non_null(tarn_frame_alloc(lane, half));
}

static inline void keep_use_blocks(tarn_frame *frame, tarn_lane *lane, uint32_t blocks)
{
    frame_kit_enter(lane);
    keep_use_blocks_inside(frame, lane, blocks);
    frame_kit_leave(lane);
    frame_kit_end(frame);
}

static inline uint32_t keep_blocks_of(const tarn_frame *frame, const tarn_lane *lane)
{
    return frame_kit_lane(frame, lane).blocks;
}

#endif
