/* J17: with `gated`, a frame is dropped only when the host has said that it is complete. */
#include "support/frame_kit.h"

#define LONG_NS ((uint64_t)60 * 1000 * 1000 * 1000)

/* J17: with N in flight, N - 1 ends go ahead of the host's reads, and no more. */
static void j17_a_frame_ends_only_when_its_memory_may_go(void **state)
{
    (void)state;
    enum { FRAMES = 24 };
    for (uint32_t in_flight = 2; in_flight <= TARN_FRAMES_IN_FLIGHT_MAX; in_flight++) {
        tarn_frame *frame =
            frame_kit_create((tarn_frame_options){.frames_in_flight = in_flight, .gated = true});
        tarn_lane *lane = frame_kit_attach(frame, NULL);
        char *memory[FRAMES];
        tarn_late late;
        for (uint64_t number = 1; number < FRAMES; number++) {
            uint64_t oldest = number >= in_flight ? number - in_flight + 1 : 0; /* to be dropped */
            frame_kit_enter(lane);
            memory[number] = tarn_frame_alloc(lane, 64);
            frame_kit_fill(memory[number], 64, number);
            frame_kit_leave(lane);
            if (oldest > 0) {
                kit_expect_status(tarn_frame_end(frame, 0, &late), TARN_ERROR_IN_FLIGHT);
                frame_kit_expect_nobody_late(&late);
                kit_expect_status(tarn_frame_end(frame, 1000, &late), TARN_ERROR_IN_FLIGHT);
                assert_int_equal(tarn_frame_number(frame), number);
                assert_true(frame_kit_is_filled(memory[oldest], 64, oldest));
                kit_expect_status(tarn_frame_complete(frame, oldest - 1), TARN_OK);
                kit_expect_status(tarn_frame_end(frame, 0, &late), TARN_ERROR_IN_FLIGHT);
                kit_expect_status(tarn_frame_complete(frame, oldest), TARN_OK);
            }
            frame_kit_end(frame);
            assert_int_equal(tarn_frame_number(frame), number + 1);
        }
        assert_int_equal(frame_kit_sample(frame).late_refusals, 0);
        frame_kit_destroy(frame);
    }
}

static void j17_completion_of_several_lets_as_many_end(void **state)
{
    (void)state;
    tarn_frame *frame =
        frame_kit_create((tarn_frame_options){.frames_in_flight = 4, .gated = true});
    for (int i = 0; i < 3; i++)
        frame_kit_end(frame);
    kit_expect_status(tarn_frame_end(frame, 0, NULL), TARN_ERROR_IN_FLIGHT);
    kit_expect_status(tarn_frame_complete(frame, 3), TARN_OK);
    for (int i = 0; i < 3; i++)
        frame_kit_end(frame);
    kit_expect_status(tarn_frame_end(frame, 0, NULL), TARN_ERROR_IN_FLIGHT);
    assert_int_equal(tarn_frame_number(frame), 7);
    kit_expect_status(tarn_frame_close(frame, 0, NULL), TARN_OK); /* needs no completion */
    kit_expect_status(tarn_frame_end(frame, 0, NULL), TARN_ERROR_IN_FLIGHT);
    kit_expect_status(tarn_frame_complete(frame, 4), TARN_OK);
    frame_kit_end(frame);
    frame_kit_destroy(frame);
}

static void what_is_not_gated_needs_no_completion(void **state)
{
    (void)state;
    tarn_frame *frame = frame_kit_create((tarn_frame_options){.frames_in_flight = 2});
    for (int i = 0; i < 10; i++)
        frame_kit_end(frame);
    frame_kit_destroy(frame);
}

static void a_late_lane_comes_before_completion(void **state)
{
    (void)state;
    tarn_frame *frame =
        frame_kit_create((tarn_frame_options){.frames_in_flight = 2, .gated = true});
    tarn_lane *lane = frame_kit_attach(frame, "late");
    tarn_late late;
    frame_kit_end(frame);
    frame_kit_enter(lane);
    kit_expect_status(tarn_frame_end(frame, 0, &late), TARN_ERROR_LATE);
    frame_kit_expect_late(&late, 1, lane, "late");
    frame_kit_leave(lane);
    kit_expect_status(tarn_frame_end(frame, 0, &late), TARN_ERROR_IN_FLIGHT);
    assert_int_equal(frame_kit_sample(frame).late_refusals, 1);
    frame_kit_destroy(frame); /* destruction asks nobody */
}

typedef struct device {
    tarn_frame *frame;
    atomic_uint step;
    uint64_t read; /* frames that it has read, written before it says so */
    uint32_t rounds;
} device;

static int read_frames(void *argument)
{
    device *d = argument;
    int failures = 0;
    for (unsigned round = 1; round <= d->rounds; round++) {
        kit_await(&d->step, round);
        frame_kit_yield_often();
        d->read++;
        KIT_EXPECT(&failures, tarn_frame_complete(d->frame, round) == TARN_OK);
    }
    return failures;
}

static void j17_end_waits_for_completion(void **state)
{
    (void)state;
    enum { ROUNDS = 20 };
    tarn_frame *frame =
        frame_kit_create((tarn_frame_options){.frames_in_flight = 2, .gated = true});
    device d = {frame, 0, 0, ROUNDS};
    tarn_thread thread;
    tarn_late late;
    assert_true(tarn_thread_create(&thread, read_frames, &d));
    frame_kit_end(frame);
    for (unsigned round = 1; round <= ROUNDS; round++) {
        kit_raise(&d.step, round);
        kit_expect_status(tarn_frame_end(frame, LONG_NS, &late), TARN_OK);
        assert_int_equal(d.read, round);
    }
    assert_int_equal(tarn_thread_join(thread), 0);
    frame_kit_destroy(frame);
}

/* With one in flight what is read is the frame that is closed. */
static void j17_a_closed_frame_can_be_complete(void **state)
{
    (void)state;
    tarn_frame *frame = frame_kit_create((tarn_frame_options){.gated = true});
    for (uint64_t number = 1; number < 5; number++) {
        kit_expect_status(tarn_frame_complete(frame, number), TARN_ERROR_INVALID);
        kit_expect_status(tarn_frame_end(frame, 0, NULL), TARN_ERROR_IN_FLIGHT);
        kit_expect_status(tarn_frame_close(frame, 0, NULL), TARN_OK);
        kit_expect_status(tarn_frame_end(frame, 0, NULL), TARN_ERROR_IN_FLIGHT);
        kit_expect_status(tarn_frame_complete(frame, number + 1), TARN_ERROR_INVALID);
        kit_expect_status(tarn_frame_complete(frame, number), TARN_OK);
        frame_kit_end(frame);
    }
    frame_kit_destroy(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(j17_a_frame_ends_only_when_its_memory_may_go),
        cmocka_unit_test(j17_completion_of_several_lets_as_many_end),
        cmocka_unit_test(what_is_not_gated_needs_no_completion),
        cmocka_unit_test(a_late_lane_comes_before_completion),
        cmocka_unit_test(j17_end_waits_for_completion),
        cmocka_unit_test(j17_a_closed_frame_can_be_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
