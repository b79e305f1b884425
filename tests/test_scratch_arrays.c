/* Arrays and strings of a frame. */
#include "support/scratch_kit.h"

#include <wchar.h>

/* ---- arrays ---- */

typedef struct wide {
    _Alignas(128) char bytes[128];
} wide;

static void arrays_are_aligned_for_their_type(void **state)
{
    (void)state;
    tarn_frame *frame = scratch_frame();
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    frame_kit_enter(lane);
    for (size_t count = 0; count < 40; count++) {
        char *bytes = tarn_frame_array(lane, char, count);
        double *numbers = tarn_frame_array(lane, double, count);
        wide *lines = tarn_frame_array(lane, wide, count);
        assert_non_null(bytes);
        assert_int_equal((uintptr_t)numbers % _Alignof(double), 0);
        assert_int_equal((uintptr_t)lines % 128, 0);
        frame_kit_fill(bytes, count, 1);
        frame_kit_fill(numbers, count * sizeof *numbers, 2);
        frame_kit_fill(lines, count * sizeof *lines, 3);
        assert_true(frame_kit_is_filled(bytes, count, 1));
        assert_true(frame_kit_is_filled(numbers, count * sizeof *numbers, 2));
    }
    frame_kit_leave(lane);
    frame_kit_destroy(frame);
}

static void arrays_whose_size_overflows_are_refused(void **state)
{
    (void)state;
    tarn_frame *frame = scratch_frame();
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    frame_kit_enter(lane);
    uint64_t refused = 0;
    for (size_t extra = 0; extra < 4; extra++) {
        assert_null(tarn_frame_array(lane, uint32_t, SIZE_MAX / 4 + 1 + extra)); /* 4 * extra */
        assert_null(tarn_frame_array(lane, wide, SIZE_MAX / 128 + 1 + extra));
        assert_null(tarn_frame_array(lane, uint64_t, SIZE_MAX - extra));
        assert_null(tarn_frame_array(lane, char, SIZE_MAX - extra));
        refused += 4;
        assert_int_equal(frame_kit_lane(frame, lane).overflows_too_large, refused);
    }
    assert_int_equal(frame_kit_lane(frame, lane).bytes, 0);
    frame_kit_leave(lane);
    frame_kit_destroy(frame);
}

/* ---- strings ---- */

static void strings_are_formatted_at_any_length(void **state)
{
    (void)state;
    static char expected[3 * SCRATCH_BLOCK_BYTES];
    tarn_frame *frame = scratch_frame();
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    frame_kit_enter(lane);
    assert_string_equal(tarn_frame_printf(lane, "save/%s-%03d.bin", "slot", 7),
                        "save/slot-007.bin");
    assert_string_equal(tarn_frame_printf(lane, "%s", ""), "");
    memset(expected, 'x', sizeof expected);
    for (int length = 0; length < 2 * SCRATCH_BLOCK_BYTES; length += 1 + length / 40) {
        char *text = tarn_frame_printf(lane, "%.*s", length, expected);
        char *next = tarn_frame_alloc(lane, 1);
        *next = 'y'; /* right behind the closing zero or elsewhere */
        assert_int_equal(strlen(text), length);
        assert_memory_equal(text, expected, (size_t)length);
    }
    frame_kit_leave(lane);
    frame_kit_destroy(frame);
}

static char *print_by_list(tarn_lane *lane, const char *format, ...) TARN_PRINTF_(2, 3);

static char *print_by_list(tarn_lane *lane, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = tarn_frame_vprintf(lane, format, arguments);
    va_end(arguments);
    return text;
}

static void strings_take_their_arguments_as_a_list_too(void **state)
{
    (void)state;
    tarn_frame *frame = scratch_frame();
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    frame_kit_enter(lane);
    assert_string_equal(print_by_list(lane, "%d %s %.2f", -5, "and", 0.25), "-5 and 0.25");
    frame_kit_leave(lane);
    frame_kit_destroy(frame);
}

static void faulty_formats_are_refused(void **state)
{
    (void)state;
    static const wchar_t no_character[] = {0xD800, 0};
    const char *volatile none = NULL;
    tarn_frame *frame = scratch_frame();
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    frame_kit_enter(lane);
    assert_null(print_by_list(lane, none, 1));
    assert_null(print_by_list(NULL, "%d", 1));
    assert_null(tarn_frame_printf(lane, "%ls", no_character));
    assert_int_equal(frame_kit_lane(frame, lane).bytes, 0);
    frame_kit_leave(lane);
    frame_kit_destroy(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_aligned_for_their_type),
        cmocka_unit_test(arrays_whose_size_overflows_are_refused),
        cmocka_unit_test(strings_are_formatted_at_any_length),
        cmocka_unit_test(strings_take_their_arguments_as_a_list_too),
        cmocka_unit_test(faulty_formats_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
