/* Classes, the table of addresses, and what a plan makes of a trace. */
#include "addresses.h"
#include "advice.h"
#include "builder.h"
#include "plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static void each_size_has_the_smallest_class_that_fits(void **state)
{
    (void)state;
    for (unsigned i = 1; i < CLASS_COUNT; i++)
        assert_true(class_bytes(i) > class_bytes(i - 1));
    assert_int_equal(class_bytes(0), 16);
    assert_int_equal(class_bytes(CLASS_COUNT - 1), CLASS_BYTES_MAX);
    for (size_t bytes = 0; bytes <= CLASS_BYTES_MAX; bytes++) {
        unsigned index = class_of(bytes, 1);
        assert_true(index < CLASS_COUNT && class_bytes(index) >= bytes);
        assert_true(index == 0 || class_bytes(index - 1) < bytes);
    }
    assert_int_equal(class_of(CLASS_BYTES_MAX + 1, 1), CLASS_LARGE);
    assert_int_equal(class_of(SIZE_MAX, 1), CLASS_LARGE);
}

static void an_aligned_request_gets_a_multiple_of_its_alignment(void **state)
{
    (void)state;
    for (size_t alignment = 1; alignment <= TARN_OBJECT_ALIGNMENT_MAX; alignment *= 2) {
        for (size_t bytes = 0; bytes <= CLASS_BYTES_MAX; bytes += 13) {
            unsigned index = class_of(bytes, alignment);
            assert_true(index < CLASS_COUNT && class_bytes(index) >= bytes);
            assert_true(alignment <= 16 || class_bytes(index) % alignment == 0);
        }
    }
    assert_int_equal(class_of(16, TARN_OBJECT_ALIGNMENT_MAX * 2), CLASS_LARGE);
}

#define KEYS 3000u

/* Against an array; few keys, so that runs in the table grow long and holes must be closed. */
static void the_table_knows_what_lives_where(void **state)
{
    (void)state;
    static uint32_t living[KEYS];
    addresses map = {0};
    uint64_t random = 88172645463325252u;
    for (uint32_t key = 0; key < KEYS; key++)
        living[key] = ADDRESS_FREE;
    for (uint32_t i = 0; i < 200000; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        uint32_t key = (uint32_t)(random >> 20) % KEYS;
        if (random % 2) {
            uint32_t before = 0;
            assert_true(addresses_put(&map, key * UINT64_C(1 << 20), i, &before));
            assert_int_equal(before, living[key]);
            living[key] = i;
        } else {
            assert_int_equal(addresses_take(&map, key * UINT64_C(1 << 20)), living[key]);
            living[key] = ADDRESS_FREE;
        }
    }
    addresses_release(&map);
}

static trace_record given(uint32_t thread, uint64_t address, uint64_t bytes)
{
    return (trace_record){
        .address = address, .bytes = bytes, .thread = thread, .call = TRACE_MALLOC};
}

static trace_record taken(uint32_t thread, uint64_t address)
{
    return (trace_record){.address = address, .thread = thread, .call = TRACE_FREE};
}

static trace_record moved_from(uint32_t thread, uint64_t address)
{
    return (trace_record){.address = address, .thread = thread, .call = TRACE_REALLOC_FROM};
}

static trace_record moved_to(uint32_t thread, uint64_t address, uint64_t bytes)
{
    return (trace_record){
        .address = address, .bytes = bytes, .thread = thread, .call = TRACE_REALLOC_TO};
}

static void plan_of(plan *what, trace_record *records, uint32_t count)
{
    trace from;
    build_trace(&from, records, count);
    assert_true(plan_make(&from, what));
    trace_release(&from);
}

#define PLAN_OF(what, records) plan_of((what), (records), sizeof(records) / sizeof(*(records)))

static void calls_peaks_and_remote_frees_are_counted(void **state)
{
    (void)state;
    trace_record records[] = {given(0, 160, 30), given(0, 320, 32), taken(0, 160),
                              given(0, 160, 20), taken(1, 160),     taken(1, 320)};
    plan what;
    PLAN_OF(&what, records);
    assert_int_equal(what.totals.given, 3);
    assert_int_equal(what.totals.taken, 3);
    assert_int_equal(what.totals.remote, 2);
    assert_int_equal(what.totals.bytes, 82);
    assert_int_equal(what.totals.peak_bytes, 62);
    assert_int_equal(what.totals.never_freed, 0);
    assert_int_equal(what.classes[1].allocs, 3);
    assert_int_equal(what.classes[1].peak, 2);
    assert_int_equal(what.classes[1].bytes, 82);
    plan_release(&what);
}

static void frees_without_a_block_and_blocks_without_a_free_are_counted(void **state)
{
    (void)state;
    trace_record records[] = {taken(0, 800),      given(0, 160, 8),    given(0, 160, 8),
                              moved_from(0, 900), moved_to(0, 240, 8), taken(0, 160)};
    plan what;
    PLAN_OF(&what, records);
    assert_int_equal(what.totals.unmatched, 2);
    assert_int_equal(what.totals.vanished, 1);
    assert_int_equal(what.totals.given, 3);
    assert_int_equal(what.totals.never_freed, 2);
    assert_int_equal(what.totals.resized, 0);
    plan_release(&what);
}

static void a_realloc_keeps_the_block_and_changes_its_class(void **state)
{
    (void)state;
    trace_record records[] = {given(0, 160, 20),    moved_from(1, 160),        given(0, 160, 10),
                              moved_to(1, 320, 40), moved_from(0, 320),        moved_to(0, 320, 41),
                              moved_from(0, 320),   moved_to(0, 640, 1 << 20), taken(1, 640),
                              taken(0, 160)};
    plan what;
    PLAN_OF(&what, records);
    assert_int_equal(what.blocks, 2);
    assert_int_equal(what.totals.resized, 3);
    assert_int_equal(what.totals.large, 1);
    assert_int_equal(what.totals.remote, 1);
    assert_int_equal(what.classes[1].allocs, 1);
    assert_int_equal(what.classes[2].allocs, 1);
    assert_int_equal(what.classes[2].live, 0);
    assert_int_equal(what.classes[CLASS_LARGE].peak, 1);
    plan_release(&what);
}

static void only_operations_that_change_threads_wait(void **state)
{
    (void)state;
    trace_record records[] = {given(0, 160, 20),  moved_from(0, 160),   moved_to(0, 160, 24),
                              moved_from(1, 160), moved_to(1, 160, 28), taken(0, 160)};
    plan what;
    PLAN_OF(&what, records);
    const plan_operation *first = what.threads[0].operations;
    const plan_operation *second = what.threads[1].operations;
    assert_int_equal(what.threads[0].count, 3);
    assert_int_equal(what.threads[1].count, 1);
    assert_int_equal(first[0].flags, 0);
    assert_int_equal(first[1].flags, PLAN_ANNOUNCES);
    assert_int_equal(second[0].flags, PLAN_WAITS | PLAN_ANNOUNCES);
    assert_int_equal(first[2].flags, PLAN_WAITS);
    assert_int_equal(second[0].step, first[1].step + 1);
    assert_int_equal(first[2].step, second[0].step + 1);
    plan_release(&what);
}

static void threads_that_follow_one_another_share_a_lane(void **state)
{
    (void)state;
    trace_record records[] = {given(2, 16, 8), given(0, 32, 8), taken(2, 16),   given(1, 48, 8),
                              taken(1, 48),    taken(0, 32),    given(3, 64, 8)};
    plan what;
    PLAN_OF(&what, records);
    assert_int_equal(what.threads_count, 4);
    assert_int_equal(what.lanes, 2);
    assert_int_equal(what.threads[0].before, PLAN_NO_THREAD);
    assert_int_equal(what.threads[1].before, PLAN_NO_THREAD);
    assert_int_equal(what.threads[2].before, 0);
    assert_int_equal(what.threads[3].before, 2);
    plan_release(&what);
}

/* 100 objects of 48 bytes given by one thread and freed by another, twice. */
static void advice_follows_peak_threads_and_swing(void **state)
{
    (void)state;
    trace_record records[400];
    for (uint32_t i = 0; i < 400; i++) {
        uint64_t address = 64 * (uint64_t)(i % 100 + 1);
        records[i] = i / 100 % 2 ? taken(1, address) : given(0, address, 40);
    }
    plan what;
    PLAN_OF(&what, records);
    tarn_pool_options options = advice_for(&what, 2);
    assert_int_equal(what.classes[2].peak, 100);
    assert_int_equal(what.classes[2].swing, 200);
    assert_int_equal(options.object_bytes, 48);
    assert_int_equal(options.object_alignment, 0);
    assert_int_equal(options.capacity, 126);
    assert_int_equal(options.caches_max, 2);
    assert_int_equal(options.cache_objects_max, 31);
    plan_release(&what);
}

static void an_empty_trace_has_an_empty_plan(void **state)
{
    (void)state;
    plan what;
    plan_of(&what, NULL, 0);
    assert_int_equal(what.threads_count, 0);
    assert_int_equal(what.blocks, 0);
    plan_release(&what);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_size_has_the_smallest_class_that_fits),
        cmocka_unit_test(an_aligned_request_gets_a_multiple_of_its_alignment),
        cmocka_unit_test(the_table_knows_what_lives_where),
        cmocka_unit_test(calls_peaks_and_remote_frees_are_counted),
        cmocka_unit_test(frees_without_a_block_and_blocks_without_a_free_are_counted),
        cmocka_unit_test(a_realloc_keeps_the_block_and_changes_its_class),
        cmocka_unit_test(only_operations_that_change_threads_wait),
        cmocka_unit_test(threads_that_follow_one_another_share_a_lane),
        cmocka_unit_test(advice_follows_peak_threads_and_swing),
        cmocka_unit_test(an_empty_trace_has_an_empty_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
