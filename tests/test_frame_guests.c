/* Threads that use frames without set-up, and what is left of their lanes when they end or when the
 * process forks. */
#define _GNU_SOURCE /* fork, alarm */

#include "support/child.h"
#include "support/frames.h"

#include "tarn/guest.h"

typedef struct story {
    tarn_frame *frame;
    tarn_frame_pool *objects;
    tarn_pool *pool;
    tarn_lane *lane;
    atomic_uint step;
    uint32_t depth;
} story;

static tarn_frame *small_frame(uint32_t lanes_max)
{
    return frames_create((tarn_frame_options){
        .lanes_max = lanes_max, .frames_in_flight = 2, .block_bytes = TARN_FRAME_BLOCK_BYTES_MIN});
}

static void a_thread_has_one_lane_in_each_frame(void **state)
{
    (void)state;
    enum { FRAMES = 12 }; /* more than it remembers by itself */
    tarn_frame *frames[FRAMES];
    tarn_lane *lanes[FRAMES];
    assert_null(tarn_guest_lane(NULL));
    for (uint32_t i = 0; i < FRAMES; i++) {
        frames[i] = small_frame(3);
        lanes[i] = tarn_guest_lane(frames[i]);
        assert_non_null(lanes[i]);
    }
    for (uint32_t round = 0; round < 3; round++)
        for (uint32_t i = 0; i < FRAMES; i++) {
            assert_ptr_equal(tarn_guest_lane(frames[i]), lanes[i]);
            assert_int_equal(frame_kit_sample(frames[i]).lanes, 1);
        }
    for (uint32_t i = 0; i < FRAMES; i++)
        for (uint32_t k = 0; k < i; k++)
            assert_ptr_not_equal(lanes[i], lanes[k]);
    for (uint32_t i = 0; i < FRAMES; i++)
        frames_destroy(frames[i]);
}

static void a_guests_lane_is_used_as_any_other_and_is_not_detached(void **state)
{
    (void)state;
    tarn_frame *frame = small_frame(2);
    tarn_lane *lane = tarn_guest_lane(frame);
    for (uint32_t n = 0; n < 5; n++) {
        frame_kit_enter(lane);
        assert_non_null(tarn_frame_alloc(lane, 100));
        kit_expect_status(tarn_frame_end(frame, 0, NULL), TARN_ERROR_LATE);
        kit_expect_status(tarn_lane_detach(lane), TARN_ERROR_NOT_ATTACHED);
        assert_int_equal(frame_kit_sample(frame).lanes_inside, 1);
        frame_kit_leave(lane);
        frame_kit_end(frame);
    }
    assert_ptr_equal(tarn_guest_lane(frame), lane);
    assert_non_null(strstr(frame_kit_lane_at(frame, 0).label, "guest"));
    frames_destroy(frame);
}

/* ---- threads that end ---- */

static int leave_it_to_the_end(void *argument)
{
    story *s = argument;
    int failures = 0;
    s->lane = tarn_guest_lane(s->frame);
    KIT_EXPECT(&failures, s->lane != NULL);
    for (uint32_t i = 0; i < s->depth; i++)
        KIT_EXPECT(&failures, tarn_lane_enter(s->lane) == TARN_OK);
    if (s->depth > 0) {
        uint32_t *number = tarn_frame_pool_alloc(s->objects, s->lane);
        KIT_EXPECT(&failures, number && tarn_frame_alloc(s->lane, 1000));
        KIT_EXPECT(&failures,
                   tarn_frame_defer_free(s->lane, s->pool, tarn_guest_alloc(s->pool)) == TARN_OK);
        if (number)
            *number = 7;
    }
    return failures;
}

static bool is_seven(void *context, void *object)
{
    *(uint32_t *)context += *(uint32_t *)object == 7;
    return true;
}

static void expect_what_threads_leave(uint32_t depth, uint32_t threads)
{
    story s = {.frame = small_frame(2), .pool = kit_small_pool(100, 2, 4), .depth = depth};
    tarn_frame_pool_options options = {.object_bytes = sizeof(uint32_t)};
    kit_expect_status(tarn_frame_pool_create(s.frame, &options, &s.objects), TARN_OK);
    for (uint32_t i = 0; i < threads; i++) {
        tarn_lane *before = s.lane;
        kit_run_thread(leave_it_to_the_end, &s);
        assert_true(i == 0 || before == s.lane); /* the lane that is free again */
        assert_int_equal(frame_kit_sample(s.frame).lanes, 0);
        assert_int_equal(frame_kit_sample(s.frame).lanes_inside, 0);
    }
    frame_kit_end(s.frame);
    uint32_t sevens = 0;
    uint32_t expected = depth > 0 ? threads : 0;
    tarn_frame_pool_each(s.objects, 1, is_seven, &sevens);
    assert_int_equal(sevens, expected); /* what they allocated stays as long as its frame */
    kit_expect_conserved(s.pool, expected);
    assert_int_equal(frame_kit_sample(s.frame).deferred, expected);
    frame_kit_end(s.frame);
    frame_kit_end(s.frame);
    kit_expect_conserved(s.pool, 0);
    frames_destroy(s.frame);
    kit_destroy(s.pool);
}

static void a_thread_that_ends_leaves_the_frame_and_gives_its_lane_back(void **state)
{
    (void)state;
    for (uint32_t depth = 0; depth <= 3; depth++)
        for (uint32_t threads = 1; threads <= 5; threads++)
            expect_what_threads_leave(depth, threads);
}

static int use_many_frames(void *argument)
{
    tarn_frame **frames = argument;
    int failures = 0;
    for (uint32_t i = 0; i < 10; i++) {
        tarn_lane *lane = tarn_guest_lane(frames[i]);
        KIT_EXPECT(&failures, lane && tarn_lane_enter(lane) == TARN_OK);
    }
    return failures;
}

static void a_thread_that_ends_leaves_every_frame(void **state)
{
    (void)state;
    tarn_frame *frames[10];
    for (uint32_t i = 0; i < 10; i++)
        frames[i] = small_frame(1);
    kit_run_thread(use_many_frames, frames);
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(frame_kit_sample(frames[i]).lanes, 0);
        frame_kit_end(frames[i]);
        frames_destroy(frames[i]);
    }
}

/* A frame that is gone by then must not be looked for. */
static int outlive_a_frame(void *argument)
{
    story *s = argument;
    int failures = 0;
    KIT_EXPECT(&failures, tarn_guest_lane(s->frame) != NULL);
    kit_raise(&s->step, 1);
    kit_await(&s->step, 2);
    return failures;
}

static void a_frame_may_end_before_its_guests(void **state)
{
    (void)state;
    for (uint32_t which = 0; which < 3; which++) {
        tarn_frame *frames[3];
        for (uint32_t i = 0; i < 3; i++)
            frames[i] = small_frame(1);
        story s = {.frame = frames[which]};
        tarn_thread thread;
        assert_true(tarn_thread_create(&thread, outlive_a_frame, &s));
        kit_await(&s.step, 1);
        frames_destroy(frames[which]);
        kit_raise(&s.step, 2);
        assert_int_equal(tarn_thread_join(thread), 0);
        for (uint32_t i = 0; i < 3; i++)
            if (i != which)
                frames_destroy(frames[i]);
    }
}

/* ---- when lanes run out ---- */

static int get_none(void *argument)
{
    story *s = argument;
    int failures = 0;
    KIT_EXPECT(&failures, tarn_guest_lane(s->frame) == NULL);
    kit_raise(&s->step, 1);
    kit_await(&s->step, 2);
    s->lane = tarn_guest_lane(s->frame); /* another was given back meanwhile */
    KIT_EXPECT(&failures, s->lane != NULL);
    KIT_EXPECT(&failures, s->lane && tarn_lane_enter(s->lane) == TARN_OK);
    KIT_EXPECT(&failures, s->lane && tarn_frame_alloc(s->lane, 10));
    return failures;
}

static void a_guest_gets_no_lane_while_all_are_taken_and_one_later(void **state)
{
    (void)state;
    story s = {.frame = small_frame(3)};
    tarn_lane *lanes[2] = {frame_kit_attach(s.frame, "test"), frame_kit_attach(s.frame, "test")};
    tarn_lane *own = tarn_guest_lane(s.frame);
    assert_non_null(own);
    tarn_lane *more = (tarn_lane *)(void *)&s;
    kit_expect_status(tarn_lane_attach(s.frame, "more", &more), TARN_ERROR_NO_LANE);
    assert_null(more);
    tarn_thread thread;
    assert_true(tarn_thread_create(&thread, get_none, &s));
    kit_await(&s.step, 1);
    kit_expect_status(tarn_lane_detach(lanes[1]), TARN_OK);
    kit_raise(&s.step, 2);
    assert_int_equal(tarn_thread_join(thread), 0);
    assert_ptr_equal(s.lane, lanes[1]);
    assert_int_equal(frame_kit_sample(s.frame).lanes, 2);
    assert_ptr_equal(frame_kit_attach(s.frame, "test"), lanes[1]);
    frame_kit_end(s.frame);
    frames_destroy(s.frame);
}

enum { CROWD = 8, CROWD_ROUNDS = 40 };

static int come_and_go(void *argument)
{
    story *s = argument;
    int failures = 0;
    tarn_lane *lane = tarn_guest_lane(s->frame);
    if (!lane || tarn_lane_enter(lane) != TARN_OK)
        return failures;
    uint64_t *numbers[50];
    for (uint64_t i = 0; i < 50; i++) {
        numbers[i] = tarn_frame_alloc(lane, 8 + i * 16);
        KIT_EXPECT(&failures, numbers[i] != NULL);
        if (numbers[i])
            *numbers[i] = (uint64_t)(uintptr_t)&failures + i;
    }
    for (uint64_t i = 0; i < 50; i++)
        KIT_EXPECT(&failures, numbers[i] && *numbers[i] == (uint64_t)(uintptr_t)&failures + i);
    return failures;
}

static void lanes_pass_from_thread_to_thread(void **state)
{
    (void)state;
    story s = {.frame = small_frame(3)};
    for (uint32_t round = 0; round < CROWD_ROUNDS; round++) {
        assert_int_equal(kit_run_threads(CROWD, come_and_go, &s, 0), 0);
        assert_int_equal(frame_kit_sample(s.frame).lanes, 0);
        frame_kit_end(s.frame);
    }
    frames_destroy(s.frame);
}

/* ---- fork ---- */

static int child_goes_on(void *argument)
{
    story *s = argument;
    int failures = 0;
    tarn_lane *others[6];
    tarn_frame *frames[6];
    tarn_frame_options options = {.lanes_max = 1};
    for (uint32_t i = 0; i < 6; i++) { /* its own memory of the lane is overwritten */
        KIT_EXPECT(&failures, tarn_frame_create(&options, &frames[i]) == TARN_OK);
        others[i] = tarn_guest_lane(frames[i]);
        KIT_EXPECT(&failures, others[i] != NULL);
    }
    KIT_EXPECT(&failures, tarn_guest_lane(s->frame) == s->lane);
    KIT_EXPECT(&failures, frame_kit_sample(s->frame).lanes == 1);
    KIT_EXPECT(&failures, tarn_frame_alloc(s->lane, 50) != NULL);
    KIT_EXPECT(&failures, tarn_frame_end(s->frame, 0, NULL) == TARN_ERROR_LATE);
    KIT_EXPECT(&failures, tarn_lane_leave(s->lane) == TARN_OK);
    KIT_EXPECT(&failures, tarn_frame_end(s->frame, 0, NULL) == TARN_OK);
    KIT_EXPECT(&failures, tarn_frame_destroy(s->frame) == TARN_OK);
    return failures;
}

static void the_forking_threads_lane_stays_its_own_in_the_child(void **state)
{
    (void)state;
    story s = {.frame = small_frame(2)};
    s.lane = tarn_guest_lane(s.frame);
    frame_kit_enter(s.lane);
    in_child(child_goes_on, &s);
    frame_kit_leave(s.lane);
    frames_destroy(s.frame);
}

static int wait_inside(void *argument)
{
    story *s = argument;
    int failures = 0;
    if (s->depth > 0) {
        KIT_EXPECT(&failures, tarn_lane_attach(s->frame, "worker", &s->lane) == TARN_OK);
    } else {
        s->lane = tarn_guest_lane(s->frame);
    }
    KIT_EXPECT(&failures, s->lane && tarn_lane_enter(s->lane) == TARN_OK);
    KIT_EXPECT(&failures, s->lane && tarn_frame_alloc(s->lane, 300));
    kit_raise(&s->step, 1);
    kit_await(&s->step, 2);
    KIT_EXPECT(&failures, tarn_lane_leave(s->lane) == TARN_OK);
    if (s->depth > 0)
        KIT_EXPECT(&failures, tarn_lane_detach(s->lane) == TARN_OK);
    return failures;
}

static int child_detaches_and_ends(void *argument)
{
    story *s = argument;
    int failures = 0;
    tarn_late late;
    if (s->depth > 0) {
        KIT_EXPECT(&failures, tarn_frame_end(s->frame, 0, &late) == TARN_ERROR_LATE);
        KIT_EXPECT(&failures, late.lanes == 1 && strcmp(late.label, "worker") == 0);
        KIT_EXPECT(&failures, tarn_lane_detach(s->lane) == TARN_OK);
    }
    KIT_EXPECT(&failures, tarn_frame_end(s->frame, 0, NULL) == TARN_OK);
    tarn_lane *lane = tarn_guest_lane(s->frame);
    KIT_EXPECT(&failures, lane && tarn_lane_enter(lane) == TARN_OK);
    KIT_EXPECT(&failures, lane && tarn_frame_alloc(lane, 300));
    KIT_EXPECT(&failures, lane && tarn_lane_leave(lane) == TARN_OK);
    KIT_EXPECT(&failures, tarn_frame_end(s->frame, 0, NULL) == TARN_OK);
    KIT_EXPECT(&failures, tarn_frame_destroy(s->frame) == TARN_OK);
    return failures;
}

static void expect_child_ends(bool is_attached)
{
    story s = {.frame = small_frame(1), .depth = is_attached};
    tarn_thread thread;
    assert_true(tarn_thread_create(&thread, wait_inside, &s));
    kit_await(&s.step, 1);
    in_child(child_detaches_and_ends, &s);
    kit_raise(&s.step, 2);
    assert_int_equal(tarn_thread_join(thread), 0);
    frames_destroy(s.frame);
}

static void a_child_ends_the_frame_after_detaching_the_lane_of_who_is_gone(void **state)
{
    (void)state;
    expect_child_ends(true);
}

static void a_child_ends_the_frame_that_a_guest_was_inside_of(void **state)
{
    (void)state;
    expect_child_ends(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_has_one_lane_in_each_frame),
        cmocka_unit_test(a_guests_lane_is_used_as_any_other_and_is_not_detached),
        cmocka_unit_test(a_thread_that_ends_leaves_the_frame_and_gives_its_lane_back),
        cmocka_unit_test(a_thread_that_ends_leaves_every_frame),
        cmocka_unit_test(a_frame_may_end_before_its_guests),
        cmocka_unit_test(a_guest_gets_no_lane_while_all_are_taken_and_one_later),
        cmocka_unit_test(lanes_pass_from_thread_to_thread),
        cmocka_unit_test(the_forking_threads_lane_stays_its_own_in_the_child),
        cmocka_unit_test(a_child_ends_the_frame_after_detaching_the_lane_of_who_is_gone),
        cmocka_unit_test(a_child_ends_the_frame_that_a_guest_was_inside_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
