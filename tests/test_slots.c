/* Index <-> address is exact for every stride, and carving never moves when it fails. */
#include "support/check.h"
#include "support/random.h"

#include "pool/slots.h"

#include <string.h>

#define SLOTS    97u
#define FAILURES 65536u
#define BASE     ((uintptr_t)0x7f5500401000) /* never touched */

static tarn_pool *start(size_t stride_bytes, size_t slots)
{
    static tarn_pool pool;
    memset(&pool, 0, sizeof pool);
    pool.plan.stride_bytes = stride_bytes;
    pool.plan.slots_max = slots;
    tarn_slots_init_(&pool, (char *)BASE);
    return &pool;
}

/* What tarn_slot_of_ should say, by plain division. */
static uint64_t divided(const tarn_pool *pool, uintptr_t address)
{
    uint64_t offset = (uint64_t)(address - BASE);
    uint64_t slot = offset / pool->plan.stride_bytes;
    bool is_slot = offset % pool->plan.stride_bytes == 0 && slot < pool->plan.slots_max;
    return is_slot ? slot : TARN_SLOT_NONE;
}

static void check_address(const tarn_pool *pool, uintptr_t address)
{
    uint64_t slot = tarn_slot_of_(pool, (void *)address);
    check_that(slot == divided(pool, address), "stride %zu, offset %lld: slot %llx",
               pool->plan.stride_bytes, (long long)(address - BASE), (unsigned long long)slot);
}

/* Every address from two slots before the first to two after the last. */
static void check_every_address(const tarn_pool *pool)
{
    uintptr_t margin = 2 * pool->plan.stride_bytes;
    uintptr_t end = BASE + pool->plan.slots_max * pool->plan.stride_bytes + margin;
    for (uintptr_t address = BASE - margin; address <= end; address++)
        check_address(pool, address);
}

static void t37_only_a_slots_start_is_a_slot_for_strides_up_to_300(void **state)
{
    (void)state;
    for (size_t stride = 1; stride <= 300; stride++)
        check_every_address(start(stride, SLOTS));
}

/* Sizes 1..300 at every alignment come to these strides too. */
static void t37_only_a_slots_start_is_a_slot_for_aligned_strides(void **state)
{
    (void)state;
    for (size_t alignment = 2; alignment <= 4096; alignment *= 2)
        for (size_t stride = alignment; stride < 300 + alignment; stride += alignment)
            check_every_address(start(stride, 11));
}

static void check_around_slots(const tarn_pool *pool, random_state *random, uint32_t samples)
{
    size_t stride = pool->plan.stride_bytes;
    for (uint32_t i = 0; i < samples; i++) {
        uint64_t slot = random_below(random, pool->plan.slots_max + 1);
        uintptr_t start_address = BASE + (uintptr_t)slot * stride;
        check_address(pool, start_address);
        check_address(pool, start_address - 1);
        check_address(pool, start_address + 1);
        check_address(pool, start_address + (size_t)random_below(random, stride));
        check_address(pool, (uintptr_t)random_next(random));
    }
}

static void t37_only_a_slots_start_is_a_slot_for_large_strides(void **state)
{
    (void)state;
    random_state random = random_start("large strides", 37);
    const size_t strides[] = {4095, 4096, 4097, 65535, 65536, 99999, 999999, 1048575, 1048576};
    for (size_t i = 0; i < sizeof strides / sizeof strides[0]; i++)
        for (uint32_t bits = 0; bits <= 32; bits++)
            check_around_slots(start(strides[i], ((size_t)1 << bits) - (bits == 32 ? 2 : 0)),
                               &random, 200);
}

static void address_and_index_are_each_others_inverse(void **state)
{
    (void)state;
    for (size_t stride = 1; stride <= 300; stride++) {
        const tarn_pool *pool = start(stride, SLOTS);
        for (uint64_t slot = 0; slot < SLOTS; slot++) {
            void *object = tarn_slot_object_(pool, slot);
            assert_int_equal((uintptr_t)object, BASE + slot * stride);
            assert_int_equal(tarn_slot_of_(pool, object), slot);
            assert_int_equal(tarn_slot_index_(pool, object), slot + 1);
            assert_ptr_equal(tarn_slot_index_object_(pool, (uint32_t)slot + 1), object);
        }
    }
}

static void carving_hands_out_each_slot_once_and_stops_at_the_limit(void **state)
{
    (void)state;
    for (uint32_t count_max = 1; count_max <= 9; count_max++) {
        tarn_pool *pool = start(8, SLOTS);
        uint64_t next = 0;
        while (next < SLOTS) {
            uint64_t slot = UINT64_MAX;
            uint32_t count = tarn_slots_carve_(pool, count_max, SLOTS, &slot);
            assert_int_equal(slot, next);
            assert_int_equal(count, next + count_max <= SLOTS ? count_max : SLOTS - next);
            next += count;
        }
        assert_int_equal(next, SLOTS);
    }
}

static void t25_failing_carves_do_not_move_the_index(void **state)
{
    (void)state;
    tarn_pool *pool = start(8, SLOTS);
    tarn_u64_store_relaxed(&pool->slots_carved, SLOTS);
    for (uint32_t i = 0; i < FAILURES; i++) {
        uint64_t slot = 12345;
        assert_int_equal(tarn_slots_carve_(pool, 1 + i % 64, SLOTS, &slot), 0);
        assert_int_equal(slot, 12345);
    }
    assert_int_equal(tarn_u64_load_relaxed(&pool->slots_carved), SLOTS);
}

static void t25_a_limit_below_what_is_carved_already_does_not_move_the_index(void **state)
{
    (void)state;
    tarn_pool *pool = start(8, SLOTS);
    uint64_t slot = 0;
    tarn_u64_store_relaxed(&pool->slots_carved, UINT64_MAX - 1);
    for (uint32_t i = 0; i < FAILURES; i++)
        assert_int_equal(tarn_slots_carve_(pool, 64, SLOTS, &slot), 0);
    assert_true(tarn_u64_load_relaxed(&pool->slots_carved) == UINT64_MAX - 1);
}

static void all_is_carved_when_the_slack_is_too(void **state)
{
    (void)state;
    tarn_pool *pool = start(8, SLOTS);
    pool->plan.slack_slots = 7;
    tarn_u64_store_relaxed(&pool->slots_carved, 26);
    assert_false(tarn_slots_are_carved_(pool, 20));
    tarn_u64_store_relaxed(&pool->slots_carved, 27);
    assert_true(tarn_slots_are_carved_(pool, 20));
    assert_false(tarn_slots_are_carved_(pool, 21));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t37_only_a_slots_start_is_a_slot_for_strides_up_to_300),
        cmocka_unit_test(t37_only_a_slots_start_is_a_slot_for_aligned_strides),
        cmocka_unit_test(t37_only_a_slots_start_is_a_slot_for_large_strides),
        cmocka_unit_test(address_and_index_are_each_others_inverse),
        cmocka_unit_test(carving_hands_out_each_slot_once_and_stops_at_the_limit),
        cmocka_unit_test(t25_failing_carves_do_not_move_the_index),
        cmocka_unit_test(t25_a_limit_below_what_is_carved_already_does_not_move_the_index),
        cmocka_unit_test(all_is_carved_when_the_slack_is_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
