/* Marks: what a lane rewinds to, which marks it takes, and what it gives back. */
#include "support/random.h"
#include "support/scratch_kit.h"

static void rewind_to(tarn_lane *lane, tarn_mark mark)
{
    kit_expect_status(tarn_lane_rewind(lane, mark), TARN_OK);
}

static void a_rewind_gives_back_what_came_since_the_mark(void **state)
{
    (void)state;
    tarn_frame *frame = scratch_frame();
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    frame_kit_enter(lane);
    for (size_t before = 0; before < 6000; before += 500) { /* the mark in this block or that */
        char *kept = tarn_frame_alloc(lane, 400);
        frame_kit_fill(kept, 400, before);
        tarn_mark mark = tarn_lane_mark(lane);
        tarn_lane_statistics then = frame_kit_lane(frame, lane);
        char *first = NULL;
        for (int round = 0; round < 3; round++) {
            char *next = tarn_frame_alloc(lane, 100);
            if (round == 0)
                first = next;
            assert_ptr_equal(next, first);
            for (int i = 0; i < 30; i++)
                memset(tarn_frame_alloc(lane, i % 10 ? 800 : 9000), 0xFF, 800);
            rewind_to(lane, mark);
            tarn_lane_statistics now = frame_kit_lane(frame, lane);
            assert_int_equal(now.bytes, then.bytes);
            assert_int_equal(now.blocks - now.blocks_kept, then.blocks - then.blocks_kept);
            assert_int_equal(now.spans - now.spans_kept, 0);
            assert_true(frame_kit_is_filled(kept, 400, before));
        }
    }
    frame_kit_leave(lane);
    frame_kit_destroy(frame);
}

static void spans_taken_before_the_mark_stay(void **state)
{
    (void)state;
    tarn_frame *frame = scratch_frame();
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    frame_kit_enter(lane);
    char *kept = tarn_frame_alloc(lane, 10000);
    frame_kit_fill(kept, 10000, 1);
    tarn_mark mark = tarn_lane_mark(lane);
    for (int round = 0; round < 3; round++) {
        char *more = tarn_frame_alloc(lane, 10000);
        assert_ptr_not_equal(more, kept);
        frame_kit_fill(more, 10000, 2);
        rewind_to(lane, mark);
        assert_int_equal(frame_kit_lane(frame, lane).spans, 2);
        assert_int_equal(frame_kit_lane(frame, lane).spans_kept, 1);
        assert_true(frame_kit_is_filled(kept, 10000, 1));
    }
    frame_kit_leave(lane);
    frame_kit_destroy(frame);
}

static void a_mark_at_the_frames_start_gives_all_back(void **state)
{
    (void)state;
    tarn_frame *frame = scratch_frame();
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    for (int number = 0; number < 3; number++) {
        frame_kit_enter(lane);
        tarn_mark mark = tarn_lane_mark(lane);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 20; i++)
                assert_non_null(tarn_frame_alloc(lane, i % 10 ? 700 : 5000));
            rewind_to(lane, mark);
            tarn_lane_statistics now = frame_kit_lane(frame, lane);
            assert_int_equal(now.bytes, 0);
            assert_int_equal(now.blocks, now.blocks_kept);
            assert_int_equal(now.spans, now.spans_kept);
            rewind_to(lane, mark); /* again: there is nothing */
        }
        frame_kit_leave(lane);
        frame_kit_end(frame);
    }
    frame_kit_destroy(frame);
}

/* A mark taken when a block was just full is in front of the next. */
static void a_mark_at_a_blocks_end_is_kept_apart_from_the_next(void **state)
{
    (void)state;
    tarn_frame *frame = scratch_frame();
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    size_t half = frame_kit_small_max(frame), red_zone = frame_kit_red_zone(frame);
    frame_kit_enter(lane);
    assert_non_null(tarn_frame_alloc(lane, half));
    size_t left = frame_kit_room(frame) - frame_kit_step(frame, half) - red_zone;
    char *last = tarn_frame_alloc(lane, left);
    frame_kit_fill(last, left, 1);
    tarn_mark mark = tarn_lane_mark(lane);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 10; i++)
            frame_kit_fill(tarn_frame_alloc(lane, half), half, 2);
        rewind_to(lane, mark);
        assert_int_equal(frame_kit_lane(frame, lane).bytes, frame_kit_room(frame));
        assert_true(frame_kit_is_filled(last, left, 1));
    }
    frame_kit_leave(lane);
    frame_kit_destroy(frame);
}

/* What is live, and at which depth of marks: the lane and the model rewind together. */
static void marks_nest_as_the_model_does(void **state)
{
    (void)state;
    enum { STEPS = 4000, PIECES = 600, DEPTH = 12 };
    static scratch_piece pieces[PIECES];
    scratch_piece sorted[PIECES];
    random_state random = random_start("test_scratch marks", 11);
    tarn_frame *frame = scratch_frame();
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    tarn_mark marks[DEPTH];
    size_t counts[DEPTH], depth = 0, count = 0;
    frame_kit_enter(lane);
    for (size_t step = 0; step < STEPS; step++) {
        uint64_t dice = random_below(&random, 10);
        if (dice == 0 && depth < DEPTH) {
            counts[depth] = count;
            marks[depth++] = tarn_lane_mark(lane);
        } else if ((dice == 1 || count == PIECES) && depth > 0) {
            depth = random_below(&random, depth); /* over several at once */
            rewind_to(lane, marks[depth]);
            count = counts[depth];
            depth += random_below(&random, 2); /* which stays good */
        } else if (count < PIECES) {
            size_t bytes = random_below(&random, (uint64_t)1 << random_below(&random, 13));
            size_t alignment = (size_t)1 << random_below(&random, 10);
            pieces[count++] = scratch_take(lane, bytes, alignment, step);
        } else {
            frame_kit_turn(frame, lane);
            count = depth = 0;
        }
        if (step % 16 == 0) {
            memcpy(sorted, pieces, count * sizeof *pieces);
            scratch_expect_apart(sorted, count);
        }
    }
    frame_kit_leave(lane);
    frame_kit_destroy(frame);
}

/* Refused, and nothing moves. */
static void expect_mark_refused(const tarn_frame *frame, tarn_lane *lane, tarn_mark mark,
                                tarn_status expected)
{
    tarn_lane_statistics before = frame_kit_lane(frame, lane), after;
    kit_expect_status(tarn_lane_rewind(lane, mark), expected);
    after = frame_kit_lane(frame, lane);
    assert_int_equal(after.bytes, before.bytes);
    assert_int_equal(after.blocks_kept, before.blocks_kept);
    assert_int_equal(after.spans_kept, before.spans_kept);
}

static void marks_of_another_lane_are_invalid(void **state)
{
    (void)state;
    tarn_frame *frame = scratch_frame();
    tarn_lane *a = frame_kit_attach(frame, "a"), *b = frame_kit_attach(frame, "b");
    frame_kit_enter(a);
    frame_kit_enter(b);
    tarn_mark mark = tarn_lane_mark(a);
    assert_non_null(tarn_frame_alloc(a, 100));
    assert_non_null(tarn_frame_alloc(b, 100));
    expect_mark_refused(frame, b, mark, TARN_ERROR_INVALID);
    frame_kit_leave(b);
    kit_expect_status(tarn_lane_rewind(b, mark), TARN_ERROR_INVALID);
    rewind_to(a, mark);
    frame_kit_leave(a);
    kit_expect_status(tarn_lane_rewind(a, mark), TARN_ERROR_OUTSIDE);
    frame_kit_destroy(frame);
}

static void marks_of_another_frame_are_stale(void **state)
{
    (void)state;
    for (uint32_t in_flight = 1; in_flight <= 3; in_flight++) {
        tarn_frame *frame = frame_kit_create((tarn_frame_options){
            .block_bytes = SCRATCH_BLOCK_BYTES, .frames_in_flight = in_flight});
        tarn_lane *lane = frame_kit_attach(frame, NULL);
        tarn_mark marks[8];
        frame_kit_enter(lane);
        for (int i = 0; i < 8; i++) {
            marks[i] = tarn_lane_mark(lane);
            char *memory = tarn_frame_alloc(lane, 1000);
            frame_kit_fill(memory, 1000, 1);
            for (int k = 0; k < i; k++)
                expect_mark_refused(frame, lane, marks[k], TARN_ERROR_STALE);
            assert_true(frame_kit_is_filled(memory, 1000, 1));
            if (i < 7)
                frame_kit_turn(frame, lane);
        }
        frame_kit_leave(lane);
        frame_kit_destroy(frame);
    }
}

static void nothing(void *unused)
{
    (void)unused;
}

/* By each thing that tells: the cursor, the block, the span, the finalizer. */
static void marks_rewound_past_are_stale(void **state)
{
    (void)state;
    tarn_frame *frame = scratch_frame();
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    for (int what = 0; what < 4; what++) {
        frame_kit_enter(lane);
        assert_non_null(tarn_frame_alloc(lane, 48));
        tarn_mark outer = tarn_lane_mark(lane);
        if (what == 0)
            assert_non_null(tarn_frame_alloc(lane, 100));
        for (int i = 0; what == 1 && i < 10; i++)
            assert_non_null(tarn_frame_alloc(lane, 1000));
        if (what == 2)
            assert_non_null(tarn_frame_alloc(lane, 10000));
        if (what == 3)
            kit_expect_status(tarn_frame_finalize(lane, nothing, NULL), TARN_OK);
        tarn_mark inner = tarn_lane_mark(lane);
        assert_non_null(tarn_frame_alloc(lane, 200));
        rewind_to(lane, inner); /* good until the outer one is rewound to */
        rewind_to(lane, outer);
        expect_mark_refused(frame, lane, inner, TARN_ERROR_STALE);
        rewind_to(lane, outer);
        frame_kit_leave(lane);
        frame_kit_end(frame);
    }
    frame_kit_destroy(frame);
}

static void count_run(void *runs)
{
    ++*(int *)runs;
}

/* Though the lane has allocated over their place again. */
static void marks_behind_what_is_gone_stay_stale(void **state)
{
    (void)state;
    tarn_frame *frame = scratch_frame();
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    for (int is_span = 0; is_span < 2; is_span++) {
        int outer_runs = 0, inner_runs = 0;
        frame_kit_enter(lane);
        kit_expect_status(tarn_frame_finalize(lane, count_run, &outer_runs), TARN_OK);
        tarn_mark outer = tarn_lane_mark(lane);
        if (is_span)
            assert_non_null(tarn_frame_alloc(lane, 10000));
        else
            kit_expect_status(tarn_frame_finalize(lane, count_run, &inner_runs), TARN_OK);
        tarn_mark inner = tarn_lane_mark(lane);
        rewind_to(lane, outer);
        char *over = tarn_frame_alloc(lane, 300);
        frame_kit_fill(over, 300, 1);
        expect_mark_refused(frame, lane, inner, TARN_ERROR_STALE);
        assert_true(frame_kit_is_filled(over, 300, 1));
        assert_int_equal(outer_runs, 0);
        assert_int_equal(inner_runs, !is_span);
        frame_kit_leave(lane);
        frame_kit_end(frame);
        assert_int_equal(outer_runs, 1);
    }
    frame_kit_destroy(frame);
}

static void a_mark_from_outside_rewinds_nothing(void **state)
{
    (void)state;
    tarn_frame *frame = scratch_frame();
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    tarn_mark none = tarn_lane_mark(lane);
    frame_kit_enter(lane);
    char *memory = tarn_frame_alloc(lane, 100);
    expect_mark_refused(frame, lane, none, TARN_OK);
    char *next = tarn_frame_alloc(lane, 100);
    assert_int_equal(next - memory, frame_kit_step(frame, 100));
    frame_kit_leave(lane);
    frame_kit_destroy(frame);
}

/* J20: a job that helps while it waits runs another job on the same lane. */
static void j20_scratch_nests_in_a_helping_wait(void **state)
{
    (void)state;
    enum { JOBS = 20 };
    tarn_frame *frame = scratch_frame();
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    tarn_mark marks[JOBS];
    scratch_piece pieces[JOBS];
    for (size_t i = 0; i < JOBS; i++) {
        frame_kit_enter(lane);
        marks[i] = tarn_lane_mark(lane);
        pieces[i] = scratch_take(lane, 300 * i, 16, i);
    }
    for (size_t i = JOBS; i-- > 0;) {
        assert_true(frame_kit_is_filled(pieces[i].start, pieces[i].bytes, i));
        rewind_to(lane, marks[i]);
        frame_kit_leave(lane);
    }
    assert_int_equal(frame_kit_lane(frame, lane).bytes, 0);
    frame_kit_end(frame);
    frame_kit_destroy(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rewind_gives_back_what_came_since_the_mark),
        cmocka_unit_test(spans_taken_before_the_mark_stay),
        cmocka_unit_test(a_mark_at_the_frames_start_gives_all_back),
        cmocka_unit_test(a_mark_at_a_blocks_end_is_kept_apart_from_the_next),
        cmocka_unit_test(marks_nest_as_the_model_does),
        cmocka_unit_test(marks_of_another_lane_are_invalid),
        cmocka_unit_test(marks_of_another_frame_are_stale),
        cmocka_unit_test(marks_rewound_past_are_stale),
        cmocka_unit_test(marks_behind_what_is_gone_stay_stale),
        cmocka_unit_test(a_mark_from_outside_rewinds_nothing),
        cmocka_unit_test(j20_scratch_nests_in_a_helping_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
