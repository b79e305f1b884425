/* Replays end, find every wrong byte, and leave nothing behind. */
#include "builder.h"
#include "pattern.h"
#include "plan.h"
#include "replay.h"
#include "worker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void any_changed_byte_is_found(void **state)
{
    (void)state;
    unsigned char block[67];
    for (size_t bytes = 0; bytes <= sizeof block; bytes++) {
        pattern_fill(block, 7, 0, bytes);
        assert_int_equal(pattern_check(block, 7, bytes), bytes);
        for (size_t at = 0; at < bytes; at++) {
            block[at] ^= 0x10;
            assert_int_equal(pattern_check(block, 7, bytes), at);
            block[at] ^= 0x10;
        }
    }
}

/* Two blocks whose memory overlaps by one byte or more: the one filled first is found wrong. */
static void overlapping_blocks_are_found(void **state)
{
    (void)state;
    unsigned char memory[256];
    for (size_t apart = 0; apart < 64; apart++) {
        pattern_fill(memory, 1, 0, 64);
        pattern_fill(memory + apart, 2, 0, 64);
        size_t wrong = pattern_check(memory, 1, 64);
        assert_true(wrong >= apart && wrong < 64);
    }
    pattern_fill(memory, 1, 0, 64);
    pattern_fill(memory + 64, 2, 0, 64);
    assert_int_equal(pattern_check(memory, 1, 64), 64);
}

typedef struct dice {
    uint64_t state;
} dice;

static uint32_t roll(dice *with, uint32_t below)
{
    with->state ^= with->state << 13;
    with->state ^= with->state >> 7;
    with->state ^= with->state << 17;
    return (uint32_t)(with->state >> 16) % below;
}

static uint64_t roll_bytes(dice *with)
{
    static const uint64_t bounds[] = {8, 64, 300, 5000, 400000};
    return roll(with, (uint32_t)bounds[roll(with, 40) == 0 ? 4 : roll(with, 4)]);
}

/* Random calls from several threads on a few hundred addresses. */
static uint32_t roll_records(dice *with, trace_record *records, uint32_t count, uint32_t threads)
{
    static bool alive[300];
    memset(alive, 0, sizeof alive);
    uint32_t made = 0;
    while (made + 2 <= count) {
        uint32_t at = roll(with, 300);
        trace_record record = {.address = (at + 1) * UINT64_C(4096), .thread = roll(with, threads)};
        record.call = alive[at] ? TRACE_FREE : TRACE_MALLOC;
        if (alive[at] && roll(with, 3) == 0) {
            record.call = TRACE_REALLOC_FROM;
            records[made++] = record;
            record.call = TRACE_REALLOC_TO;
        } else {
            alive[at] = !alive[at];
        }
        if (record.call != TRACE_FREE)
            record.bytes = roll_bytes(with);
        if (record.call == TRACE_MALLOC && roll(with, 8) == 0)
            record.alignment_log2 = (uint8_t)roll(with, 14);
        records[made++] = record;
    }
    return made;
}

static void assert_runs_clean(const plan *what, uint32_t window)
{
    char text[200];
    replay run;
    replay_result result;
    if (!replay_open(&run, what, window, text, sizeof text))
        fail_msg("%s", text);
    for (int i = 0; i < 4; i++) {
        replay_run(&run, i % 2 ? REPLAY_MALLOC : REPLAY_TARN, i < 2, &result);
        assert_int_equal(result.mismatches, 0);
        assert_int_equal(result.refusals, 0);
        assert_false(result.no_thread);
        assert_true(i < 2 ? result.checked_bytes > 0 : result.checked_bytes == 0);
    }
    if (!replay_close(&run, text, sizeof text))
        fail_msg("%s", text);
}

/* With a window of one every operation waits for the one before it, hence the fewer calls. */
static void random_traces_replay_with_any_window(void **state)
{
    (void)state;
    static const uint32_t windows[] = {1, 3, 64, 4096};
    static const uint32_t counts[] = {300, 600, 6000, 6000};
    static trace_record records[6000];
    dice with = {0x9E3779B97F4A7C15u};
    for (uint32_t threads = 1; threads <= 9; threads += 4) {
        for (int i = 0; i < 4; i++) {
            trace from;
            plan what;
            build_trace(&from, records, roll_records(&with, records, counts[i], threads));
            assert_true(plan_make(&from, &what));
            assert_runs_clean(&what, windows[i]);
            plan_release(&what);
            trace_release(&from);
        }
    }
}

/* One thread allocates, another frees each block at once. Were the first to run ahead, the pool,
 * which has room for the window only, would refuse. */
static void no_thread_runs_ahead_of_the_window(void **state)
{
    (void)state;
    static trace_record records[40000];
    trace from;
    plan what;
    for (uint32_t i = 0; i < 40000; i++) {
        uint64_t address = 64 * (uint64_t)(i / 2 + 1);
        records[i] = (trace_record){.address = address, .bytes = 40, .call = TRACE_MALLOC};
        if (i % 2)
            records[i] = (trace_record){.address = address, .call = TRACE_FREE, .thread = 1};
    }
    build_trace(&from, records, 40000);
    assert_true(plan_make(&from, &what));
    assert_runs_clean(&what, 64);
    plan_release(&what);
    trace_release(&from);
}

static void open_one_block(trace *from, plan *what, replay *run, uint64_t bytes)
{
    trace_record record = {.address = 64, .bytes = bytes, .call = TRACE_MALLOC};
    char text[200];
    build_trace(from, &record, 1);
    assert_true(plan_make(from, what));
    assert_true(replay_open(run, what, 16, text, sizeof text));
}

static void close_one_block(trace *from, plan *what, replay *run)
{
    char text[200];
    assert_true(replay_close(run, text, sizeof text));
    plan_release(what);
    trace_release(from);
}

static void a_block_with_wrong_content_is_reported(void **state)
{
    (void)state;
    trace from;
    plan what;
    replay run;
    replay_result result;
    open_one_block(&from, &what, &run, 100);
    replay_run(&run, REPLAY_MALLOC, true, &result);
    assert_int_equal(result.checked_bytes, 100);
    run.blocks[0].address = malloc(100);
    assert_non_null(run.blocks[0].address);
    pattern_fill(run.blocks[0].address, 0, 0, 100);
    ((unsigned char *)run.blocks[0].address)[99] ^= 1;
    worker *sweeper = &run.workers[what.threads_count];
    memset(&sweeper->result, 0, sizeof sweeper->result);
    worker_sweep(sweeper, 0);
    assert_int_equal(sweeper->result.mismatches, 1);
    assert_int_equal(sweeper->result.bad_block, 0);
    assert_int_equal(sweeper->result.bad_offset, 99);
    close_one_block(&from, &what, &run);
}

static void a_block_that_no_memory_can_hold_is_counted(void **state)
{
    (void)state;
    trace from;
    plan what;
    replay run;
    replay_result result;
    open_one_block(&from, &what, &run, UINT64_C(1) << 62);
    replay_run(&run, REPLAY_TARN, true, &result);
    assert_int_equal(result.refusals, 1);
    assert_int_equal(result.refused_bytes, UINT64_C(1) << 62);
    close_one_block(&from, &what, &run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_changed_byte_is_found),
        cmocka_unit_test(overlapping_blocks_are_found),
        cmocka_unit_test(random_traces_replay_with_any_window),
        cmocka_unit_test(no_thread_runs_ahead_of_the_window),
        cmocka_unit_test(a_block_with_wrong_content_is_reported),
        cmocka_unit_test(a_block_that_no_memory_can_hold_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
