/* One end at a time, whoever asks, and frames that are closed for writing before it. */
#include "support/frame_kit.h"

/* ---- one end at a time ---- */

typedef struct reentry {
    tarn_frame *frame;
    tarn_lane *lane;
    uint64_t number;
    uint32_t runs;
} reentry;

static void end_again(void *context)
{
    reentry *r = context;
    tarn_late late = {.lanes = 9};
    r->runs++;
    kit_expect_status(tarn_frame_end(r->frame, 0, &late), TARN_ERROR_BUSY);
    frame_kit_expect_nobody_late(&late);
    kit_expect_status(tarn_frame_end(r->frame, 1000, NULL), TARN_ERROR_BUSY);
    kit_expect_status(tarn_frame_close(r->frame, 0, &late), TARN_ERROR_BUSY);
    kit_expect_status(tarn_lane_enter(r->lane), TARN_ERROR_BUSY);
    kit_expect_status(tarn_lane_leave(r->lane), TARN_ERROR_OUTSIDE);
    kit_expect_status(tarn_frame_destroy(r->frame), TARN_ERROR_BUSY);
    assert_int_equal(tarn_frame_number(r->frame), r->number);
    assert_int_equal(frame_kit_sample(r->frame).lanes_inside, 0);
    assert_false(frame_kit_lane(r->frame, r->lane).inside);
}

static void end_from_within_the_end_is_refused(void **state)
{
    (void)state;
    for (int is_closed = 0; is_closed < 2; is_closed++) {
        tarn_frame *frame = frame_kit_create((tarn_frame_options){.frames_in_flight = 2});
        reentry r = {.frame = frame, .lane = frame_kit_attach(frame, NULL)};
        frame_kit_enter(r.lane);
        kit_expect_status(tarn_frame_finalize(r.lane, end_again, &r), TARN_OK);
        frame_kit_leave(r.lane);
        frame_kit_end(frame);
        assert_int_equal(r.runs, 0);
        if (is_closed)
            kit_expect_status(tarn_frame_close(frame, 0, NULL), TARN_OK);
        r.number = 2;
        frame_kit_end(frame);
        assert_int_equal(r.runs, 1);
        assert_int_equal(tarn_frame_number(frame), 3);
        frame_kit_enter(r.lane);
        kit_expect_status(tarn_frame_finalize(r.lane, end_again, &r), TARN_OK);
        frame_kit_leave(r.lane);
        r.number = 3;
        frame_kit_destroy(frame); /* which is an end too */
        assert_int_equal(r.runs, 2);
    }
}

static void end_at_a_rewind(void *context)
{
    reentry *r = context;
    r->runs++;
    kit_expect_status(tarn_frame_end(r->frame, 0, NULL), TARN_ERROR_LATE);
}

static void a_rewind_runs_finalizers_inside(void **state)
{
    (void)state;
    tarn_frame *frame = frame_kit_create((tarn_frame_options){0});
    reentry r = {.frame = frame, .lane = frame_kit_attach(frame, NULL)};
    frame_kit_enter(r.lane);
    tarn_mark mark = tarn_lane_mark(r.lane);
    kit_expect_status(tarn_frame_finalize(r.lane, end_at_a_rewind, &r), TARN_OK);
    kit_expect_status(tarn_lane_rewind(r.lane, mark), TARN_OK);
    assert_int_equal(r.runs, 1);
    frame_kit_leave(r.lane);
    frame_kit_destroy(frame);
}

typedef struct slow_end {
    tarn_frame *frame;
    atomic_uint step;
} slow_end;

static void wait_in_the_end(void *context)
{
    slow_end *s = context;
    kit_raise(&s->step, 1);
    kit_await(&s->step, 2);
}

static int end_slowly(void *context)
{
    slow_end *s = context;
    int failures = 0;
    KIT_EXPECT(&failures, tarn_frame_end(s->frame, 0, NULL) == TARN_OK);
    return failures;
}

static void another_threads_end_keeps_everybody_out(void **state)
{
    (void)state;
    tarn_frame *frame = frame_kit_create((tarn_frame_options){0});
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    slow_end s = {frame, 0};
    tarn_thread thread;
    frame_kit_enter(lane);
    kit_expect_status(tarn_frame_finalize(lane, wait_in_the_end, &s), TARN_OK);
    frame_kit_leave(lane);
    assert_true(tarn_thread_create(&thread, end_slowly, &s));
    kit_await(&s.step, 1);
    kit_expect_status(tarn_frame_end(frame, 1000, NULL), TARN_ERROR_BUSY);
    kit_expect_status(tarn_frame_close(frame, 1000, NULL), TARN_ERROR_BUSY);
    kit_expect_status(tarn_lane_enter(lane), TARN_ERROR_BUSY);
    kit_expect_status(tarn_frame_destroy(frame), TARN_ERROR_BUSY);
    assert_int_equal(tarn_frame_number(frame), 1);
    kit_raise(&s.step, 2);
    assert_int_equal(tarn_thread_join(thread), 0);
    assert_int_equal(tarn_frame_number(frame), 2);
    frame_kit_enter(lane);
    frame_kit_leave(lane);
    frame_kit_destroy(frame);
}

/* ---- closed frames ---- */

static void a_closed_frame_lets_nobody_in(void **state)
{
    (void)state;
    tarn_frame *frame = frame_kit_create((tarn_frame_options){0});
    tarn_lane *lane = frame_kit_attach(frame, "writer");
    for (uint64_t number = 1; number < 4; number++) {
        frame_kit_enter(lane);
        char *memory = tarn_frame_alloc(lane, 200);
        frame_kit_fill(memory, 200, number);
        tarn_frame_ref ref = tarn_frame_ref_of(frame, memory);
        frame_kit_leave(lane);
        for (int i = 0; i < 2; i++) { /* the second changes nothing */
            kit_expect_status(tarn_frame_close(frame, 0, NULL), TARN_OK);
            kit_expect_status(tarn_lane_enter(lane), TARN_ERROR_CLOSED);
            kit_expect_status(tarn_lane_leave(lane), TARN_ERROR_OUTSIDE);
            assert_false(frame_kit_lane(frame, lane).inside);
            assert_int_equal(frame_kit_sample(frame).lanes_inside, 0);
            assert_int_equal(tarn_frame_number(frame), number);
            assert_ptr_equal(tarn_frame_resolve(frame, ref), memory);
            assert_true(frame_kit_is_filled(memory, 200, number));
        }
        frame_kit_end(frame); /* opens the next for writing */
        assert_null(tarn_frame_resolve(frame, ref));
    }
    kit_expect_status(tarn_frame_close(frame, 0, NULL), TARN_OK);
    frame_kit_destroy(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(end_from_within_the_end_is_refused),
        cmocka_unit_test(a_rewind_runs_finalizers_inside),
        cmocka_unit_test(another_threads_end_keeps_everybody_out),
        cmocka_unit_test(a_closed_frame_lets_nobody_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
