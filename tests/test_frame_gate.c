/* Who may be inside a frame, and when it ends: never under a lane, and never before it may. */
#include "support/frame_kit.h"

#include "base/os.h"

#define LONG_NS ((uint64_t)60 * 1000 * 1000 * 1000)

/* ---- inside and outside ---- */

static void the_outermost_leave_counts(void **state)
{
    (void)state;
    tarn_frame *frame = frame_kit_create((tarn_frame_options){0});
    tarn_lane *lane = frame_kit_attach(frame, "nested");
    kit_expect_status(tarn_lane_leave(lane), TARN_ERROR_OUTSIDE);
    for (int i = 0; i < 5; i++) {
        frame_kit_enter(lane);
        assert_int_equal(frame_kit_sample(frame).lanes_inside, 1);
        assert_non_null(tarn_frame_alloc(lane, 8));
    }
    for (int i = 0; i < 5; i++) {
        kit_expect_status(tarn_frame_end(frame, 0, NULL), TARN_ERROR_LATE);
        assert_true(frame_kit_lane(frame, lane).inside);
        assert_non_null(tarn_frame_alloc(lane, 8));
        frame_kit_leave(lane);
    }
    assert_false(frame_kit_lane(frame, lane).inside);
    assert_int_equal(frame_kit_sample(frame).lanes_inside, 0);
    kit_expect_status(tarn_lane_leave(lane), TARN_ERROR_OUTSIDE);
    assert_int_equal(frame_kit_sample(frame).lanes_inside, 0);
    frame_kit_end(frame);
    frame_kit_destroy(frame);
}

static void note_report(void *context, const tarn_report *report)
{
    assert_int_equal(report->misuse, TARN_MISUSE_OUTSIDE);
    ++*(int *)context;
}

static void expect_nothing_allocated(tarn_lane *lane)
{
    assert_null(tarn_frame_alloc(lane, 1));
    assert_null(tarn_frame_alloc(lane, 1 << 20));
    assert_null(tarn_frame_alloc_aligned(lane, 16, 4096));
    assert_null(tarn_frame_array(lane, int, 4));
    assert_null(tarn_frame_printf(lane, "%d", 1));
    kit_expect_status(tarn_lane_rewind(lane, (tarn_mark){0}), TARN_ERROR_OUTSIDE);
    assert_null(tarn_lane_mark(lane).lane);
}

/* Whatever room the lane's block has. */
static void nothing_is_allocated_outside(void **state)
{
    (void)state;
    int reports = 0;
    tarn_frame *frame =
        frame_kit_create((tarn_frame_options){.report = note_report, .report_context = &reports});
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    for (size_t round = 0; round < 4; round++) {
        expect_nothing_allocated(lane);
        assert_int_equal(frame_kit_lane(frame, lane).bytes, round % 2 * 48);
        frame_kit_enter(lane);
        assert_non_null(tarn_frame_alloc(lane, 48 - frame_kit_red_zone(frame)));
        frame_kit_leave(lane);
        expect_nothing_allocated(lane);
        assert_int_equal(frame_kit_lane(frame, lane).bytes, round % 2 * 48 + 48);
        if (round % 2)
            frame_kit_end(frame);
    }
    assert_int_equal(reports, frame->is_checked ? 40 : 0);
    assert_int_equal(frame_kit_sample(frame).overflows_full, 0);
    frame_kit_destroy(frame);
}

/* ---- late lanes ---- */

static void t59_a_late_lane_is_named_and_keeps_its_memory(void **state)
{
    (void)state;
    tarn_frame *frame = frame_kit_create((tarn_frame_options){0});
    tarn_lane *early = frame_kit_attach(frame, "early");
    tarn_lane *slow = frame_kit_attach(frame, "physics 7");
    tarn_late late;
    for (uint64_t number = 1; number < 5; number++) {
        frame_kit_enter(early);
        frame_kit_enter(slow);
        char *memory = tarn_frame_alloc(slow, 500);
        frame_kit_fill(memory, 500, number);
        frame_kit_leave(early);
        for (int attempt = 0; attempt < 3; attempt++) {
            kit_expect_status(tarn_frame_end(frame, 0, &late), TARN_ERROR_LATE);
            frame_kit_expect_late(&late, 1, slow, "physics 7");
            kit_expect_status(tarn_frame_close(frame, 0, &late), TARN_ERROR_LATE);
            frame_kit_expect_late(&late, 1, slow, "physics 7");
            assert_int_equal(tarn_frame_number(frame), number);
            frame_kit_enter(early); /* the refusal shut nobody out */
            frame_kit_fill(tarn_frame_alloc(early, 500), 500, 99);
            frame_kit_leave(early);
            frame_kit_fill(tarn_frame_alloc(slow, 500), 500, 98);
            assert_true(frame_kit_is_filled(memory, 500, number));
        }
        assert_int_equal(frame_kit_sample(frame).late_refusals, 6 * number);
        frame_kit_leave(slow);
        kit_expect_status(tarn_frame_end(frame, 0, &late), TARN_OK);
        frame_kit_expect_nobody_late(&late);
    }
    frame_kit_destroy(frame);
}

static void several_late_lanes_are_counted_and_one_is_named(void **state)
{
    (void)state;
    enum { LANES = 5 };
    tarn_frame *frame = frame_kit_create((tarn_frame_options){0});
    tarn_lane *lanes[LANES];
    tarn_late late;
    for (int i = 0; i < LANES; i++) {
        lanes[i] = frame_kit_attach(frame, i % 2 ? "odd" : "even");
        frame_kit_enter(lanes[i]);
    }
    for (int i = 0; i < LANES; i++) {
        kit_expect_status(tarn_frame_end(frame, 0, &late), TARN_ERROR_LATE);
        frame_kit_expect_late(&late, (uint32_t)(LANES - i), lanes[i], i % 2 ? "odd" : "even");
        frame_kit_leave(lanes[i]);
    }
    kit_expect_status(tarn_frame_end(frame, 0, &late), TARN_OK);
    frame_kit_expect_nobody_late(&late);
    frame_kit_destroy(frame);
}

static void a_wait_ends_at_its_deadline(void **state)
{
    (void)state;
    tarn_frame *frame = frame_kit_create((tarn_frame_options){0});
    tarn_lane *lane = frame_kit_attach(frame, "forgot to leave");
    tarn_lane *other = frame_kit_attach(frame, NULL);
    tarn_late late;
    frame_kit_enter(lane);
    for (uint64_t wait_ns = 1; wait_ns < 10000000; wait_ns *= 100) {
        uint64_t start_ns = tarn_os_time_ns();
        kit_expect_status(tarn_frame_end(frame, wait_ns, &late), TARN_ERROR_LATE);
        assert_true(tarn_os_time_ns() - start_ns >= wait_ns);
        frame_kit_expect_late(&late, 1, lane, "forgot to leave");
        kit_expect_status(tarn_frame_close(frame, wait_ns, &late), TARN_ERROR_LATE);
        frame_kit_expect_late(&late, 1, lane, "forgot to leave");
        frame_kit_enter(other); /* nobody is kept out any more */
        frame_kit_leave(other);
    }
    frame_kit_leave(lane);
    frame_kit_destroy(frame);
}

typedef struct straggler {
    tarn_frame *frame;
    tarn_lane *lane;
    atomic_uint step;
    uint64_t left; /* rounds that it has left, written before it leaves: the end orders it */
    uint32_t rounds;
} straggler;

static int straggle(void *argument)
{
    straggler *s = argument;
    int failures = 0;
    for (unsigned round = 1; round <= s->rounds; round++) {
        kit_await(&s->step, 2 * round - 1);
        KIT_EXPECT(&failures, tarn_lane_enter(s->lane) == TARN_OK);
        kit_raise(&s->step, 2 * round);
        frame_kit_yield_often();
        s->left++;
        KIT_EXPECT(&failures, tarn_lane_leave(s->lane) == TARN_OK);
    }
    return failures;
}

static void t59_end_waits_for_a_late_lane_to_leave(void **state)
{
    (void)state;
    enum { ROUNDS = 20 };
    tarn_frame *frame = frame_kit_create((tarn_frame_options){0});
    straggler s = {frame, frame_kit_attach(frame, "straggler"), 0, 0, ROUNDS};
    tarn_thread thread;
    tarn_late late;
    assert_true(tarn_thread_create(&thread, straggle, &s));
    for (unsigned round = 1; round <= ROUNDS; round++) {
        kit_raise(&s.step, 2 * round - 1);
        kit_await(&s.step, 2 * round);
        if (round % 2)
            kit_expect_status(tarn_frame_close(frame, LONG_NS, &late), TARN_OK);
        kit_expect_status(tarn_frame_end(frame, LONG_NS, &late), TARN_OK);
        frame_kit_expect_nobody_late(&late);
        assert_int_equal(s.left, round);
        assert_int_equal(tarn_frame_number(frame), round + 1);
    }
    assert_int_equal(tarn_thread_join(thread), 0);
    assert_int_equal(frame_kit_sample(frame).late_refusals, 0);
    frame_kit_destroy(frame);
}

typedef struct waiting_end {
    tarn_frame *frame;
    atomic_uint has_ended;
    bool closes;
} waiting_end;

static int wait_for_all(void *argument)
{
    waiting_end *w = argument;
    int failures = 0;
    tarn_status status = w->closes ? tarn_frame_close(w->frame, LONG_NS, NULL)
                                   : tarn_frame_end(w->frame, LONG_NS, NULL);
    KIT_EXPECT(&failures, status == TARN_OK);
    kit_raise(&w->has_ended, 1);
    return failures;
}

/* Until another thread's end waits, lanes enter. */
static void await_the_wait(tarn_lane *lane)
{
    tarn_status status = tarn_lane_enter(lane);
    for (int tries = 0; status == TARN_OK && tries < 1000000; tries++) {
        frame_kit_leave(lane);
        tarn_thread_yield();
        status = tarn_lane_enter(lane);
    }
    kit_expect_status(status, TARN_ERROR_BUSY);
}

static void an_end_that_waits_keeps_lanes_out(void **state)
{
    (void)state;
    for (int closes = 0; closes < 2; closes++) {
        tarn_frame *frame = frame_kit_create((tarn_frame_options){0});
        tarn_lane *inside = frame_kit_attach(frame, NULL), *lane = frame_kit_attach(frame, NULL);
        waiting_end w = {.frame = frame, .closes = closes};
        tarn_thread thread;
        frame_kit_enter(inside);
        assert_true(tarn_thread_create(&thread, wait_for_all, &w));
        await_the_wait(lane);
        kit_expect_status(tarn_frame_end(frame, 0, NULL), TARN_ERROR_BUSY);
        kit_expect_status(tarn_frame_close(frame, LONG_NS, NULL), TARN_ERROR_BUSY);
        frame_kit_enter(inside); /* who is inside goes on */
        assert_non_null(tarn_frame_alloc(inside, 100));
        frame_kit_leave(inside);
        kit_expect_status(tarn_lane_enter(lane), TARN_ERROR_BUSY);
        assert_int_equal(atomic_load(&w.has_ended), 0);
        frame_kit_leave(inside);
        assert_int_equal(tarn_thread_join(thread), 0);
        kit_expect_status(tarn_lane_enter(lane), closes ? TARN_ERROR_CLOSED : TARN_OK);
        if (closes)
            frame_kit_end(frame);
        else
            frame_kit_leave(lane);
        assert_int_equal(tarn_frame_number(frame), 2);
        frame_kit_destroy(frame);
    }
}

typedef struct visit {
    tarn_frame *frame;
    tarn_status end_status;
    uint32_t calls;
    char label[TARN_LANE_LABEL_BYTES_MAX];
} visit;

/* J16 (b): the lane is in the middle of an allocation. */
static bool end_inside_alloc(void *context, tarn_frame *frame, size_t bytes, uint32_t attempt)
{
    visit *v = context;
    tarn_late late;
    (void)bytes;
    v->calls++;
    v->end_status = tarn_frame_end(frame, 1000, &late);
    memcpy(v->label, late.label, sizeof v->label);
    return attempt == 0;
}

static void j16_a_lane_inside_an_allocation_is_late(void **state)
{
    (void)state;
    visit v = {0};
    tarn_frame *frame = frame_kit_create((tarn_frame_options){.block_bytes = 4096,
                                                              .memory_bytes_max = 4096,
                                                              .full = end_inside_alloc,
                                                              .full_context = &v});
    tarn_lane *lane = frame_kit_attach(frame, "allocating");
    frame_kit_enter(lane);
    size_t bytes = frame_kit_small_max(frame);
    assert_non_null(tarn_frame_alloc(lane, bytes));
    assert_non_null(tarn_frame_alloc(lane, bytes));
    assert_null(tarn_frame_alloc(lane, bytes));
    assert_int_equal(v.calls, 2);
    kit_expect_status(v.end_status, TARN_ERROR_LATE);
    assert_string_equal(v.label, "allocating");
    assert_int_equal(tarn_frame_number(frame), 1);
    frame_kit_leave(lane);
    frame_kit_destroy(frame);
}

/* J16 (a): a job that carries an object over the end finds that it is gone, in each frame that it
 * may still ask in. */
static void j16_what_is_held_over_the_end_is_told_stale(void **state)
{
    (void)state;
    for (uint32_t in_flight = 1; in_flight <= 3; in_flight++) {
        tarn_frame *frame = frame_kit_create((tarn_frame_options){.frames_in_flight = in_flight});
        tarn_lane *lane = frame_kit_attach(frame, "job");
        frame_kit_enter(lane);
        char *memory = tarn_frame_alloc(lane, 32);
        frame_kit_fill(memory, 32, 1);
        tarn_frame_ref ref = tarn_frame_ref_of(frame, memory);
        for (uint32_t ended = 1; ended <= in_flight + 2; ended++) {
            frame_kit_turn(frame, lane);
            frame_kit_fill(tarn_frame_alloc(lane, 32), 32, 2);
            assert_ptr_equal(tarn_frame_resolve(frame, ref), ended < in_flight ? memory : NULL);
            assert_true(ended >= in_flight || frame_kit_is_filled(memory, 32, 1));
        }
        frame_kit_leave(lane);
        frame_kit_destroy(frame);
    }
}

/* ---- lanes that change threads ---- */

static int leave_elsewhere(void *lane)
{
    int failures = 0;
    KIT_EXPECT(&failures, tarn_frame_alloc(lane, 16) != NULL);
    KIT_EXPECT(&failures, tarn_lane_leave(lane) == TARN_OK);
    return failures;
}

static void a_lane_may_leave_on_another_thread(void **state)
{
    (void)state;
    tarn_frame *frame = frame_kit_create((tarn_frame_options){0});
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    frame_kit_enter(lane);
    assert_non_null(tarn_frame_alloc(lane, 16));
    kit_run_thread(leave_elsewhere, lane);
    assert_int_equal(frame_kit_sample(frame).lanes_inside, 0);
    frame_kit_end(frame);
    frame_kit_destroy(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_outermost_leave_counts),
        cmocka_unit_test(nothing_is_allocated_outside),
        cmocka_unit_test(t59_a_late_lane_is_named_and_keeps_its_memory),
        cmocka_unit_test(several_late_lanes_are_counted_and_one_is_named),
        cmocka_unit_test(a_wait_ends_at_its_deadline),
        cmocka_unit_test(t59_end_waits_for_a_late_lane_to_leave),
        cmocka_unit_test(an_end_that_waits_keeps_lanes_out),
        cmocka_unit_test(j16_a_lane_inside_an_allocation_is_late),
        cmocka_unit_test(j16_what_is_held_over_the_end_is_told_stale),
        cmocka_unit_test(a_lane_may_leave_on_another_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
