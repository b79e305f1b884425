/* Frame pools: constructed once, reset on reuse, dropped at once, and read lane by lane. */
#include "support/frames.h"

enum { BLOCK = TARN_FRAME_BLOCK_BYTES_MIN, HEADER = 64 };

/* ---- objects that know what was done to them ---- */

typedef struct item {
    uint32_t built, resets, destroyed, value;
    void *owned; /* from another pool */
} item;

TARN_FRAME_POOL_DEFINE(items, item);

typedef struct hooks_log {
    uint32_t constructs, resets, destroys, faults;
    uint32_t fail_at; /* the construct that fails, counted from 1; 0: none */
    bool has_no_reset;
    tarn_pool *other;
} hooks_log;

static bool construct(void *context, void *object)
{
    hooks_log *log = context;
    item *i = object;
    static const item zero;
    log->faults += memcmp(i, &zero, sizeof zero) != 0;
    if (++log->constructs == log->fail_at)
        return false;
    if (log->other)
        log->faults += !(i->owned = tarn_guest_alloc(log->other));
    i->built = 1;
    return true;
}

static void reset(void *context, void *object)
{
    hooks_log *log = context;
    item *i = object;
    log->resets++;
    log->faults += i->built != 1 || i->destroyed != 0;
    i->resets++;
}

static void destroy(void *context, void *object)
{
    hooks_log *log = context;
    item *i = object;
    log->destroys++;
    log->faults += i->built != 1 || i->destroyed != 0;
    if (log->other)
        tarn_guest_free(log->other, i->owned);
    i->destroyed = 1;
}

static tarn_frame_pool *hooked_pool(tarn_frame *frame, hooks_log *log)
{
    tarn_frame_pool *pool = NULL;
    tarn_frame_pool_options options = {
        .hooks = {.context = log, .construct = construct, .destroy = destroy}};
    if (!log->has_no_reset)
        options.hooks.reset = reset;
    kit_expect_status(items_create(frame, options, &pool), TARN_OK);
    assert_non_null(pool);
    return pool;
}

static tarn_frame_pool *plain_pool(tarn_frame *frame, size_t bytes, size_t alignment)
{
    tarn_frame_pool *pool = NULL;
    tarn_frame_pool_options options = {.object_bytes = bytes, .object_alignment = alignment};
    kit_expect_status(tarn_frame_pool_create(frame, &options, &pool), TARN_OK);
    assert_non_null(pool);
    return pool;
}

static tarn_frame *keeping_frame(uint32_t in_flight)
{
    return frames_create((tarn_frame_options){.frames_in_flight = in_flight,
                                              .lanes_max = 4,
                                              .block_bytes = BLOCK,
                                              .retention = TARN_RETAIN_ALL});
}

/* ---- lives ---- */

static void fill(tarn_frame_pool *pool, tarn_lane *lane, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        item *made = items_alloc(pool, lane);
        assert_non_null(made);
        made->value = i;
    }
}

static void objects_are_constructed_once_and_reset_at_each_use_that_follows(void **state)
{
    (void)state;
    enum { COUNT = 500, FRAMES = 12 };
    for (uint32_t in_flight = 1; in_flight <= 3; in_flight++) {
        hooks_log log = {0};
        tarn_frame *frame = keeping_frame(in_flight);
        tarn_frame_pool *pool = hooked_pool(frame, &log);
        tarn_lane *lane = frame_kit_attach(frame, "test");
        for (uint32_t n = 1; n <= FRAMES; n++) {
            frame_kit_enter(lane);
            fill(pool, lane, COUNT);
            frame_kit_leave(lane);
            frame_kit_end(frame);
            assert_int_equal(log.constructs, (n < in_flight ? n : in_flight) * COUNT);
            assert_int_equal(log.constructs + log.resets, n * COUNT);
            assert_int_equal(log.destroys, 0);
        }
        kit_expect_status(tarn_frame_pool_destroy(pool), TARN_OK);
        assert_int_equal(log.destroys, log.constructs);
        assert_int_equal(log.faults, 0);
        assert_int_equal(frame_kit_sample(frame).held_bytes, 0);
        frames_destroy(frame);
    }
}

/* Within the first block, whose objects are not all built yet, and over its end. */
static void expect_growth(bool has_no_reset)
{
    static const uint32_t counts[] = {3, 1, 4, 2, 100, 50, 130, 400, 7, 400};
    hooks_log log = {.has_no_reset = has_no_reset};
    tarn_frame *frame = keeping_frame(1);
    tarn_frame_pool *pool = hooked_pool(frame, &log);
    tarn_lane *lane = frame_kit_attach(frame, "test");
    uint32_t most = 0, all = 0;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        frame_kit_enter(lane);
        fill(pool, lane, counts[i]);
        frame_kit_leave(lane);
        frame_kit_end(frame);
        most = counts[i] > most ? counts[i] : most;
        all += counts[i];
        assert_int_equal(log.constructs, most);
        assert_int_equal(log.resets, has_no_reset ? 0 : all - most);
    }
    frames_destroy(frame);
    assert_int_equal(log.destroys, most);
    assert_int_equal(log.faults, 0);
}

static void a_frame_that_needs_more_constructs_only_what_is_new(void **state)
{
    (void)state;
    expect_growth(false);
    expect_growth(true); /* what is built goes out inline */
}

static void the_frames_end_destroys_its_pools(void **state)
{
    (void)state;
    enum { POOLS = 5 };
    static const uint32_t early[] = {3, 2, 4}; /* from their midst, its neighbour, the last */
    hooks_log logs[POOLS] = {{0}};
    tarn_frame *frame = keeping_frame(2);
    tarn_frame_pool *pools[POOLS];
    tarn_lane *lane = frame_kit_attach(frame, "test");
    frame_kit_enter(lane);
    for (uint32_t i = 0; i < POOLS; i++) {
        pools[i] = hooked_pool(frame, &logs[i]);
        fill(pools[i], lane, 10 + i);
    }
    for (uint32_t i = 0; i < 3; i++) {
        kit_expect_status(tarn_frame_pool_destroy(pools[early[i]]), TARN_OK);
        assert_int_equal(logs[early[i]].destroys, 10 + early[i]);
        assert_non_null(items_alloc(pools[0], lane));
    }
    frame_kit_leave(lane);
    frames_destroy(frame);
    for (uint32_t i = 0; i < POOLS; i++) {
        assert_int_equal(logs[i].destroys, i == 0 ? 13 : 10 + i);
        assert_int_equal(logs[i].faults, 0);
    }
}

static void what_retention_lets_go_is_destroyed_once(void **state)
{
    (void)state;
    enum { MANY = 2000, FRAMES = 300 };
    hooks_log log = {0};
    tarn_frame *frame = frames_in_flight(1);
    tarn_frame_pool *pool = hooked_pool(frame, &log);
    tarn_lane *lane = frame_kit_attach(frame, "test");
    for (uint32_t n = 0; n < FRAMES; n++) {
        frame_kit_enter(lane);
        fill(pool, lane, n % 100 == 0 ? MANY : 10);
        frame_kit_leave(lane);
        frame_kit_end(frame);
    }
    assert_true(log.destroys > MANY / 2);
    assert_true(log.constructs > MANY + MANY / 2); /* it came back */
    assert_true(log.constructs - log.destroys < MANY / 2);
    frames_destroy(frame);
    assert_int_equal(log.destroys, log.constructs);
    assert_int_equal(log.faults, 0);
}

static void memory_is_zero_first_and_then_as_its_last_user_left_it(void **state)
{
    (void)state;
    tarn_frame *frame = keeping_frame(1);
    tarn_lane *lane = frame_kit_attach(frame, "test");
    frame_kit_enter(lane); /* so that blocks are dirty when the pool gets them */
    for (uint32_t i = 0; i < 40; i++)
        memset(tarn_frame_alloc(lane, 1000), 0xEE, 1000);
    frame_kit_leave(lane);
    kit_expect_status(tarn_lane_detach(lane), TARN_OK);
    frame_kit_end(frame);
    kit_expect_status(tarn_frame_trim(frame, NULL), TARN_OK);
    lane = frame_kit_attach(frame, "test");
    tarn_frame_pool *pool = plain_pool(frame, 48, 0);
    unsigned char *first = NULL;
    for (uint32_t n = 0; n < 3; n++) {
        frame_kit_enter(lane);
        for (uint32_t i = 0; i < 300; i++) {
            unsigned char *object = tarn_frame_pool_alloc(pool, lane);
            assert_non_null(object);
            first = i == 0 ? object : first;
            for (uint32_t k = 0; k < 48; k++)
                assert_int_equal(object[k], n);
            memset(object, (int)n + 1, 48);
        }
        frame_kit_leave(lane);
        frame_kit_end(frame);
    }
    assert_non_null(first);
    frames_destroy(frame);
}

static void an_object_that_cannot_be_constructed_is_not_there(void **state)
{
    (void)state;
    for (uint32_t fail_at = 1; fail_at <= 200; fail_at++) { /* also the first of a block */
        hooks_log log = {.fail_at = fail_at};
        tarn_frame *frame = keeping_frame(2);
        tarn_frame_pool *pool = hooked_pool(frame, &log);
        tarn_lane *lane = frame_kit_attach(frame, "test");
        frame_kit_enter(lane);
        fill(pool, lane, fail_at - 1);
        assert_null(items_alloc(pool, lane));
        frame_kit_leave(lane);
        frame_kit_end(frame);
        assert_int_equal(tarn_frame_pool_count(pool, 1), fail_at - 1);
        frame_kit_enter(lane);
        fill(pool, lane, 2);
        frame_kit_leave(lane);
        frame_kit_end(frame);
        frame_kit_enter(lane);
        fill(pool, lane, fail_at); /* the slot is there, and is constructed now */
        frame_kit_leave(lane);
        frames_destroy(frame);
        assert_int_equal(log.destroys, log.constructs - 1);
        assert_int_equal(log.faults, 0);
    }
}

static void a_construct_that_failed_is_tried_again_in_the_same_place(void **state)
{
    (void)state;
    hooks_log log = {.fail_at = 3};
    tarn_frame *frame = keeping_frame(1);
    tarn_frame_pool *pool = hooked_pool(frame, &log);
    tarn_lane *lane = frame_kit_attach(frame, "test");
    frame_kit_enter(lane);
    char *before = (char *)items_alloc(pool, lane);
    char *last = (char *)items_alloc(pool, lane);
    assert_null(items_alloc(pool, lane));
    char *next = (char *)items_alloc(pool, lane);
    assert_ptr_equal(next, last + (last - before));
    assert_int_equal(log.constructs, 4);
    frame_kit_leave(lane);
    frames_destroy(frame);
    assert_int_equal(log.destroys, 3);
}

static void hooks_may_use_other_pools(void **state)
{
    (void)state;
    hooks_log log = {.other = kit_small_pool(1000, 2, 8)};
    tarn_frame *frame = keeping_frame(1);
    tarn_frame_pool *pool = hooked_pool(frame, &log);
    tarn_lane *lane = frame_kit_attach(frame, "test");
    for (uint32_t n = 0; n < 5; n++) {
        frame_kit_enter(lane);
        fill(pool, lane, 300);
        frame_kit_leave(lane);
        frame_kit_end(frame);
        kit_expect_conserved(log.other, 300);
    }
    frames_destroy(frame);
    kit_expect_conserved(log.other, 0);
    assert_int_equal(log.faults, 0);
    kit_destroy(log.other);
}

/* ---- dropped at once ---- */

static void a_lane_outside_gets_nothing(void **state)
{
    (void)state;
    tarn_frame *frame = frames_in_flight(2);
    tarn_frame_pool *pool = plain_pool(frame, 8, 8);
    tarn_lane *lane = frame_kit_attach(frame, "test");
    assert_null(tarn_frame_pool_alloc(pool, lane));
    frame_kit_enter(lane);
    assert_non_null(tarn_frame_pool_alloc(pool, lane)); /* leaves the inline call room */
    frame_kit_leave(lane);
    assert_null(tarn_frame_pool_alloc(pool, lane));
    frame_kit_end(frame);
    assert_null(tarn_frame_pool_alloc(pool, lane));
    assert_int_equal(tarn_frame_pool_count(pool, 1), 1);
    frame_kit_enter(lane);
    assert_non_null(tarn_frame_pool_alloc(pool, lane));
    frame_kit_leave(lane);
    frames_log.count = 0; /* in a checked library: see test_frame_checked */
    frames_destroy(frame);
}

static void memory_is_used_again_when_its_frame_is_dropped_and_not_before(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    for (uint32_t in_flight = 1; in_flight <= 4; in_flight++) {
        tarn_frame *frame = keeping_frame(in_flight);
        tarn_frame_pool *pool = plain_pool(frame, 64, 0);
        tarn_lane *lane = frame_kit_attach(frame, "test");
        void *all[5 * COUNT];
        for (uint32_t n = 0; n < 2 * in_flight + 1; n++) {
            frame_kit_enter(lane);
            void **own = &all[n % in_flight * COUNT];
            for (uint32_t i = 0; i < COUNT; i++)
                assert_non_null(own[i] = tarn_frame_pool_alloc(pool, lane));
            uint32_t visible = n + 1 < in_flight ? n + 1 : in_flight;
            assert_true(kit_are_apart(all, (size_t)visible * COUNT, 64));
            frame_kit_leave(lane);
            frame_kit_end(frame);
        }
        size_t held = frame_kit_sample(frame).held_bytes;
        assert_int_equal(held % BLOCK, 0);
        assert_true(held / BLOCK <= in_flight * (COUNT * 128 / (BLOCK - HEADER) + 2));
        frames_destroy(frame);
    }
}

/* ---- the hosts' own types ---- */

static bool add_value(void *context, item *i)
{
    *(uint64_t *)context += i->value;
    return true;
}

static void typed_calls_need_no_casts(void **state)
{
    (void)state;
    tarn_frame *frame = frames_in_flight(1);
    tarn_frame_pool *pool = NULL;
    kit_expect_status(items_create(frame, (tarn_frame_pool_options){0}, &pool), TARN_OK);
    tarn_lane *lane = frame_kit_attach(frame, "test");
    frame_kit_enter(lane);
    for (uint32_t i = 0; i < 1000; i++) {
        item *made = items_alloc(pool, lane);
        assert_non_null(made);
        assert_int_equal((uintptr_t)made % _Alignof(item), 0);
        made->value = i;
    }
    frame_kit_leave(lane);
    kit_expect_status(tarn_frame_close(frame, 0, NULL), TARN_OK);
    uint64_t sum = 0;
    assert_int_equal(items_each(pool, 1, add_value, &sum), 1000);
    assert_int_equal(sum, 999 * 1000 / 2);
    assert_int_equal(items_each(pool, 1, NULL, &sum), 0);
    frames_destroy(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_constructed_once_and_reset_at_each_use_that_follows),
        cmocka_unit_test(a_frame_that_needs_more_constructs_only_what_is_new),
        cmocka_unit_test(the_frames_end_destroys_its_pools),
        cmocka_unit_test(what_retention_lets_go_is_destroyed_once),
        cmocka_unit_test(memory_is_zero_first_and_then_as_its_last_user_left_it),
        cmocka_unit_test(an_object_that_cannot_be_constructed_is_not_there),
        cmocka_unit_test(a_construct_that_failed_is_tried_again_in_the_same_place),
        cmocka_unit_test(hooks_may_use_other_pools),
        cmocka_unit_test(a_lane_outside_gets_nothing),
        cmocka_unit_test(memory_is_used_again_when_its_frame_is_dropped_and_not_before),
        cmocka_unit_test(typed_calls_need_no_casts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
