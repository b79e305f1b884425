/* What tests of scratch memory share: pieces that tell whose they are. For use with cmocka. */
#ifndef TARN_TESTS_SUPPORT_SCRATCH_KIT_H
#define TARN_TESTS_SUPPORT_SCRATCH_KIT_H

#include "support/frame_kit.h"

enum { SCRATCH_BLOCK_BYTES = 4096 };

static inline tarn_frame *scratch_frame(void)
{
    return frame_kit_create((tarn_frame_options){.block_bytes = SCRATCH_BLOCK_BYTES});
}

typedef struct scratch_piece {
    char *start;
    size_t bytes;
    uint64_t seed;
} scratch_piece;

static inline int scratch_compare(const void *a, const void *b)
{
    uintptr_t left = (uintptr_t)((const scratch_piece *)a)->start;
    uintptr_t right = (uintptr_t)((const scratch_piece *)b)->start;
    return (left > right) - (left < right);
}

static inline void scratch_expect_apart(scratch_piece *pieces, size_t count)
{
    qsort(pieces, count, sizeof *pieces, scratch_compare);
    for (size_t i = 0; i < count; i++) {
        assert_true(frame_kit_is_filled(pieces[i].start, pieces[i].bytes, pieces[i].seed));
        if (i > 0)
            assert_true(pieces[i].start >= pieces[i - 1].start + pieces[i - 1].bytes);
    }
}

static inline scratch_piece scratch_take(tarn_lane *lane, size_t bytes, size_t alignment,
                                         uint64_t seed)
{
    scratch_piece p = {tarn_frame_alloc_aligned(lane, bytes, alignment), bytes, seed};
    assert_non_null(p.start);
    assert_int_equal((uintptr_t)p.start % alignment, 0);
    assert_int_equal((uintptr_t)p.start % TARN_FRAME_ALIGNMENT, 0);
    frame_kit_fill(p.start, bytes, seed);
    return p;
}

#endif
