/* T61: what a lane is answered when there is no memory, who is asked and told of it. */
#include "support/frames.h"

enum { BLOCK = TARN_FRAME_BLOCK_BYTES_MIN };

typedef struct host {
    tarn_frame *frame;
    tarn_lane *lane;
    tarn_lane *other; /* whose memory the full callback gives back */
    /* grow */
    uint32_t grow_calls;
    bool grow_refuses;
    size_t grow_now, grow_next;
    /* full */
    uint32_t full_calls, attempts[64];
    size_t full_bytes;
    uint32_t yes_until; /* attempts that are answered true */
    /* overflow */
    uint32_t told;
    tarn_frame_overflow last;
    char label[TARN_LANE_LABEL_BYTES_MAX];
    uint64_t counted_when_told;
} host;

static bool grow(void *context, tarn_frame *frame, size_t bytes_now, size_t bytes_next)
{
    host *h = context;
    assert_true(!h->frame || h->frame == frame);
    h->grow_calls++;
    h->grow_now = bytes_now;
    h->grow_next = bytes_next;
    return !h->grow_refuses;
}

static bool full(void *context, tarn_frame *frame, size_t bytes, uint32_t attempt)
{
    host *h = context;
    assert_ptr_equal(frame, h->frame);
    h->attempts[h->full_calls++ % 64] = attempt;
    h->full_bytes = bytes;
    return attempt < h->yes_until;
}

static void told(void *context, const tarn_frame_overflow *overflow)
{
    host *h = context;
    h->told++;
    h->last = *overflow;
    strncpy(h->label, overflow->label, sizeof h->label - 1);
    tarn_frame_statistics now = frame_kit_sample(h->frame);
    h->counted_when_told = now.overflows_full + now.overflows_too_large;
}

static void open_frame(host *h, tarn_frame_options options)
{
    options.block_bytes = BLOCK;
    options.lanes_max = options.lanes_max ? options.lanes_max : 4;
    options.overflow = told;
    options.overflow_context = h;
    h->frame = frames_create(options);
    kit_expect_status(tarn_lane_attach(h->frame, "filler", &h->lane), TARN_OK);
    frame_kit_enter(h->lane);
}

static void close_frame(host *h)
{
    while (tarn_lane_leave(h->lane) == TARN_OK)
        ;
    frames_destroy(h->frame);
}

static size_t fill(tarn_lane *lane, size_t bytes)
{
    size_t count = 0;
    for (char *memory; (memory = tarn_frame_alloc(lane, bytes)) != NULL; count++)
        memset(memory, 1, bytes);
    return count;
}

/* ---- refused ---- */

static void t61_the_first_overflow_of_a_frame_is_told_at_once_and_all_are_counted(void **state)
{
    (void)state;
    host h = {0};
    open_frame(&h, (tarn_frame_options){.memory_bytes_max = 8 * BLOCK});
    for (uint64_t frame = 1; frame <= 4; frame++) {
        size_t count = fill(h.lane, 500);
        assert_true(count >= 8 * 6 && count <= 8 * 8);
        assert_int_equal(h.told, frame);
        assert_true(h.last.frame == frame);
        assert_int_equal(h.last.lane, 0);
        assert_string_equal(h.label, "filler");
        assert_int_equal(h.last.bytes, 500);
        assert_false(h.last.is_too_large);
        assert_int_equal(h.counted_when_told, 3 * (frame - 1) + 1); /* itself included */
        assert_null(tarn_frame_alloc(h.lane, 500));
        assert_null(tarn_frame_printf(h.lane, "%0500d", 1));
        assert_int_equal(h.told, frame);
        assert_int_equal(frame_kit_sample(h.frame).overflows_full, 3 * frame);
        assert_int_equal(frame_kit_lane_at(h.frame, 0).overflows_full, 3 * frame);
        assert_int_equal(frame_kit_lane_at(h.frame, 1).overflows_full, 0);
        frame_kit_leave(h.lane);
        frame_kit_end(h.frame);
        frame_kit_enter(h.lane);
    }
    assert_int_equal(frame_kit_sample(h.frame).overflows_too_large, 0);
    close_frame(&h);
}

static void each_kind_of_allocation_overflows(void **state)
{
    (void)state;
    host h = {0};
    open_frame(&h, (tarn_frame_options){.memory_bytes_max = 2 * BLOCK});
    tarn_frame_pool *pool = NULL;
    tarn_frame_pool_options options = {.object_bytes = 200};
    kit_expect_status(tarn_frame_pool_create(h.frame, &options, &pool), TARN_OK);
    while (tarn_frame_pool_alloc(pool, h.lane))
        ;
    assert_int_equal(h.told, 1);
    assert_int_equal(h.last.bytes, 200);
    uint64_t count = 1;
    assert_null(tarn_frame_alloc(h.lane, 1));
    assert_int_equal(frame_kit_sample(h.frame).overflows_full, ++count);
    assert_null(tarn_frame_alloc_aligned(h.lane, 1, 256));
    assert_int_equal(frame_kit_sample(h.frame).overflows_full, ++count);
    assert_null(tarn_frame_array(h.lane, uint64_t, 10));
    assert_int_equal(frame_kit_sample(h.frame).overflows_full, ++count);
    assert_null(tarn_frame_alloc(h.lane, BLOCK / 2)); /* a span */
    assert_int_equal(frame_kit_sample(h.frame).overflows_full, ++count);
    assert_null(tarn_frame_printf(h.lane, "text"));
    assert_int_equal(frame_kit_sample(h.frame).overflows_full, ++count);
    kit_expect_status(tarn_frame_finalize(h.lane, free, NULL), TARN_ERROR_FULL);
    assert_int_equal(frame_kit_sample(h.frame).overflows_full, ++count);
    assert_int_equal(h.told, 1);
    close_frame(&h);
}

static void two_lanes_share_what_is_told(void **state)
{
    (void)state;
    host h = {0};
    open_frame(&h, (tarn_frame_options){.memory_bytes_max = 2 * BLOCK});
    kit_expect_status(tarn_lane_attach(h.frame, "second", &h.other), TARN_OK);
    frame_kit_enter(h.other);
    fill(h.other, 100);
    assert_int_equal(h.told, 1);
    assert_int_equal(h.last.lane, 1);
    assert_string_equal(h.label, "second");
    assert_null(tarn_frame_alloc(h.lane, 100));
    assert_int_equal(h.told, 1);
    assert_int_equal(frame_kit_lane_at(h.frame, 0).overflows_full, 1);
    assert_int_equal(frame_kit_lane_at(h.frame, 1).overflows_full, 1);
    assert_int_equal(frame_kit_sample(h.frame).overflows_full, 2);
    frame_kit_leave(h.other);
    close_frame(&h);
}

/* ---- too large ---- */

static void what_no_budget_could_hold_is_told_apart(void **state)
{
    (void)state;
    host h = {0};
    open_frame(
        &h, (tarn_frame_options){.memory_bytes_max = 16 * BLOCK, .full = full, .full_context = &h});
    h.yes_until = UINT32_MAX;
    static const size_t sizes[] = {SIZE_MAX,        SIZE_MAX - 15,  SIZE_MAX - 4096,
                                   SIZE_MAX / 2,    PTRDIFF_MAX,    16 * BLOCK,
                                   16 * BLOCK - 16, 16 * BLOCK + 1, (size_t)1 << 40};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_null(tarn_frame_alloc(h.lane, sizes[i]));
        assert_int_equal(frame_kit_sample(h.frame).overflows_too_large, 2 * i + 1);
        assert_null(tarn_frame_alloc_aligned(h.lane, sizes[i], 64));
        assert_int_equal(h.full_calls, 0); /* no room would help */
        frame_kit_leave(h.lane);
        frame_kit_end(h.frame);
        frame_kit_enter(h.lane);
        assert_int_equal(h.told, i + 1);
        assert_true(h.last.is_too_large);
        assert_true(h.last.bytes == sizes[i]);
        assert_true(h.last.frame == i + 1);
        assert_int_equal(frame_kit_sample(h.frame).overflows_full, 0);
        assert_int_equal(frame_kit_lane_at(h.frame, 0).overflows_too_large, 2 * (i + 1));
    }
    close_frame(&h);
}

static void an_array_whose_size_overflows_is_too_large(void **state)
{
    (void)state;
    host h = {0};
    open_frame(&h, (tarn_frame_options){0});
    assert_null(tarn_frame_array(h.lane, uint64_t, SIZE_MAX / 8 + 1)); /* wraps to 0 */
    assert_null(tarn_frame_array(h.lane, uint64_t, SIZE_MAX / 4));
    assert_null(tarn_frame_array(h.lane, char, SIZE_MAX));
    assert_int_equal(frame_kit_sample(h.frame).overflows_too_large, 3);
    assert_int_equal(frame_kit_sample(h.frame).held_bytes, 0);
    assert_int_equal(h.told, 1);
    assert_true(h.last.is_too_large);
    close_frame(&h);
}

/* ---- the grow callback ---- */

static void growth_asks_the_host_first_and_what_it_refuses_is_an_overflow(void **state)
{
    (void)state;
    host h = {0};
    open_frame(&h, (tarn_frame_options){.memory_bytes = 2 * BLOCK,
                                        .memory_bytes_max = 64 * BLOCK,
                                        .grow = grow,
                                        .grow_context = &h});
    for (uint32_t i = 0; i < 2; i++)
        assert_non_null(tarn_frame_alloc(h.lane, BLOCK / 2 - 200));
    assert_int_equal(h.grow_calls, 0);
    h.grow_refuses = true;
    fill(h.lane, 1500);
    assert_true(h.grow_calls >= 1);
    assert_true(h.grow_next > h.grow_now);
    assert_true(h.grow_now >= 2 * BLOCK);
    assert_int_equal(frame_kit_sample(h.frame).overflows_full, 1);
    size_t held = frame_kit_sample(h.frame).held_bytes;
    uint32_t calls = h.grow_calls;
    assert_null(tarn_frame_alloc(h.lane, 1500));
    assert_int_equal(h.grow_calls, calls + 1); /* once for each allocation that asks */
    assert_int_equal(frame_kit_sample(h.frame).held_bytes, held);
    h.grow_refuses = false;
    assert_non_null(tarn_frame_alloc(h.lane, 1500));
    assert_true(frame_kit_sample(h.frame).held_bytes > held);
    assert_int_equal(frame_kit_sample(h.frame).overflows_full, 2);
    close_frame(&h);
}

/* ---- the full callback ---- */

static void the_full_callback_is_asked_with_the_number_of_the_attempt(void **state)
{
    (void)state;
    for (uint32_t yes = 0; yes <= 5; yes++) {
        host h = {0};
        open_frame(&h, (tarn_frame_options){
                           .memory_bytes_max = 2 * BLOCK, .full = full, .full_context = &h});
        h.yes_until = 0;
        fill(h.lane, 300);
        assert_int_equal(h.full_calls, 1);
        h.yes_until = yes;
        for (uint32_t round = 0; round < 2; round++) {
            h.full_calls = 0;
            assert_null(tarn_frame_alloc(h.lane, 333));
            assert_int_equal(h.full_calls, yes + 1);
            assert_int_equal(h.full_bytes, 333);
            for (uint32_t i = 0; i <= yes; i++)
                assert_int_equal(h.attempts[i], i);
        }
        assert_int_equal(frame_kit_sample(h.frame).overflows_full, 3);
        close_frame(&h);
    }
}

/* A lane that nobody uses any more still keeps memory, which the host gives back. */
static bool make_room(void *context, tarn_frame *frame, size_t bytes, uint32_t attempt)
{
    host *h = context;
    (void)bytes;
    h->attempts[h->full_calls++ % 64] = attempt;
    if (!h->other)
        return false;
    kit_expect_status(tarn_lane_detach(h->other), TARN_OK);
    h->other = NULL;
    kit_expect_status(tarn_frame_trim(frame, NULL), TARN_OK);
    return true;
}

static void the_full_callback_makes_room(void **state)
{
    (void)state;
    host h = {0};
    open_frame(&h, (tarn_frame_options){.memory_bytes_max = 8 * BLOCK,
                                        .retention = TARN_RETAIN_ALL,
                                        .full = make_room,
                                        .full_context = &h});
    tarn_lane *other = frame_kit_attach(h.frame, "test");
    frame_kit_enter(other);
    fill(other, 1000);
    assert_int_equal(h.full_calls, 1);
    frame_kit_leave(other);
    frame_kit_leave(h.lane);
    frame_kit_end(h.frame);
    frame_kit_enter(h.lane);
    h.full_calls = 0;
    h.other = other;
    assert_non_null(tarn_frame_alloc(h.lane, 1000)); /* which the other keeps all of */
    assert_int_equal(h.full_calls, 1);
    assert_int_equal(frame_kit_sample(h.frame).overflows_full, 1);
    assert_true(fill(h.lane, 1000) >= 7);
    assert_int_equal(frame_kit_sample(h.frame).overflows_full, 2);
    close_frame(&h);
}

static bool free_objects(void *context, tarn_frame *frame, size_t bytes, uint32_t attempt)
{
    host *h = context;
    (void)frame, (void)bytes, (void)attempt;
    h->full_calls++;
    h->grow_refuses = false;
    return h->full_calls < 2;
}

static void a_frame_pool_asks_the_full_callback_too(void **state)
{
    (void)state;
    host h = {0};
    open_frame(&h, (tarn_frame_options){.memory_bytes = BLOCK,
                                        .memory_bytes_max = 64 * BLOCK,
                                        .grow = grow,
                                        .grow_context = &h,
                                        .full = free_objects,
                                        .full_context = &h});
    tarn_frame_pool *pool = NULL;
    tarn_frame_pool_options options = {.object_bytes = 2000};
    kit_expect_status(tarn_frame_pool_create(h.frame, &options, &pool), TARN_OK);
    h.grow_refuses = true;
    while (h.grow_calls == 0)
        assert_non_null(tarn_frame_pool_alloc(pool, h.lane));
    assert_int_equal(h.full_calls, 1);
    assert_int_equal(h.told, 0);
    assert_int_equal(frame_kit_sample(h.frame).overflows_full, 0);
    close_frame(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t61_the_first_overflow_of_a_frame_is_told_at_once_and_all_are_counted),
        cmocka_unit_test(each_kind_of_allocation_overflows),
        cmocka_unit_test(two_lanes_share_what_is_told),
        cmocka_unit_test(what_no_budget_could_hold_is_told_apart),
        cmocka_unit_test(an_array_whose_size_overflows_is_too_large),
        cmocka_unit_test(growth_asks_the_host_first_and_what_it_refuses_is_an_overflow),
        cmocka_unit_test(the_full_callback_is_asked_with_the_number_of_the_attempt),
        cmocka_unit_test(the_full_callback_makes_room),
        cmocka_unit_test(a_frame_pool_asks_the_full_callback_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
