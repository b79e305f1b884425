/* Xorshift: the tables that the workloads follow are made from it before the clock runs. */
#ifndef TARN_BENCH_RANDOM_H
#define TARN_BENCH_RANDOM_H

#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return x * 0x2545F4914F6CDD1Du;
}

/* 0 to bound - 1, for small bounds. */
static inline uint32_t random_below(uint64_t *state, uint32_t bound)
{
    return (uint32_t)(((random_next(state) >> 32) * bound) >> 32);
}

/* A start that differs for each thread and is never 0. */
static inline uint64_t random_seed(unsigned thread)
{
    return 0x9E3779B97F4A7C15u * (thread + 1);
}

#endif
