/* The numbers of frames, and references that carry them. */
#include "support/frame_kit.h"

#include "frame/gate.h"

#define NUMBER_BITS (64 - TARN_GATE_SHIFT)
#define NUMBER_MAX  (((uint64_t)1 << NUMBER_BITS) - 1)

static void frames_are_numbered_from_one(void **state)
{
    (void)state;
    tarn_frame *frame = frame_kit_create((tarn_frame_options){.frames_in_flight = 3});
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    for (uint64_t number = 1; number < 20; number++) {
        assert_int_equal(tarn_frame_number(frame), number);
        assert_int_equal(frame_kit_sample(frame).frame, number);
        assert_int_equal(frame_kit_sample(frame).completed, number > 3 ? number - 3 : 0);
        frame_kit_enter(lane);
        assert_int_equal(lane->frame, number);
        frame_kit_leave(lane);
        if (number % 3 == 0)
            kit_expect_status(tarn_frame_close(frame, 0, NULL), TARN_OK);
        assert_int_equal(tarn_frame_number(frame), number);
        frame_kit_end(frame);
    }
    frame_kit_destroy(frame);
}

static void completion_is_a_number_that_only_grows(void **state)
{
    (void)state;
    tarn_frame *frame =
        frame_kit_create((tarn_frame_options){.frames_in_flight = 8, .gated = true});
    kit_expect_status(tarn_frame_complete(frame, 1), TARN_ERROR_INVALID);
    kit_expect_status(tarn_frame_complete(frame, UINT64_MAX), TARN_ERROR_INVALID);
    kit_expect_status(tarn_frame_complete(frame, 0), TARN_OK);
    for (int i = 0; i < 5; i++)
        frame_kit_end(frame);
    kit_expect_status(tarn_frame_complete(frame, 3), TARN_OK);
    assert_int_equal(frame_kit_sample(frame).completed, 3);
    kit_expect_status(tarn_frame_complete(frame, 1), TARN_OK);
    assert_int_equal(frame_kit_sample(frame).completed, 3);
    kit_expect_status(tarn_frame_complete(frame, 6), TARN_ERROR_INVALID); /* the open one */
    kit_expect_status(tarn_frame_complete(frame, 7), TARN_ERROR_INVALID);
    assert_int_equal(frame_kit_sample(frame).completed, 3);
    kit_expect_status(tarn_frame_complete(frame, 5), TARN_OK);
    assert_int_equal(frame_kit_sample(frame).completed, 5);
    frame_kit_destroy(frame);
}

/* References to the last frames, by number, of which those in flight are live. */
static void expect_live(const tarn_frame *frame, const tarn_frame_ref *refs, uint64_t first,
                        uint64_t open, uint32_t in_flight)
{
    for (uint64_t number = first; number <= open; number++) {
        const tarn_frame_ref *ref = &refs[number - first];
        bool is_live = number + in_flight > open;
        assert_int_equal(ref->frame, number);
        assert_ptr_equal(tarn_frame_resolve(frame, *ref), is_live ? ref->address : NULL);
    }
}

static void open_at(tarn_frame *frame, uint64_t number)
{
    tarn_u64_store_relaxed(&frame->gate, number << TARN_GATE_SHIFT);
}

/* T65, from a frame with this number on. */
static void expect_refs_stale_when_dropped(uint64_t first, uint32_t in_flight)
{
    enum { FRAMES = 19 };
    tarn_frame_ref refs[FRAMES];
    tarn_frame *frame = frame_kit_create((tarn_frame_options){.frames_in_flight = in_flight});
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    open_at(frame, first);
    for (uint64_t i = 0; i < FRAMES; i++) {
        frame_kit_enter(lane);
        refs[i] = tarn_frame_ref_of(frame, tarn_frame_alloc(lane, 16));
        expect_live(frame, refs, first, first + i, in_flight);
        frame_kit_leave(lane);
        expect_live(frame, refs, first, first + i, in_flight);
        frame_kit_end(frame);
    }
    frame_kit_destroy(frame);
}

static void t65_references_go_stale_with_their_frame(void **state)
{
    (void)state;
    for (uint32_t in_flight = 1; in_flight <= TARN_FRAMES_IN_FLIGHT_MAX; in_flight++) {
        expect_refs_stale_when_dropped(1, in_flight);
        expect_refs_stale_when_dropped(((uint64_t)1 << 32) - 5, in_flight);
        expect_refs_stale_when_dropped(NUMBER_MAX - 23, in_flight);
    }
}

static void t65_numbers_that_share_their_low_bits_are_told_apart(void **state)
{
    (void)state;
    tarn_frame *frame = frame_kit_create((tarn_frame_options){0});
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    frame_kit_enter(lane);
    tarn_frame_ref old = tarn_frame_ref_of(frame, tarn_frame_alloc(lane, 16));
    frame_kit_leave(lane);
    for (uint32_t bit = 1; bit < NUMBER_BITS; bit++) {
        open_at(frame, old.frame + ((uint64_t)1 << bit));
        frame_kit_enter(lane);
        tarn_frame_ref now = tarn_frame_ref_of(frame, tarn_frame_alloc(lane, 16));
        assert_null(tarn_frame_resolve(frame, old));
        assert_ptr_equal(tarn_frame_resolve(frame, now), now.address);
        frame_kit_leave(lane);
    }
    frame_kit_destroy(frame);
}

static void references_to_nothing_are_never_valid(void **state)
{
    (void)state;
    char memory;
    tarn_frame *frame = frame_kit_create((tarn_frame_options){.frames_in_flight = 2});
    frame_kit_end(frame);
    assert_int_equal(tarn_frame_ref_of(frame, NULL).frame, 0);
    assert_int_equal(tarn_frame_ref_of(NULL, &memory).frame, 0);
    assert_null(tarn_frame_ref_of(NULL, &memory).address);
    assert_null(tarn_frame_resolve(frame, (tarn_frame_ref){&memory, 0}));
    assert_null(tarn_frame_resolve(frame, (tarn_frame_ref){&memory, 3})); /* still to come */
    assert_null(tarn_frame_resolve(frame, (tarn_frame_ref){&memory, UINT64_MAX}));
    assert_null(tarn_frame_resolve(NULL, (tarn_frame_ref){&memory, 1}));
    assert_ptr_equal(tarn_frame_resolve(frame, (tarn_frame_ref){&memory, 1}), &memory);
    frame_kit_destroy(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_are_numbered_from_one),
        cmocka_unit_test(completion_is_a_number_that_only_grows),
        cmocka_unit_test(t65_references_go_stale_with_their_frame),
        cmocka_unit_test(t65_numbers_that_share_their_low_bits_are_told_apart),
        cmocka_unit_test(references_to_nothing_are_never_valid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
