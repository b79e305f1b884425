/* Size arithmetic that cannot overflow unseen: each call says whether the result fits. */
#ifndef TARN_BASE_SIZE_H
#define TARN_BASE_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool tarn_size_add(size_t a, size_t b, size_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

static inline bool tarn_size_multiply(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

static inline bool tarn_is_power_of_two(size_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

/* alignment is a power of two. */
static inline bool tarn_size_round_up(size_t size, size_t alignment, size_t *rounded)
{
    if (!tarn_size_add(size, alignment - 1, rounded))
        return false;
    *rounded &= ~(alignment - 1);
    return true;
}

static inline size_t tarn_size_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t tarn_size_max(size_t a, size_t b)
{
    return a > b ? a : b;
}

static inline size_t tarn_size_clamp(size_t value, size_t low, size_t high)
{
    return tarn_size_max(low, tarn_size_min(value, high));
}

/* Bits that the numbers 0..value need. */
static inline uint32_t tarn_bits_for(uint64_t value)
{
    uint32_t bits = 0;
    for (; value != 0; value >>= 1)
        bits++;
    return bits;
}

#endif
