/* Frame pools of each size and alignment, up to what a block holds, and options out of range. */
#include "support/frames.h"

enum { BLOCK = TARN_FRAME_BLOCK_BYTES_MIN, HEADER = 64 };

static tarn_frame_pool *plain_pool(tarn_frame *frame, size_t bytes, size_t alignment)
{
    tarn_frame_pool *pool = NULL;
    tarn_frame_pool_options options = {.object_bytes = bytes, .object_alignment = alignment};
    kit_expect_status(tarn_frame_pool_create(frame, &options, &pool), TARN_OK);
    assert_non_null(pool);
    return pool;
}

static void expect_size_and_alignment(size_t bytes, size_t alignment)
{
    enum { COUNT = 40 };
    void *objects[COUNT];
    tarn_frame *frame =
        frames_create((tarn_frame_options){.lanes_max = 1, .block_bytes = 4 * (size_t)BLOCK});
    tarn_frame_pool *pool = plain_pool(frame, bytes, alignment);
    tarn_lane *lane = frame_kit_attach(frame, "test");
    size_t natural = bytes & (0 - bytes);
    size_t expected = alignment ? alignment : natural > 64 ? 64 : natural;
    for (uint32_t n = 0; n < 2; n++) {
        frame_kit_enter(lane);
        for (uint32_t i = 0; i < COUNT; i++) {
            objects[i] = tarn_frame_pool_alloc(pool, lane);
            assert_non_null(objects[i]);
            assert_int_equal((uintptr_t)objects[i] % expected, 0);
            memset(objects[i], 0x5A, bytes);
        }
        assert_true(kit_are_apart(objects, COUNT, bytes));
        frame_kit_leave(lane);
        frame_kit_end(frame);
    }
    frames_destroy(frame);
}

static void each_size_and_alignment_is_kept(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 3, 8, 24, 40, 63, 64, 65, 100, 1000, 4000, 4096};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        expect_size_and_alignment(sizes[i], 0);
        for (size_t alignment = 1; alignment <= TARN_OBJECT_ALIGNMENT_MAX; alignment *= 2)
            expect_size_and_alignment(sizes[i], alignment);
    }
}

/* The largest object of an alignment: what a block holds behind its header, or behind the first
 * multiple of the alignment, and what is rounded up to the alignment. */
static void expect_limit(size_t block_bytes, size_t alignment)
{
    tarn_frame *frame = frames_create((tarn_frame_options){
        .lanes_max = 1, .block_bytes = block_bytes, .retention = TARN_RETAIN_ALL});
    size_t first = alignment > HEADER ? alignment : HEADER;
    size_t most = (block_bytes - first) & ~(alignment - 1);
    tarn_frame_pool_options options = {.object_bytes = most, .object_alignment = alignment};
    tarn_frame_pool *pool = NULL;
    kit_expect_status(tarn_frame_pool_create(frame, &options, &pool), TARN_OK);
    tarn_lane *lane = frame_kit_attach(frame, "test");
    frame_kit_enter(lane);
    for (uint32_t i = 0; i < 3; i++) {
        char *object = tarn_frame_pool_alloc(pool, lane);
        assert_non_null(object);
        memset(object, 1, most);
    }
    frame_kit_leave(lane);
    kit_expect_status(tarn_frame_close(frame, 0, NULL), TARN_OK);
    assert_int_equal(tarn_frame_pool_count(pool, 1), 3);
    assert_int_equal(frame_kit_sample(frame).held_bytes, 3 * block_bytes);
    options.object_bytes = most + 1;
    kit_expect_status(tarn_frame_pool_create(frame, &options, &pool), TARN_ERROR_TOO_LARGE);
    assert_null(pool);
    options.object_bytes = SIZE_MAX;
    kit_expect_status(tarn_frame_pool_create(frame, &options, &pool), TARN_ERROR_TOO_LARGE);
    frames_destroy(frame);
}

static void t62_an_object_that_just_fits_a_block_is_served_and_a_larger_one_refused(void **state)
{
    (void)state;
    for (size_t alignment = 1; alignment <= 2048; alignment *= 2)
        expect_limit(BLOCK, alignment);
    expect_limit(2 * (size_t)BLOCK, 4096);
    expect_limit((size_t)64 << 10, 64);
}

static void a_block_has_no_room_for_what_is_aligned_to_all_of_it(void **state)
{
    (void)state;
    tarn_frame *frame = frames_in_flight(1);
    tarn_frame_pool *pool = NULL;
    tarn_frame_pool_options options = {.object_bytes = 1, .object_alignment = BLOCK};
    kit_expect_status(tarn_frame_pool_create(frame, &options, &pool), TARN_ERROR_TOO_LARGE);
    assert_null(pool);
    frames_destroy(frame);
}

static void options_out_of_range_are_invalid(void **state)
{
    (void)state;
    tarn_frame *frame = frames_in_flight(1);
    const tarn_frame_pool_options good = {.object_bytes = 8};
    tarn_frame_pool_options wrong[] = {good, good, good, good};
    wrong[0].object_bytes = 0;
    wrong[1].object_alignment = 24;
    wrong[2].object_alignment = 2 * TARN_OBJECT_ALIGNMENT_MAX;
    wrong[3].hooks.reset_on_return = true;
    tarn_frame_pool *pool;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        pool = (tarn_frame_pool *)(void *)frame;
        kit_expect_status(tarn_frame_pool_create(frame, &wrong[i], &pool), TARN_ERROR_INVALID);
        assert_null(pool);
    }
    kit_expect_status(tarn_frame_pool_create(NULL, &good, &pool), TARN_ERROR_INVALID);
    kit_expect_status(tarn_frame_pool_create(frame, NULL, &pool), TARN_ERROR_INVALID);
    kit_expect_status(tarn_frame_pool_create(frame, &good, NULL), TARN_ERROR_INVALID);
    kit_expect_status(tarn_frame_pool_destroy(NULL), TARN_OK);
    frames_destroy(frame);
}

static void a_frame_that_its_lane_enters_twice_goes_on_where_it_was(void **state)
{
    (void)state;
    tarn_frame *frame = frames_in_flight(2);
    tarn_frame_pool *pool = plain_pool(frame, 100, 4);
    tarn_lane *lane = frame_kit_attach(frame, "test");
    void *objects[90];
    for (uint32_t i = 0; i < 90; i++) {
        frame_kit_enter(lane);
        objects[i] = tarn_frame_pool_alloc(pool, lane);
        frame_kit_leave(lane);
    }
    assert_true(kit_are_apart(objects, 90, 100));
    frame_kit_end(frame);
    assert_int_equal(tarn_frame_pool_count(pool, 1), 90);
    frames_destroy(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_size_and_alignment_is_kept),
        cmocka_unit_test(t62_an_object_that_just_fits_a_block_is_served_and_a_larger_one_refused),
        cmocka_unit_test(a_block_has_no_room_for_what_is_aligned_to_all_of_it),
        cmocka_unit_test(options_out_of_range_are_invalid),
        cmocka_unit_test(a_frame_that_its_lane_enters_twice_goes_on_where_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
