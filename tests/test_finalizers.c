/* T66: finalizers run once, of one lane last first, when their memory is about to go: at a rewind,
 * when their frame is dropped, or at destruction. */
#include "support/frame_kit.h"

enum { RUNS_MAX = 20000, BLOCK = 4096 };

/* The numbers of what was finalized, in order. */
static struct {
    uint64_t numbers[RUNS_MAX];
    size_t count;
} runs;

/* In frame memory, so that it also shows that the memory is still there. */
typedef struct subject {
    uint64_t number;
    char content[200];
} subject;

static void finalize(void *object)
{
    const subject *s = object;
    assert_true(runs.count < RUNS_MAX);
    assert_true(frame_kit_is_filled(s->content, sizeof s->content, s->number));
    runs.numbers[runs.count++] = s->number;
}

static void add(tarn_lane *lane, uint64_t number)
{
    subject *s = tarn_frame_alloc(lane, sizeof *s);
    assert_non_null(s);
    s->number = number;
    frame_kit_fill(s->content, sizeof s->content, number);
    kit_expect_status(tarn_frame_finalize(lane, finalize, s), TARN_OK);
}

/* From `last` down to `first`, since the log was last empty; empties it. */
static void expect_runs(uint64_t last, uint64_t first)
{
    assert_int_equal(runs.count, last + 1 - first);
    for (size_t i = 0; i < runs.count; i++)
        assert_int_equal(runs.numbers[i], last - i);
    runs.count = 0;
}

static void expect_no_runs(void)
{
    assert_int_equal(runs.count, 0);
}

static tarn_frame *create(uint32_t in_flight)
{
    runs.count = 0;
    return frame_kit_create(
        (tarn_frame_options){.block_bytes = BLOCK, .frames_in_flight = in_flight});
}

/* ---- when a frame is dropped ---- */

static void t66_they_run_in_reverse_when_their_frame_is_dropped(void **state)
{
    (void)state;
    enum { FRAMES = 20 };
    for (uint32_t in_flight = 1; in_flight <= TARN_FRAMES_IN_FLIGHT_MAX; in_flight++) {
        tarn_frame *frame = create(in_flight);
        tarn_lane *lane = frame_kit_attach(frame, NULL);
        for (uint64_t number = 1; number <= FRAMES; number++) {
            uint64_t count = number % 5 * 20; /* some frames have none, some fill blocks */
            frame_kit_enter(lane);
            for (uint64_t i = 0; i < count; i++)
                add(lane, number * 1000 + i);
            frame_kit_leave(lane);
            expect_no_runs();
            frame_kit_end(frame);
            uint64_t dropped = number >= in_flight ? number + 1 - in_flight : 0;
            if (dropped > 0 && dropped % 5 > 0)
                expect_runs(dropped * 1000 + dropped % 5 * 20 - 1, dropped * 1000);
            expect_no_runs();
        }
        frame_kit_destroy(frame);
    }
}

static void each_lanes_run_in_its_own_reverse(void **state)
{
    (void)state;
    enum { LANES = 6, EACH = 30 };
    tarn_frame *frame = create(2);
    tarn_lane *lanes[LANES];
    for (uint64_t i = 0; i < LANES; i++)
        lanes[i] = frame_kit_attach(frame, NULL);
    for (int round = 0; round < 4; round++) {
        uint64_t next[LANES];
        for (uint64_t k = 0; k < EACH; k++)
            for (uint64_t i = 0; i < LANES; i++) {
                frame_kit_enter(lanes[i]);
                add(lanes[i], i * 100 + k);
                frame_kit_leave(lanes[i]);
            }
        frame_kit_end(frame);
        expect_no_runs();
        frame_kit_end(frame); /* of an empty frame, which drops the full one */
        assert_int_equal(runs.count, LANES * EACH);
        for (uint64_t i = 0; i < LANES; i++)
            next[i] = EACH;
        for (size_t i = 0; i < runs.count; i++) {
            uint64_t lane = runs.numbers[i] / 100;
            assert_int_equal(runs.numbers[i] % 100, --next[lane]);
        }
        runs.count = 0;
    }
    frame_kit_destroy(frame);
}

/* Lanes that stay away, are detached, or go on with the next frame meanwhile. */
static void they_run_whatever_becomes_of_their_lane(void **state)
{
    (void)state;
    tarn_frame *frame = create(3);
    tarn_lane *lanes[3];
    for (uint64_t i = 0; i < 3; i++) {
        lanes[i] = frame_kit_attach(frame, NULL);
        frame_kit_enter(lanes[i]);
        for (uint64_t k = 0; k < 40; k++)
            add(lanes[i], 1000 + k);
        if (i != 1)
            frame_kit_leave(lanes[i]);
    }
    kit_expect_status(tarn_lane_detach(lanes[1]), TARN_OK); /* from inside */
    kit_expect_status(tarn_frame_trim(frame, NULL), TARN_OK);
    frame_kit_end(frame);
    frame_kit_enter(lanes[2]);
    add(lanes[2], 5);
    frame_kit_leave(lanes[2]);
    frame_kit_end(frame);
    expect_no_runs();
    frame_kit_end(frame);
    assert_int_equal(runs.count, 3 * 40);
    for (size_t i = 0; i < runs.count; i++)
        assert_int_equal(runs.numbers[i], 1039 - i % 40);
    runs.count = 0;
    frame_kit_end(frame);
    expect_runs(5, 5);
    frame_kit_destroy(frame);
    expect_no_runs();
}

static void a_refused_end_runs_none(void **state)
{
    (void)state;
    tarn_frame *frame = create(1);
    tarn_lane *lane = frame_kit_attach(frame, NULL), *late = frame_kit_attach(frame, NULL);
    frame_kit_enter(lane);
    add(lane, 1);
    frame_kit_leave(lane);
    frame_kit_enter(late);
    kit_expect_status(tarn_frame_end(frame, 0, NULL), TARN_ERROR_LATE);
    kit_expect_status(tarn_frame_destroy(frame), TARN_ERROR_LATE);
    expect_no_runs();
    frame_kit_leave(late);
    kit_expect_status(tarn_frame_close(frame, 0, NULL), TARN_OK);
    expect_no_runs();
    frame_kit_end(frame);
    expect_runs(1, 1);
    frame_kit_destroy(frame);
}

static uint32_t thread_of_run;

static void note_thread(void *object)
{
    (void)object;
    thread_of_run++;
}

static int end_elsewhere(void *frame)
{
    uint32_t before = thread_of_run;
    int failures = 0;
    KIT_EXPECT(&failures, tarn_frame_end(frame, 0, NULL) == TARN_OK);
    KIT_EXPECT(&failures, thread_of_run == before + 1); /* plain: on this thread, by now */
    return failures;
}

static void they_run_on_the_thread_that_ends_the_frame(void **state)
{
    (void)state;
    tarn_frame *frame = create(1);
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    for (int round = 0; round < 3; round++) {
        frame_kit_enter(lane);
        kit_expect_status(tarn_frame_finalize(lane, note_thread, NULL), TARN_OK);
        frame_kit_leave(lane);
        kit_run_thread(end_elsewhere, frame);
    }
    frame_kit_destroy(frame);
    assert_int_equal(thread_of_run, 3);
}

/* ---- at a rewind ---- */

static void t66_a_rewind_runs_those_since_the_mark(void **state)
{
    (void)state;
    enum { BEFORE = 25, SINCE = 45 };
    tarn_frame *frame = create(2);
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    for (uint64_t number = 1; number <= 6; number++) {
        frame_kit_enter(lane);
        for (uint64_t i = 0; i < BEFORE; i++)
            add(lane, number * 1000 + i);
        tarn_mark mark = tarn_lane_mark(lane);
        for (int round = 0; round < 3; round++) {
            for (uint64_t i = 0; i < SINCE; i++)
                add(lane, 500 + i);
            expect_no_runs();
            kit_expect_status(tarn_lane_rewind(lane, mark), TARN_OK);
            expect_runs(500 + SINCE - 1, 500);
            kit_expect_status(tarn_lane_rewind(lane, mark), TARN_OK);
            expect_no_runs();
        }
        frame_kit_leave(lane);
        frame_kit_end(frame);
        if (number > 1)
            expect_runs((number - 1) * 1000 + BEFORE - 1, (number - 1) * 1000);
    }
    frame_kit_destroy(frame);
    expect_runs(6000 + BEFORE - 1, 6000); /* the one in flight; the open one is empty */
}

static void nested_rewinds_run_each_once(void **state)
{
    (void)state;
    enum { DEPTH = 10, EACH = 7 };
    tarn_frame *frame = create(1);
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    tarn_mark marks[DEPTH];
    for (int step = 1; step <= 3; step++) { /* levels that are left at once */
        frame_kit_enter(lane);
        for (uint64_t depth = 0; depth < DEPTH; depth++) {
            marks[depth] = tarn_lane_mark(lane);
            for (uint64_t i = 0; i < EACH; i++)
                add(lane, depth * EACH + i);
        }
        uint64_t left = DEPTH;
        while (left > (uint64_t)step) {
            kit_expect_status(tarn_lane_rewind(lane, marks[left - (uint64_t)step]), TARN_OK);
            expect_runs(left * EACH - 1, (left - (uint64_t)step) * EACH);
            left -= (uint64_t)step;
        }
        frame_kit_leave(lane);
        frame_kit_end(frame);
        expect_runs(left * EACH - 1, 0);
    }
    frame_kit_destroy(frame);
    expect_no_runs();
}

/* All are gone by a rewind, then there are new ones, or none. */
static void a_lane_emptied_by_a_rewind_is_finalized_as_any(void **state)
{
    (void)state;
    tarn_frame *frame = create(1);
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    for (uint64_t round = 0; round < 4; round++) {
        frame_kit_enter(lane);
        tarn_mark mark = tarn_lane_mark(lane);
        add(lane, 1);
        kit_expect_status(tarn_lane_rewind(lane, mark), TARN_OK);
        expect_runs(1, 1);
        if (round % 2)
            add(lane, 2);
        frame_kit_leave(lane);
        frame_kit_end(frame);
        if (round % 2)
            expect_runs(2, 2);
        expect_no_runs();
    }
    frame_kit_destroy(frame);
}

static void a_refused_rewind_runs_none(void **state)
{
    (void)state;
    tarn_frame *frame = create(2);
    tarn_lane *lane = frame_kit_attach(frame, NULL), *other = frame_kit_attach(frame, NULL);
    frame_kit_enter(lane);
    frame_kit_enter(other);
    tarn_mark old = tarn_lane_mark(lane);
    add(lane, 1);
    kit_expect_status(tarn_lane_rewind(other, old), TARN_ERROR_INVALID);
    frame_kit_leave(other);
    frame_kit_turn(frame, lane);
    add(lane, 2);
    kit_expect_status(tarn_lane_rewind(lane, old), TARN_ERROR_STALE);
    frame_kit_leave(lane);
    kit_expect_status(tarn_lane_rewind(lane, old), TARN_ERROR_OUTSIDE);
    expect_no_runs();
    frame_kit_destroy(frame);
    expect_runs(2, 1);
}

/* ---- at destruction ---- */

static void t66_destruction_runs_all_newest_frame_first(void **state)
{
    (void)state;
    for (uint32_t in_flight = 1; in_flight <= TARN_FRAMES_IN_FLIGHT_MAX; in_flight++)
        for (int gated = 0; gated < 2; gated++) {
            runs.count = 0;
            tarn_frame *frame = frame_kit_create((tarn_frame_options){
                .block_bytes = BLOCK, .frames_in_flight = in_flight, .gated = gated});
            tarn_lane *lane = frame_kit_attach(frame, NULL);
            for (uint64_t number = 1; number <= in_flight; number++) {
                frame_kit_enter(lane);
                for (uint64_t i = 0; i < 30; i++)
                    add(lane, number * 30 + i);
                frame_kit_leave(lane);
                if (number < in_flight)
                    frame_kit_end(frame);
            }
            expect_no_runs();
            frame_kit_destroy(frame); /* which waits for no completion */
            expect_runs((uint64_t)in_flight * 30 + 29, 30);
        }
}

/* ---- refusals ---- */

static void faulty_calls_register_nothing(void **state)
{
    (void)state;
    tarn_frame *frame = create(1);
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    subject s = {0};
    kit_expect_status(tarn_frame_finalize(lane, finalize, &s), TARN_ERROR_OUTSIDE);
    kit_expect_status(tarn_frame_finalize(NULL, finalize, &s), TARN_ERROR_INVALID);
    frame_kit_enter(lane);
    kit_expect_status(tarn_frame_finalize(lane, NULL, &s), TARN_ERROR_INVALID);
    assert_int_equal(frame_kit_lane(frame, lane).bytes, 0);
    frame_kit_leave(lane);
    kit_expect_status(tarn_frame_finalize(lane, finalize, &s), TARN_ERROR_OUTSIDE);
    frame_kit_end(frame);
    frame_kit_destroy(frame);
    expect_no_runs();
}

static void without_memory_for_the_record_it_is_refused(void **state)
{
    (void)state;
    runs.count = 0;
    tarn_frame *frame = frame_kit_create(
        (tarn_frame_options){.block_bytes = BLOCK, .memory_bytes_max = 2 * BLOCK, .lanes_max = 1});
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    static subject s;
    for (int round = 0; round < 3; round++) {
        uint64_t taken = 0;
        frame_kit_enter(lane);
        s.number = 1;
        frame_kit_fill(s.content, sizeof s.content, 1);
        while (tarn_frame_finalize(lane, finalize, &s) == TARN_OK)
            taken++;
        assert_true(taken >= 80);
        kit_expect_status(tarn_frame_finalize(lane, finalize, &s), TARN_ERROR_FULL);
        frame_kit_leave(lane);
        frame_kit_end(frame);
        assert_int_equal(runs.count, taken);
        runs.count = 0;
    }
    assert_int_equal(frame_kit_sample(frame).overflows_full, 6);
    frame_kit_destroy(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t66_they_run_in_reverse_when_their_frame_is_dropped),
        cmocka_unit_test(each_lanes_run_in_its_own_reverse),
        cmocka_unit_test(they_run_whatever_becomes_of_their_lane),
        cmocka_unit_test(a_refused_end_runs_none),
        cmocka_unit_test(they_run_on_the_thread_that_ends_the_frame),
        cmocka_unit_test(t66_a_rewind_runs_those_since_the_mark),
        cmocka_unit_test(nested_rewinds_run_each_once),
        cmocka_unit_test(a_lane_emptied_by_a_rewind_is_finalized_as_any),
        cmocka_unit_test(a_refused_rewind_runs_none),
        cmocka_unit_test(t66_destruction_runs_all_newest_frame_first),
        cmocka_unit_test(faulty_calls_register_nothing),
        cmocka_unit_test(without_memory_for_the_record_it_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
