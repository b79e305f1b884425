/* Scratch memory: any size and alignment, blocks to their last byte, spans, and all of it back to
 * the host. */
#include "support/random.h"
#include "support/scratch_kit.h"

#include "base/os.h"

/* ---- sizes and alignments ---- */

/* Most are small, some need spans, a few have the largest alignment. */
static void any_size_and_alignment_is_apart_and_keeps_its_content(void **state)
{
    (void)state;
    enum { FRAMES = 40, PIECES = 150 };
    static scratch_piece pieces[2][PIECES];
    random_state random = random_start("test_scratch", 5);
    tarn_frame *frame = frame_kit_create(
        (tarn_frame_options){.block_bytes = SCRATCH_BLOCK_BYTES, .frames_in_flight = 2});
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    for (size_t number = 1; number <= FRAMES; number++) {
        scratch_piece *own = pieces[number % 2];
        frame_kit_enter(lane);
        for (size_t i = 0; i < PIECES; i++) {
            size_t bits = random_below(&random, 50) ? random_below(&random, 9) : 20;
            size_t bytes = random_below(&random, (uint64_t)1 << random_below(&random, 15));
            own[i] = scratch_take(lane, bytes, (size_t)1 << bits, number * PIECES + i);
        }
        scratch_expect_apart(own, PIECES);
        if (number > 1) /* the frame before is in flight still */
            scratch_expect_apart(pieces[(number - 1) % 2], PIECES);
        frame_kit_leave(lane);
        frame_kit_end(frame);
    }
    frame_kit_destroy(frame);
}

static void each_alignment_is_kept_by_blocks_and_spans(void **state)
{
    (void)state;
    tarn_frame *frame = frame_kit_create((tarn_frame_options){0});
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    for (int round = 0; round < 3; round++) { /* the second takes what was kept */
        frame_kit_enter(lane);
        for (size_t alignment = 1; alignment <= TARN_FRAME_ALIGNMENT_MAX; alignment *= 2) {
            scratch_take(lane, 1, alignment, 1);
            scratch_take(lane, alignment, alignment, 2);
            scratch_take(lane, 100 << 10, alignment, 3);
        }
        frame_kit_leave(lane);
        frame_kit_end(frame);
    }
    frame_kit_destroy(frame);
}

static void no_other_alignment_is_served(void **state)
{
    (void)state;
    static const size_t alignments[] = {
        0, 3, 12, 17, 24, 48, 1000, TARN_FRAME_ALIGNMENT_MAX * 2, SIZE_MAX, SIZE_MAX / 2 + 1};
    tarn_frame *frame = scratch_frame();
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    frame_kit_enter(lane);
    assert_non_null(tarn_frame_alloc(lane, 16));
    size_t bytes = frame_kit_lane(frame, lane).bytes;
    for (size_t i = 0; i < sizeof alignments / sizeof *alignments; i++) {
        assert_null(tarn_frame_alloc_aligned(lane, 16, alignments[i]));
        assert_null(tarn_frame_alloc_aligned(lane, 1 << 20, alignments[i]));
    }
    assert_int_equal(frame_kit_lane(frame, lane).bytes, bytes);
    assert_int_equal(frame_kit_lane(frame, lane).overflows_too_large, 0);
    frame_kit_leave(lane);
    frame_kit_destroy(frame);
}

/* J20: sizes whose rounding would wrap. */
static void j20_sizes_near_the_largest_are_refused(void **state)
{
    (void)state;
    static const size_t below[] = {0, 1, 14, 15, 16, 17, 63, 64, 4095, 4096, 65535, 1 << 20};
    tarn_frame *frame = scratch_frame();
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    uint64_t refused = 0;
    frame_kit_enter(lane);
    char *before = tarn_frame_alloc(lane, 16);
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        for (size_t alignment = 1; alignment <= TARN_FRAME_ALIGNMENT_MAX; alignment *= 4) {
            assert_null(tarn_frame_alloc_aligned(lane, SIZE_MAX - below[i], alignment));
            assert_null(tarn_frame_alloc_aligned(lane, SIZE_MAX / 2 - below[i], alignment));
            refused += 2;
        }
        assert_null(tarn_frame_alloc(lane, SIZE_MAX - below[i]));
        refused++;
        assert_int_equal(frame_kit_lane(frame, lane).overflows_too_large, refused);
    }
    char *after = tarn_frame_alloc(lane, 16);
    assert_int_equal(after - before, frame_kit_step(frame, 16)); /* they cost nothing */
    assert_int_equal(frame_kit_lane(frame, lane).overflows_full, 0);
    frame_kit_leave(lane);
    frame_kit_destroy(frame);
}

static void nothing_counts_as_one_byte(void **state)
{
    (void)state;
    tarn_frame *frame = scratch_frame();
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    void *pieces[SCRATCH_BLOCK_BYTES];
    frame_kit_enter(lane);
    for (size_t i = 0; i < SCRATCH_BLOCK_BYTES; i++)
        pieces[i] = i % 2 ? tarn_frame_alloc(lane, 0) : tarn_frame_alloc_aligned(lane, 0, 1);
    assert_true(kit_are_apart(pieces, SCRATCH_BLOCK_BYTES, TARN_FRAME_ALIGNMENT));
    assert_int_equal(frame_kit_lane(frame, lane).bytes,
                     SCRATCH_BLOCK_BYTES * frame_kit_step(frame, 1));
    frame_kit_leave(lane);
    frame_kit_destroy(frame);
}

/* ---- blocks ---- */

/* Fills blocks with allocations of one size and a last one that fills up what is left. */
static void expect_exact_fit(tarn_frame *frame, tarn_lane *lane, size_t bytes)
{
    size_t room = frame_kit_room(frame), step = frame_kit_step(frame, bytes);
    size_t per_block = room / step, left = room % step;
    enum { BLOCKS = 3 };
    frame_kit_enter(lane);
    for (size_t block = 1; block <= BLOCKS; block++) {
        for (size_t i = 0; i < per_block; i++) {
            char *start = tarn_frame_alloc(lane, bytes);
            frame_kit_fill(start, bytes, 255);
            assert_int_equal(frame_kit_lane(frame, lane).blocks, block);
        }
        if (left > frame_kit_red_zone(frame))
            assert_non_null(tarn_frame_alloc(lane, left - frame_kit_red_zone(frame)));
        assert_int_equal(frame_kit_lane(frame, lane).blocks, block);
    }
    assert_int_equal(frame_kit_lane(frame, lane).blocks_kept, 0);
    assert_int_equal(frame_kit_lane(frame, lane).spans, 0);
    frame_kit_leave(lane);
    frame_kit_end(frame);
}

static void t62_blocks_are_filled_to_their_last_byte(void **state)
{
    (void)state;
    static const size_t blocks[] = {4096, 8192, 65536};
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        tarn_frame *probe =
            frame_kit_create((tarn_frame_options){.block_bytes = blocks[b], .lanes_max = 1});
        size_t small_max = frame_kit_small_max(probe);
        frame_kit_destroy(probe);
        for (size_t bytes = 1; bytes <= small_max; bytes += 1 + bytes / 3) {
            tarn_frame *frame =
                frame_kit_create((tarn_frame_options){.block_bytes = blocks[b], .lanes_max = 1});
            tarn_lane *lane = frame_kit_attach(frame, NULL);
            expect_exact_fit(frame, lane, bytes);
            frame_kit_destroy(frame);
        }
    }
}

static void t62_what_does_not_fit_the_rest_goes_to_the_next_block(void **state)
{
    (void)state;
    tarn_frame *frame = scratch_frame();
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    size_t half = frame_kit_small_max(frame), red_zone = frame_kit_red_zone(frame);
    frame_kit_enter(lane);
    char *first = tarn_frame_alloc(lane, half);
    frame_kit_fill(first, half, 1);
    size_t left = frame_kit_room(frame) - frame_kit_step(frame, half);
    size_t next_bytes = left - red_zone - TARN_FRAME_ALIGNMENT;
    char *next = tarn_frame_alloc(lane, next_bytes); /* leaves one unit */
    assert_ptr_equal(next, first + frame_kit_step(frame, half));
    frame_kit_fill(next, next_bytes, 2);
    char *over = tarn_frame_alloc(lane, TARN_FRAME_ALIGNMENT + 1);
    assert_int_equal(frame_kit_lane(frame, lane).blocks, 2);
    frame_kit_fill(over, TARN_FRAME_ALIGNMENT + 1, 3);
    assert_true(over + TARN_FRAME_ALIGNMENT + 1 <= first ||
                over >= first + SCRATCH_BLOCK_BYTES - 64);
    assert_true(frame_kit_is_filled(first, half, 1));
    assert_true(frame_kit_is_filled(next, next_bytes, 2));
    frame_kit_leave(lane);
    frame_kit_destroy(frame);
}

/* The header at the start of each block is not handed out. */
static void blocks_filled_with_anything_stay_linked(void **state)
{
    (void)state;
    tarn_frame *frame = scratch_frame();
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    for (int round = 0; round < 5; round++) {
        frame_kit_enter(lane);
        for (int i = 0; i < 40; i++)
            memset(tarn_frame_alloc_aligned(lane, 500, i % 2 ? 16 : 512), 0xFF, 500);
        frame_kit_leave(lane);
        frame_kit_end(frame);
        assert_int_equal(frame_kit_sample(frame).held_bytes,
                         frame_kit_lane(frame, lane).blocks * SCRATCH_BLOCK_BYTES);
    }
    frame_kit_destroy(frame);
}

static void t62_a_span_begins_where_half_a_block_ends(void **state)
{
    (void)state;
    tarn_frame *frame = scratch_frame();
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    size_t half = frame_kit_small_max(frame);
    frame_kit_enter(lane);
    frame_kit_fill(tarn_frame_alloc(lane, half), half, 1);
    assert_int_equal(frame_kit_lane(frame, lane).spans, 0);
    for (uint32_t i = 1; i <= 20; i++) {
        size_t bytes = half + 1 + (size_t)i * i * 700;
        char *large = tarn_frame_alloc(lane, bytes);
        frame_kit_fill(large, bytes, i);
        tarn_lane_statistics statistics = frame_kit_lane(frame, lane);
        assert_int_equal(statistics.spans, i);
        assert_int_equal(statistics.blocks, 1);
        assert_int_equal(frame_kit_sample(frame).held_bytes,
                         SCRATCH_BLOCK_BYTES + statistics.span_bytes);
    }
    char *small = tarn_frame_alloc(lane, half); /* the block goes on where it was */
    assert_non_null(small);
    assert_int_equal(frame_kit_lane(frame, lane).blocks, 1);
    frame_kit_leave(lane);
    frame_kit_destroy(frame);
}

/* T60: lanes hold no more than what they use and one block. */
static void t60_small_items_share_their_lanes_block(void **state)
{
    (void)state;
    enum { ITEMS = 255, LANES = 8 };
    tarn_frame *frame = frame_kit_create((tarn_frame_options){0});
    tarn_lane *lanes[LANES];
    for (int i = 0; i < LANES; i++)
        lanes[i] = frame_kit_attach(frame, NULL);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < ITEMS; i++) {
            tarn_lane *lane = lanes[i % LANES];
            frame_kit_enter(lane);
            assert_non_null(tarn_frame_alloc(lane, 200));
            frame_kit_leave(lane);
        }
        assert_int_equal(frame_kit_sample(frame).held_bytes, LANES * frame->block_bytes);
        frame_kit_end(frame);
    }
    frame_kit_destroy(frame);
}

/* J19: a task's enter and leave cost no block, and the figures are right in the frame's middle. */
static void j19_blocks_belong_to_lanes_not_to_tasks(void **state)
{
    (void)state;
    enum { TASKS = 300, LANES = 8 };
    tarn_frame *frame = frame_kit_create((tarn_frame_options){0});
    tarn_lane *lanes[LANES];
    size_t step = frame_kit_step(frame, 16);
    for (int i = 0; i < LANES; i++)
        lanes[i] = frame_kit_attach(frame, NULL);
    for (int round = 0; round < 4; round++) {
        for (size_t task = 0; task < TASKS; task++) {
            tarn_lane *lane = lanes[task % LANES];
            frame_kit_enter(lane);
            assert_non_null(tarn_frame_alloc(lane, 16));
            tarn_lane_statistics statistics = frame_kit_lane(frame, lane);
            assert_int_equal(statistics.bytes, (task / LANES + 1) * step);
            assert_int_equal(statistics.blocks, 1);
            frame_kit_leave(lane);
        }
        size_t bytes = 0;
        for (int i = 0; i < LANES; i++)
            bytes += frame_kit_lane(frame, lanes[i]).bytes;
        assert_int_equal(bytes, TASKS * step);
        assert_int_equal(frame_kit_sample(frame).held_bytes, LANES * frame->block_bytes);
        frame_kit_end(frame);
    }
    frame_kit_destroy(frame);
}

static void an_identical_frame_uses_the_same_memory(void **state)
{
    (void)state;
    enum { PIECES = 60 };
    tarn_frame *frame = scratch_frame();
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    void *first[PIECES];
    for (int round = 0; round < 10; round++) {
        frame_kit_enter(lane);
        for (size_t i = 0; i < PIECES; i++) {
            void *start = tarn_frame_alloc(lane, i % 20 ? i * 7 : 5000 * (i / 20 + 1));
            if (round == 0)
                first[i] = start;
            else if (i % 20)
                assert_ptr_equal(start, first[i]);
        }
        assert_int_equal(frame_kit_lane(frame, lane).spans, 3);
        frame_kit_leave(lane);
        frame_kit_end(frame);
    }
    frame_kit_destroy(frame);
}

/* ---- J20: memory goes back as it came ---- */

/* A host that uses what it gets back at once. All that is reserved can be used. */
typedef struct arena {
    tarn_memory memory, os;
    size_t live;
} arena;

static void *arena_reserve(void *context, size_t bytes, size_t alignment)
{
    arena *a = context;
    void *start = a->os.reserve(a->os.context, bytes, alignment);
    if (!start || !a->os.commit(a->os.context, start, bytes))
        return NULL;
    a->live++;
    return start;
}

static bool arena_commit(void *context, void *address, size_t bytes)
{
    (void)context;
    (void)address;
    (void)bytes;
    return true;
}

static void arena_decommit(void *context, void *address, size_t bytes)
{
    (void)context;
    memset(address, 0xAB, bytes);
    memset(address, 0, bytes);
}

static void arena_release(void *context, void *address, size_t bytes)
{
    arena *a = context;
    memset(address, 0xAB, bytes);
    a->live--;
    a->os.release(a->os.context, address, bytes);
}

static void j20_the_host_may_touch_what_it_gets_back(void **state)
{
    (void)state;
    arena a = {{&a, 4096, arena_reserve, arena_commit, arena_decommit, arena_release},
               tarn_os_memory(),
               0};
    tarn_frame *frame = frame_kit_create((tarn_frame_options){.block_bytes = SCRATCH_BLOCK_BYTES,
                                                              .memory_bytes_max = 1 << 20,
                                                              .frames_in_flight = 2,
                                                              .retention = TARN_RETAIN_LIMIT,
                                                              .retain_bytes = 1,
                                                              .memory = &a.memory});
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    for (int round = 0; round < 6; round++) {
        frame_kit_enter(lane);
        for (size_t i = 0; i < 40; i++)
            assert_non_null(tarn_frame_alloc(lane, i % 10 ? 300 : 20000));
        frame_kit_leave(lane);
        frame_kit_end(frame);
        kit_expect_status(tarn_frame_trim(frame, NULL), TARN_OK);
    }
    frame_kit_destroy(frame);
    assert_int_equal(a.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_size_and_alignment_is_apart_and_keeps_its_content),
        cmocka_unit_test(each_alignment_is_kept_by_blocks_and_spans),
        cmocka_unit_test(no_other_alignment_is_served),
        cmocka_unit_test(j20_sizes_near_the_largest_are_refused),
        cmocka_unit_test(nothing_counts_as_one_byte),
        cmocka_unit_test(t62_blocks_are_filled_to_their_last_byte),
        cmocka_unit_test(t62_what_does_not_fit_the_rest_goes_to_the_next_block),
        cmocka_unit_test(blocks_filled_with_anything_stay_linked),
        cmocka_unit_test(t62_a_span_begins_where_half_a_block_ends),
        cmocka_unit_test(t60_small_items_share_their_lanes_block),
        cmocka_unit_test(j19_blocks_belong_to_lanes_not_to_tasks),
        cmocka_unit_test(an_identical_frame_uses_the_same_memory),
        cmocka_unit_test(j20_the_host_may_touch_what_it_gets_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
