/* Size arithmetic says when it does not fit, and is exact up to there. */
#include "support/check.h"

#include "base/size.h"

static void addition_says_when_the_sum_does_not_fit(void **state)
{
    (void)state;
    size_t sum = 0;
    assert_true(tarn_size_add(SIZE_MAX - 1, 1, &sum));
    assert_true(sum == SIZE_MAX);
    assert_true(tarn_size_add(0, 0, &sum));
    assert_int_equal(sum, 0);
    assert_false(tarn_size_add(SIZE_MAX, 1, &sum));
    assert_false(tarn_size_add(SIZE_MAX, SIZE_MAX, &sum));
}

static void multiplication_says_when_the_product_does_not_fit(void **state)
{
    (void)state;
    size_t half = (size_t)1 << (sizeof(size_t) * 4);
    size_t product = 0;
    assert_true(tarn_size_multiply(half, half - 1, &product));
    assert_true(product == SIZE_MAX - half + 1);
    assert_true(tarn_size_multiply(SIZE_MAX, 1, &product));
    assert_true(product == SIZE_MAX);
    assert_true(tarn_size_multiply(SIZE_MAX, 0, &product));
    assert_int_equal(product, 0);
    assert_false(tarn_size_multiply(half, half, &product));
    assert_false(tarn_size_multiply(SIZE_MAX, 2, &product));
}

static void rounding_goes_to_the_next_multiple_and_no_further(void **state)
{
    (void)state;
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2)
        for (size_t size = 0; size < 3 * 4096; size += size < 300 ? 1 : 37) {
            size_t rounded = 0;
            assert_true(tarn_size_round_up(size, alignment, &rounded));
            assert_int_equal(rounded % alignment, 0);
            assert_in_range(rounded, size, size + alignment - 1);
        }
}

static void rounding_says_when_the_multiple_does_not_fit(void **state)
{
    (void)state;
    size_t rounded = 0;
    assert_true(tarn_size_round_up(SIZE_MAX, 1, &rounded));
    assert_true(rounded == SIZE_MAX);
    assert_true(tarn_size_round_up(SIZE_MAX - 4095, 4096, &rounded));
    assert_true(rounded == SIZE_MAX - 4095);
    assert_false(tarn_size_round_up(SIZE_MAX - 4094, 4096, &rounded));
    assert_false(tarn_size_round_up(SIZE_MAX, 2, &rounded));
}

static void a_power_of_two_has_one_bit(void **state)
{
    (void)state;
    assert_false(tarn_is_power_of_two(0));
    for (uint32_t bit = 0; bit < sizeof(size_t) * 8; bit++) {
        size_t power = (size_t)1 << bit;
        assert_true(tarn_is_power_of_two(power));
        if (bit > 0)
            assert_false(tarn_is_power_of_two(power + 1));
        if (bit > 1)
            assert_false(tarn_is_power_of_two(power - 1));
    }
}

static void bits_for_a_value_hold_it_and_one_less_does_not(void **state)
{
    (void)state;
    assert_int_equal(tarn_bits_for(0), 0);
    assert_int_equal(tarn_bits_for(UINT64_MAX), 64);
    for (uint32_t bit = 0; bit < 63; bit++) {
        uint64_t power = (uint64_t)1 << bit;
        assert_int_equal(tarn_bits_for(power), bit + 1);
        assert_int_equal(tarn_bits_for(power * 2 - 1), bit + 1);
    }
}

static void clamping_keeps_a_value_between_its_bounds(void **state)
{
    (void)state;
    assert_int_equal(tarn_size_clamp(1, 2, 5), 2);
    assert_int_equal(tarn_size_clamp(2, 2, 5), 2);
    assert_int_equal(tarn_size_clamp(4, 2, 5), 4);
    assert_int_equal(tarn_size_clamp(5, 2, 5), 5);
    assert_int_equal(tarn_size_clamp(6, 2, 5), 5);
    assert_int_equal(tarn_size_min(3, 4), 3);
    assert_int_equal(tarn_size_min(4, 3), 3);
    assert_int_equal(tarn_size_max(3, 4), 4);
    assert_int_equal(tarn_size_max(4, 3), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addition_says_when_the_sum_does_not_fit),
        cmocka_unit_test(multiplication_says_when_the_product_does_not_fit),
        cmocka_unit_test(rounding_goes_to_the_next_multiple_and_no_further),
        cmocka_unit_test(rounding_says_when_the_multiple_does_not_fit),
        cmocka_unit_test(a_power_of_two_has_one_bit),
        cmocka_unit_test(bits_for_a_value_hold_it_and_one_less_does_not),
        cmocka_unit_test(clamping_keeps_a_value_between_its_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
