/* A small generator for property tests: the same seed gives the same run everywhere. After
 * G. Marsaglia, "Xorshift RNGs" (Journal of Statistical Software, 2003). */
#ifndef TARN_TESTS_SUPPORT_RANDOM_H
#define TARN_TESTS_SUPPORT_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct random_state {
    uint64_t word; /* never 0 */
} random_state;

/* The seed is TARN_TEST_SEED of the environment where set; it is printed. */
static inline random_state random_start(const char *test, uint64_t seed)
{
    const char *given = getenv("TARN_TEST_SEED");
    if (given)
        seed = strtoull(given, NULL, 0);
    printf("%s: seed %llu\n", test, (unsigned long long)seed);
    return (random_state){seed * 2 + 1};
}

static inline uint64_t random_next(random_state *random)
{
    random->word ^= random->word << 13;
    random->word ^= random->word >> 7;
    random->word ^= random->word << 17;
    return random->word;
}

/* 0..count-1. */
static inline uint64_t random_below(random_state *random, uint64_t count)
{
    return (random_next(random) >> 16) % count;
}

#endif
