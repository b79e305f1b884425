/* Frames and lanes as the host first meets them: creation, options, refusals, lanes. */
#include "support/frame_kit.h"
#include "support/memory_hooks.h"
#include "support/misuse.h"

#include <stdio.h>

static memory_hooks hooks;

static void expect_hooks_balanced(void)
{
    assert_null(hooks.violation);
    assert_true(memory_hooks_are_balanced(&hooks));
    memory_hooks_destroy(&hooks);
}

/* ---- options ---- */

static void nothing_set_means_the_defaults(void **state)
{
    (void)state;
    enum { LANES = 64 };
    tarn_frame *frame = frame_kit_create((tarn_frame_options){0});
    tarn_lane *lanes[LANES], *one_more = (tarn_lane *)(void *)frame;
    for (int i = 0; i < LANES; i++)
        lanes[i] = frame_kit_attach(frame, NULL);
    kit_expect_status(tarn_lane_attach(frame, NULL, &one_more), TARN_ERROR_NO_LANE);
    assert_null(one_more);
    assert_int_equal(frame_kit_sample(frame).lanes, LANES);
    assert_string_equal(frame_kit_lane(frame, lanes[63]).label, "lane");

    frame_kit_enter(lanes[0]);
    assert_non_null(tarn_frame_alloc(lanes[0], 1));
    assert_int_equal(frame_kit_sample(frame).held_bytes, 64 << 10);
    assert_null(tarn_frame_alloc(lanes[0], ((size_t)1 << 30) + 1));
    assert_int_equal(frame_kit_sample(frame).overflows_too_large, 1);
    assert_int_equal(frame_kit_sample(frame).overflows_full, 0);
    frame_kit_leave(lanes[0]);

    kit_expect_status(tarn_frame_end(frame, 0, NULL), TARN_OK); /* not gated, one in flight */
    assert_int_equal(frame_kit_sample(frame).completed, 1);
    frame_kit_destroy(frame);
}

static tarn_frame_options valid(void)
{
    return (tarn_frame_options){.block_bytes = 8192,
                                .memory_bytes_max = 1 << 20,
                                .lanes_max = 3,
                                .frames_in_flight = 2,
                                .memory = &hooks.memory};
}

/* Refused, nothing held, the memory functions not asked. */
static void expect_refused(const tarn_frame_options *options, tarn_status expected, int line)
{
    tarn_frame *frame = (tarn_frame *)(void *)&hooks;
    tarn_status status = tarn_frame_create(options, &frame);
    if (status != expected)
        print_error("the options made in line %d\n", line);
    kit_expect_status(status, expected);
    assert_null(frame);
    assert_int_equal(hooks.reserves, hooks.releases);
    assert_int_equal(hooks.reserved_bytes, 0);
}

#define EXPECT_INVALID(field, value)                      \
    do {                                                  \
        tarn_frame_options o = valid();                   \
        o.field = (value);                                \
        expect_refused(&o, TARN_ERROR_INVALID, __LINE__); \
        assert_int_equal(hooks.calls, 0);                 \
    } while (0)

static void each_option_out_of_range_is_invalid(void **state)
{
    (void)state;
    memory_hooks_init(&hooks, 4096);
    EXPECT_INVALID(frames_in_flight, TARN_FRAMES_IN_FLIGHT_MAX + 1);
    EXPECT_INVALID(frames_in_flight, UINT32_MAX);
    EXPECT_INVALID(lanes_max, TARN_LANES_MAX + 1);
    EXPECT_INVALID(lanes_max, UINT32_MAX);
    EXPECT_INVALID(block_bytes, 1);
    EXPECT_INVALID(block_bytes, TARN_FRAME_BLOCK_BYTES_MIN / 2);
    EXPECT_INVALID(block_bytes, TARN_FRAME_BLOCK_BYTES_MIN + 1);
    EXPECT_INVALID(block_bytes, TARN_FRAME_BLOCK_BYTES_MIN * 3 / 2);
    EXPECT_INVALID(block_bytes, TARN_FRAME_BLOCK_BYTES_MAX + 4096);
    EXPECT_INVALID(block_bytes, SIZE_MAX - 4095);
    EXPECT_INVALID(memory_bytes_max, 8191);
    EXPECT_INVALID(memory_bytes_max, 1);
    EXPECT_INVALID(memory_bytes, (1 << 20) + 1);
    EXPECT_INVALID(memory_bytes, SIZE_MAX);
    EXPECT_INVALID(retention, (tarn_retention)(TARN_RETAIN_LIMIT + 1));
    EXPECT_INVALID(deferred_max, UINT32_MAX);
    expect_refused(NULL, TARN_ERROR_INVALID, __LINE__);
    tarn_frame_options options = valid();
    options.memory_bytes = options.memory_bytes_max = options.block_bytes / 2;
    expect_refused(&options, TARN_ERROR_INVALID, __LINE__);
    options = valid();
    kit_expect_status(tarn_frame_create(&options, NULL), TARN_ERROR_INVALID);
    kit_expect_status(tarn_frame_create(NULL, NULL), TARN_ERROR_INVALID);
    assert_int_equal(hooks.calls, 0);
    expect_hooks_balanced();
}

#define EXPECT_INVALID_MEMORY(field, value) \
    do {                                    \
        tarn_memory memory = hooks.memory;  \
        memory.field = (value);             \
        EXPECT_INVALID(memory, &memory);    \
    } while (0)

static void incomplete_memory_functions_are_invalid(void **state)
{
    (void)state;
    memory_hooks_init(&hooks, 4096);
    EXPECT_INVALID_MEMORY(reserve, NULL);
    EXPECT_INVALID_MEMORY(commit, NULL);
    EXPECT_INVALID_MEMORY(decommit, NULL);
    EXPECT_INVALID_MEMORY(release, NULL);
    EXPECT_INVALID_MEMORY(page_bytes, 2048);
    EXPECT_INVALID_MEMORY(page_bytes, 12288);
    EXPECT_INVALID_MEMORY(page_bytes, (size_t)1 << 22);
    expect_hooks_balanced();
}

/* It has more blocks than a pool has slots, or does not fit the address space. */
static void a_budget_without_bounds_is_refused(void **state)
{
    (void)state;
    memory_hooks_init(&hooks, 4096);
    tarn_frame_options options = valid();
    options.memory_bytes_max = SIZE_MAX;
    bool has_room = SIZE_MAX / options.block_bytes > UINT32_MAX;
    expect_refused(&options, has_room ? TARN_ERROR_INVALID : TARN_ERROR_TOO_LARGE, __LINE__);
    expect_hooks_balanced();
}

/* A frame and a half of use. */
static void use(tarn_frame_options options)
{
    options.memory = &hooks.memory;
    memory_hooks_init(&hooks, 4096);
    tarn_frame *frame = frame_kit_create(options);
    tarn_lane *lane = frame_kit_attach(frame, "one");
    frame_kit_enter(lane);
    char *first = tarn_frame_alloc(lane, 100);
    assert_non_null(first);
    frame_kit_fill(first, 100, 1);
    frame_kit_turn(frame, lane);
    char *second = tarn_frame_alloc(lane, 100);
    assert_non_null(second);
    frame_kit_fill(second, 100, 2);
    if (options.frames_in_flight > 1)
        assert_true(frame_kit_is_filled(first, 100, 1));
    frame_kit_leave(lane);
    frame_kit_destroy(frame);
    expect_hooks_balanced();
}

static void each_option_at_its_bounds_is_accepted(void **state)
{
    (void)state;
    use((tarn_frame_options){.frames_in_flight = 1, .lanes_max = 1});
    use((tarn_frame_options){.frames_in_flight = TARN_FRAMES_IN_FLIGHT_MAX});
    use((tarn_frame_options){.lanes_max = TARN_LANES_MAX, .frames_in_flight = 8});
    use((tarn_frame_options){.block_bytes = TARN_FRAME_BLOCK_BYTES_MIN, .memory_bytes_max = 8192});
    use((tarn_frame_options){.block_bytes = TARN_FRAME_BLOCK_BYTES_MAX});
    use((tarn_frame_options){.memory_bytes = 1 << 20, .memory_bytes_max = 1 << 20});
    use((tarn_frame_options){.memory_bytes_max = 64 << 10});
    use((tarn_frame_options){.memory_bytes = 1});
    use((tarn_frame_options){.deferred_max = 1});
    use((tarn_frame_options){.retention = TARN_RETAIN_LIMIT, .retain_bytes = 1});
    use((tarn_frame_options){.retention = TARN_RETAIN_ALL});
    use((tarn_frame_options){.checked = true});
}

static void memory_bytes_is_taken_at_creation(void **state)
{
    (void)state;
    enum { BYTES = 8 << 20 };
    memory_hooks_init(&hooks, 4096);
    tarn_frame *frame = frame_kit_create((tarn_frame_options){.memory = &hooks.memory});
    assert_true(hooks.committed_bytes < BYTES); /* none was asked for */
    frame_kit_destroy(frame);
    tarn_frame_options options = {.memory_bytes = BYTES, .memory = &hooks.memory};
    frame = frame_kit_create(options);
    assert_true(hooks.committed_bytes >= BYTES);
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    memory_hooks_restart(&hooks);
    frame_kit_enter(lane);
    size_t bytes = frame_kit_small_max(frame);
    for (size_t used = 0; used < BYTES; used += frame->block_bytes / 2)
        assert_non_null(tarn_frame_alloc(lane, bytes));
    assert_int_equal(hooks.calls, 0);
    frame_kit_leave(lane);
    frame_kit_destroy(frame);
    expect_hooks_balanced();
}

static void what_the_options_point_to_is_copied(void **state)
{
    (void)state;
    misuse_log log = {0};
    char name[] = "a name that is longer than 31 bytes";
    memory_hooks_init(&hooks, 0);
    tarn_memory memory = hooks.memory;
    tarn_frame_options options = {.name = name,
                                  .memory = &memory,
                                  .checked = true,
                                  .report = misuse_note,
                                  .report_context = &log};
    tarn_frame *frame = frame_kit_create(options);
    char label[] = "a label beyond 23 bytes of it";
    tarn_lane *lane = frame_kit_attach(frame, label);
    memset(name, 'x', sizeof name - 1);
    memset(label, 'x', sizeof label - 1);
    memset(&memory, 0, sizeof memory);
    memset(&options, 0, sizeof options);
    assert_null(tarn_frame_alloc(lane, 8)); /* outside: the report tells the name */
    tarn_report report = misuse_expect_one(&log, TARN_MISUSE_OUTSIDE);
    assert_string_equal(report.pool_name, "a name that is longer than 31 b");
    assert_string_equal(frame_kit_lane(frame, lane).label, "a label beyond 23 bytes");
    frame_kit_enter(lane);
    assert_non_null(tarn_frame_alloc(lane, 1 << 20)); /* a span: by the memory functions */
    frame_kit_leave(lane);
    frame_kit_destroy(frame);
    expect_hooks_balanced();
}

/* ---- refusals ---- */

static void null_is_refused_everywhere(void **state)
{
    (void)state;
    tarn_frame *frame = frame_kit_create((tarn_frame_options){0});
    tarn_lane *lane = NULL;
    tarn_frame_statistics statistics;
    tarn_lane_statistics lane_statistics;
    size_t bytes = 7;
    kit_expect_status(tarn_frame_destroy(NULL), TARN_OK);
    kit_expect_status(tarn_frame_end(NULL, 0, NULL), TARN_ERROR_INVALID);
    kit_expect_status(tarn_frame_close(NULL, 0, NULL), TARN_ERROR_INVALID);
    kit_expect_status(tarn_frame_complete(NULL, 1), TARN_ERROR_INVALID);
    assert_int_equal(tarn_frame_number(NULL), 0);
    kit_expect_status(tarn_frame_trim(NULL, &bytes), TARN_ERROR_INVALID);
    assert_int_equal(bytes, 0);
    bytes = 7;
    kit_expect_status(tarn_frame_maintain(NULL, 1, &bytes), TARN_ERROR_INVALID);
    assert_int_equal(bytes, 0);
    kit_expect_status(tarn_frame_trim(frame, NULL), TARN_OK);
    kit_expect_status(tarn_frame_maintain(frame, 0, NULL), TARN_OK);
    kit_expect_status(tarn_frame_sample(NULL, &statistics), TARN_ERROR_INVALID);
    kit_expect_status(tarn_frame_sample(frame, NULL), TARN_ERROR_INVALID);
    kit_expect_status(tarn_lane_sample(NULL, 0, &lane_statistics), TARN_ERROR_INVALID);
    kit_expect_status(tarn_lane_sample(frame, 0, NULL), TARN_ERROR_INVALID);
    kit_expect_status(tarn_lane_sample(frame, 64, &lane_statistics), TARN_ERROR_INVALID);
    kit_expect_status(tarn_lane_sample(frame, 63, &lane_statistics), TARN_OK);
    kit_expect_status(tarn_lane_attach(NULL, "x", &lane), TARN_ERROR_INVALID);
    kit_expect_status(tarn_lane_attach(frame, "x", NULL), TARN_ERROR_INVALID);
    kit_expect_status(tarn_lane_detach(NULL), TARN_ERROR_INVALID);
    kit_expect_status(tarn_lane_enter(NULL), TARN_ERROR_INVALID);
    kit_expect_status(tarn_lane_leave(NULL), TARN_ERROR_INVALID);
    kit_expect_status(tarn_lane_rewind(NULL, (tarn_mark){0}), TARN_ERROR_INVALID);
    assert_null(tarn_lane_mark(NULL).lane);
    assert_int_equal(frame_kit_sample(frame).lanes, 0);
    frame_kit_destroy(frame);
}

static void a_frame_with_a_lane_inside_is_not_destroyed(void **state)
{
    (void)state;
    memory_hooks_init(&hooks, 0);
    tarn_frame *frame = frame_kit_create(valid());
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    frame_kit_enter(lane);
    char *memory = tarn_frame_alloc(lane, 64);
    frame_kit_fill(memory, 64, 3);
    kit_expect_status(tarn_frame_destroy(frame), TARN_ERROR_LATE);
    assert_true(frame_kit_is_filled(memory, 64, 3));
    assert_non_null(tarn_frame_alloc(lane, 64));
    assert_int_equal(tarn_frame_number(frame), 1);
    frame_kit_turn(frame, lane); /* the refusal left nothing shut */
    frame_kit_leave(lane);
    frame_kit_destroy(frame); /* attached lanes are no hindrance */
    expect_hooks_balanced();
}

/* ---- lanes ---- */

static void lanes_are_lent_once_and_lent_again(void **state)
{
    (void)state;
    memory_hooks_init(&hooks, 0);
    tarn_frame *frame = frame_kit_create(valid());
    tarn_lane *lanes[3], *none;
    for (int i = 0; i < 3; i++) {
        char label[8];
        snprintf(label, sizeof label, "%d", i);
        lanes[i] = frame_kit_attach(frame, label);
        for (int k = 0; k < i; k++)
            assert_ptr_not_equal(lanes[k], lanes[i]);
        assert_string_equal(frame_kit_lane(frame, lanes[i]).label, label);
        assert_true(frame_kit_lane(frame, lanes[i]).attached);
    }
    kit_expect_status(tarn_lane_attach(frame, "x", &none), TARN_ERROR_NO_LANE);
    kit_expect_status(tarn_lane_detach(lanes[1]), TARN_OK);
    kit_expect_status(tarn_lane_detach(lanes[1]), TARN_ERROR_NOT_ATTACHED);
    kit_expect_status(tarn_lane_enter(lanes[1]), TARN_ERROR_NOT_ATTACHED);
    assert_int_equal(frame_kit_sample(frame).lanes_inside, 0);
    assert_false(frame_kit_lane(frame, lanes[1]).attached);
    assert_int_equal(frame_kit_sample(frame).lanes, 2);
    assert_ptr_equal(frame_kit_attach(frame, "again"), lanes[1]);
    assert_string_equal(frame_kit_lane(frame, lanes[1]).label, "again");
    frame_kit_enter(lanes[1]);
    frame_kit_leave(lanes[1]);
    frame_kit_destroy(frame);
    expect_hooks_balanced();
}

static void a_lane_lent_again_keeps_what_its_frames_hold(void **state)
{
    (void)state;
    tarn_frame *frame =
        frame_kit_create((tarn_frame_options){.lanes_max = 1, .frames_in_flight = 2});
    tarn_lane *lane = frame_kit_attach(frame, "first");
    frame_kit_enter(lane);
    char *first = tarn_frame_alloc(lane, 1000);
    frame_kit_fill(first, 1000, 1);
    kit_expect_status(tarn_lane_detach(lane), TARN_OK); /* from inside, which leaves */
    assert_int_equal(frame_kit_sample(frame).lanes_inside, 0);

    lane = frame_kit_attach(frame, "second"); /* in the same frame */
    kit_expect_status(tarn_lane_leave(lane), TARN_ERROR_OUTSIDE);
    frame_kit_enter(lane);
    char *second = tarn_frame_alloc(lane, 1000);
    frame_kit_fill(second, 1000, 2);
    assert_true(frame_kit_is_filled(first, 1000, 1));
    frame_kit_enter(lane); /* nested: the detach leaves fully */
    kit_expect_status(tarn_lane_detach(lane), TARN_OK);
    frame_kit_end(frame);

    lane = frame_kit_attach(frame, "third"); /* in the next */
    frame_kit_enter(lane);
    frame_kit_fill(tarn_frame_alloc(lane, 1000), 1000, 3);
    assert_true(frame_kit_is_filled(first, 1000, 1));
    assert_true(frame_kit_is_filled(second, 1000, 2));
    frame_kit_leave(lane);
    frame_kit_destroy(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_set_means_the_defaults),
        cmocka_unit_test(each_option_out_of_range_is_invalid),
        cmocka_unit_test(incomplete_memory_functions_are_invalid),
        cmocka_unit_test(a_budget_without_bounds_is_refused),
        cmocka_unit_test(each_option_at_its_bounds_is_accepted),
        cmocka_unit_test(memory_bytes_is_taken_at_creation),
        cmocka_unit_test(what_the_options_point_to_is_copied),
        cmocka_unit_test(null_is_refused_everywhere),
        cmocka_unit_test(a_frame_with_a_lane_inside_is_not_destroyed),
        cmocka_unit_test(lanes_are_lent_once_and_lent_again),
        cmocka_unit_test(a_lane_lent_again_keeps_what_its_frames_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
