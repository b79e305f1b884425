/* What a checked frame reports about its memory, under its own name, and that it then changes
 * nothing. */
#include "support/frames.h"

#include "base/os.h"

enum { BLOCK = TARN_FRAME_BLOCK_BYTES_MIN, SPAN = 3 * BLOCK };

typedef struct stage {
    tarn_frame *frame;
    tarn_lane *lane;
    misuse_log log;
} stage;

static void start(stage *s, tarn_frame_options options)
{
    s->log = (misuse_log){0};
    options.name = "physics";
    options.checked = true;
    options.block_bytes = BLOCK;
    options.lanes_max = 4;
    options.report = misuse_note;
    options.report_context = &s->log;
    s->frame = frames_create(options);
    s->lane = frame_kit_attach(s->frame, "test");
}

static void finish(const stage *s)
{
    assert_int_equal(s->log.count, 0);
    kit_expect_status(tarn_frame_destroy(s->frame), TARN_OK);
    assert_int_equal(s->log.count, 0);
}

static tarn_report expect_report(stage *s, tarn_misuse misuse, const void *object)
{
    tarn_report report = misuse_expect_one(&s->log, misuse);
    assert_string_equal(report.pool_name, "physics");
    assert_non_null(report.text);
    assert_ptr_equal(report.object, object);
    assert_true(report.slot == UINT64_MAX);
    assert_int_equal(report.thread, tarn_os_thread_id());
    return report;
}

/* ---- whose lane ---- */

static void t59_memory_that_is_asked_for_outside_is_reported_and_not_given(void **state)
{
    (void)state;
    stage s;
    start(&s, (tarn_frame_options){.frames_in_flight = 2});
    tarn_frame_pool *pool = NULL;
    tarn_frame_pool_options options = {.object_bytes = 8};
    kit_expect_status(tarn_frame_pool_create(s.frame, &options, &pool), TARN_OK);
    for (uint32_t round = 0; round < 3; round++) {
        assert_null(tarn_frame_alloc(s.lane, 1));
        expect_report(&s, TARN_MISUSE_OUTSIDE, s.lane);
        assert_null(tarn_frame_alloc_aligned(s.lane, 100, 64));
        expect_report(&s, TARN_MISUSE_OUTSIDE, s.lane);
        assert_null(tarn_frame_alloc(s.lane, SPAN));
        expect_report(&s, TARN_MISUSE_OUTSIDE, s.lane);
        assert_null(tarn_frame_array(s.lane, int, 20));
        expect_report(&s, TARN_MISUSE_OUTSIDE, s.lane);
        assert_null(tarn_frame_printf(s.lane, "%d", 1));
        expect_report(&s, TARN_MISUSE_OUTSIDE, s.lane);
        assert_null(tarn_frame_pool_alloc(pool, s.lane));
        expect_report(&s, TARN_MISUSE_OUTSIDE, s.lane);
        assert_int_equal(frame_kit_lane_at(s.frame, 0).bytes, 0);
        frame_kit_enter(s.lane);
        assert_non_null(tarn_frame_alloc(s.lane, 10));
        assert_non_null(tarn_frame_pool_alloc(pool, s.lane));
        frame_kit_leave(s.lane);
        frame_kit_end(s.frame);
    }
    kit_expect_status(tarn_lane_detach(s.lane), TARN_OK);
    assert_null(tarn_frame_alloc(s.lane, 1));
    expect_report(&s, TARN_MISUSE_OUTSIDE, s.lane);
    finish(&s);
}

typedef struct intruder {
    stage *s;
    uint32_t owner; /* the thread whose call is under way */
    uint32_t failures;
    bool is_asked;
} intruder;

static int use_the_lane(void *argument)
{
    intruder *i = argument;
    int failures = 0;
    KIT_EXPECT(&failures, tarn_frame_alloc(i->s->lane, 8) == NULL);
    KIT_EXPECT(&failures, i->s->log.count == 1);
    const tarn_report *report = &i->s->log.reports[0];
    KIT_EXPECT(&failures, report->misuse == TARN_MISUSE_SHARED_LANE);
    KIT_EXPECT(&failures, report->object == i->s->lane);
    KIT_EXPECT(&failures, report->thread == tarn_os_thread_id());
    KIT_EXPECT(&failures, report->other_thread == i->owner);
    return failures;
}

/* Called in the midst of an allocation. */
static bool let_another_in(void *context, tarn_frame *frame, size_t bytes, uint32_t attempt)
{
    intruder *i = context;
    (void)frame, (void)bytes;
    if (attempt == 0) {
        i->is_asked = true;
        i->failures += (uint32_t)kit_run_threads(1, use_the_lane, i, 0);
    }
    return false;
}

static void a_lane_that_two_threads_use_at_once_is_reported(void **state)
{
    (void)state;
    stage s;
    intruder i = {.s = &s, .owner = tarn_os_thread_id()};
    start(&s, (tarn_frame_options){
                  .memory_bytes_max = BLOCK, .full = let_another_in, .full_context = &i});
    frame_kit_enter(s.lane);
    while (tarn_frame_alloc(s.lane, 1000))
        assert_false(i.is_asked);
    assert_true(i.is_asked);
    assert_int_equal(i.failures, 0);
    misuse_expect_one(&s.log, TARN_MISUSE_SHARED_LANE);
    assert_non_null(tarn_frame_alloc(s.lane, 8)); /* the lane goes on */
    frame_kit_leave(s.lane);
    finish(&s);
}

static int pass_on(void *argument)
{
    stage *s = argument;
    int failures = 0;
    KIT_EXPECT(&failures, tarn_frame_alloc(s->lane, 24) != NULL);
    return failures;
}

static void a_lane_that_is_handed_over_inside_is_no_misuse(void **state)
{
    (void)state;
    stage s;
    start(&s, (tarn_frame_options){0});
    frame_kit_enter(s.lane);
    for (uint32_t i = 0; i < 5; i++) {
        kit_run_thread(pass_on, &s);
        assert_non_null(tarn_frame_alloc(s.lane, 24));
    }
    frame_kit_leave(s.lane);
    frame_kit_end(s.frame);
    finish(&s);
}

/* ---- what memory checkers see first: they end the program, so these tests are theirs ---- */

static bool is_inspected(void)
{
    tarn_pool *pool = kit_small_pool(1, 1, 0);
    bool is = kit_info(pool).inspected;
    kit_destroy(pool);
    return is;
}

static void a_write_after_the_drop_is_reported_when_the_memory_is_used_again(void **state)
{
    (void)state;
    if (is_inspected())
        skip();
    for (uint32_t in_flight = 1; in_flight <= 3; in_flight++)
        for (uint32_t offset = 0; offset < 48; offset++) {
            stage s;
            start(&s, (tarn_frame_options){.frames_in_flight = in_flight});
            frame_kit_enter(s.lane);
            char *stale = tarn_frame_alloc(s.lane, 48);
            memset(stale, 5, 48);
            frame_kit_leave(s.lane);
            for (uint32_t n = 1; n < in_flight; n++) {
                frame_kit_end(s.frame);
                frame_kit_enter(s.lane);
                assert_non_null(tarn_frame_alloc(s.lane, 48));
                stale[offset] = 6; /* its frame is still in flight */
                frame_kit_leave(s.lane);
            }
            frame_kit_end(s.frame);
            stale[offset] = 7;
            assert_int_equal(s.log.count, 0);
            frame_kit_enter(s.lane);
            assert_ptr_equal(tarn_frame_alloc(s.lane, 48), stale);
            tarn_report report = expect_report(&s, TARN_MISUSE_STALE_FRAME, stale);
            assert_int_equal(report.offset, offset);
            memset(stale, 8, 48);
            frame_kit_leave(s.lane);
            frame_kit_end(s.frame);
            finish(&s);
        }
}

static void a_write_after_the_rewind_is_reported_too(void **state)
{
    (void)state;
    if (is_inspected())
        skip();
    stage s;
    start(&s, (tarn_frame_options){0});
    frame_kit_enter(s.lane);
    assert_non_null(tarn_frame_alloc(s.lane, 100));
    tarn_mark mark = tarn_lane_mark(s.lane);
    char *stale[60];
    for (uint32_t i = 0; i < 60; i++) /* over the block's end */
        stale[i] = tarn_frame_alloc(s.lane, 100);
    kit_expect_status(tarn_lane_rewind(s.lane, mark), TARN_OK);
    stale[0][9] = 1;
    stale[59][3] = 1;
    for (uint32_t i = 0; i < 60; i++) {
        assert_ptr_equal(tarn_frame_alloc(s.lane, 100), stale[i]);
        if (i == 0)
            assert_int_equal(expect_report(&s, TARN_MISUSE_STALE_FRAME, stale[0]).offset, 9);
        if (i == 59)
            assert_int_equal(expect_report(&s, TARN_MISUSE_STALE_FRAME, stale[59]).offset, 3);
        assert_int_equal(s.log.count, 0);
    }
    frame_kit_leave(s.lane);
    finish(&s);
}

static void a_write_into_a_dropped_large_allocation_is_reported_when_it_is_used_again(void **state)
{
    (void)state;
    if (is_inspected())
        skip();
    stage s;
    start(&s, (tarn_frame_options){0});
    frame_kit_enter(s.lane);
    char *stale = tarn_frame_alloc(s.lane, SPAN);
    memset(stale, 1, SPAN);
    frame_kit_leave(s.lane);
    frame_kit_end(s.frame);
    stale[SPAN / 2] = 2;
    frame_kit_enter(s.lane);
    assert_ptr_equal(tarn_frame_alloc(s.lane, SPAN), stale);
    assert_int_equal(expect_report(&s, TARN_MISUSE_STALE_FRAME, stale).offset, SPAN / 2);
    frame_kit_leave(s.lane);
    finish(&s);
}

/* What looks at a red zone: the next allocation, a rewind, the end of the frame in which the frame
 * is dropped, and the frame's destruction. */
typedef enum look { NEXT, NEXT_BLOCK, REWIND, END, DESTROY, LOOKS } look;

static void look_at_it(stage *s, look by, tarn_mark mark, uint32_t in_flight)
{
    if (by == NEXT)
        assert_non_null(tarn_frame_alloc(s->lane, 1));
    else if (by == NEXT_BLOCK)
        assert_non_null(tarn_frame_alloc(s->lane, BLOCK / 2 - 300));
    else if (by == REWIND)
        kit_expect_status(tarn_lane_rewind(s->lane, mark), TARN_OK);
    frame_kit_leave(s->lane);
    for (uint32_t n = 0; n < in_flight && by != DESTROY; n++) {
        if (by == END)
            assert_int_equal(s->log.count, 0);
        frame_kit_end(s->frame);
    }
    if (by == DESTROY)
        kit_expect_status(tarn_frame_destroy(s->frame), TARN_OK);
}

static void expect_overrun(look by, size_t bytes, size_t beyond, uint32_t in_flight)
{
    stage s;
    start(&s, (tarn_frame_options){.frames_in_flight = in_flight});
    frame_kit_enter(s.lane);
    assert_non_null(tarn_frame_alloc(s.lane, BLOCK / 2 - 300));
    tarn_mark mark = tarn_lane_mark(s.lane);
    char *object = tarn_frame_alloc(s.lane, bytes);
    memset(object, 1, bytes);
    object[bytes + beyond] = 1;
    assert_int_equal(s.log.count, 0);
    look_at_it(&s, by, mark, in_flight);
    if (by == DESTROY) { /* the frame's name is gone with it */
        tarn_report last = misuse_expect_one(&s.log, TARN_MISUSE_OVERRUN);
        assert_ptr_equal(last.object, object);
        assert_int_equal(last.offset, bytes + beyond);
        return;
    }
    tarn_report report = expect_report(&s, TARN_MISUSE_OVERRUN, object);
    assert_int_equal(report.offset, bytes + beyond);
    finish(&s);
}

static void an_overrun_is_reported_by_the_next_call_that_sees_it(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 15, 16, 17, 100, SPAN};
    if (is_inspected())
        skip();
    for (look by = 0; by < LOOKS; by++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t beyond = 0; beyond < 16; beyond += 5)
                for (uint32_t in_flight = 1; in_flight <= 2; in_flight++)
                    expect_overrun(by, sizes[i], beyond, in_flight);
}

/* ---- no misuse ---- */

static void a_program_without_fault_is_told_nothing(void **state)
{
    (void)state;
    for (uint32_t in_flight = 1; in_flight <= 3; in_flight++) {
        uint64_t random = in_flight;
        stage s;
        start(&s, (tarn_frame_options){.frames_in_flight = in_flight});
        for (uint32_t n = 0; n < 60; n++) {
            frame_kit_enter(s.lane);
            tarn_mark mark = tarn_lane_mark(s.lane);
            for (uint32_t i = 0; i < 100; i++) {
                size_t bytes = kit_random(&random) % (i % 20 ? 300 : SPAN) + 1;
                size_t alignment = (size_t)1 << kit_random(&random) % 9;
                char *memory = tarn_frame_alloc_aligned(s.lane, bytes, alignment);
                assert_non_null(memory);
                memset(memory, (int)i, bytes);
                if (i % 30 == 29)
                    kit_expect_status(tarn_lane_rewind(s.lane, mark), TARN_OK);
                if (i % 40 == 0)
                    mark = tarn_lane_mark(s.lane);
                if (i % 7 == 0)
                    assert_non_null(tarn_frame_printf(s.lane, "%*d", (int)bytes % 50, 5));
            }
            frame_kit_leave(s.lane);
            frame_kit_end(s.frame);
        }
        finish(&s);
    }
}

/* Bytes that are not the memory's content may be nobody's, also in the last partial word. */
static void all_bytes_of_an_allocation_are_its_users(void **state)
{
    (void)state;
    stage s;
    start(&s, (tarn_frame_options){.frames_in_flight = 2});
    for (uint32_t n = 0; n < 4; n++) {
        frame_kit_enter(s.lane);
        for (size_t bytes = 1; bytes < 200; bytes++)
            memset(tarn_frame_alloc(s.lane, bytes), 0xFF, bytes);
        frame_kit_leave(s.lane);
        frame_kit_end(s.frame);
    }
    finish(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t59_memory_that_is_asked_for_outside_is_reported_and_not_given),
        cmocka_unit_test(a_lane_that_two_threads_use_at_once_is_reported),
        cmocka_unit_test(a_lane_that_is_handed_over_inside_is_no_misuse),
        cmocka_unit_test(a_write_after_the_drop_is_reported_when_the_memory_is_used_again),
        cmocka_unit_test(a_write_after_the_rewind_is_reported_too),
        cmocka_unit_test(a_write_into_a_dropped_large_allocation_is_reported_when_it_is_used_again),
        cmocka_unit_test(an_overrun_is_reported_by_the_next_call_that_sees_it),
        cmocka_unit_test(a_program_without_fault_is_told_nothing),
        cmocka_unit_test(all_bytes_of_an_allocation_are_its_users),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
