/* Random numbers that depend on the seed alone: splitmix64 (Steele, Lea and Flood, "Fast Splittable
 * Pseudorandom Number Generators", OOPSLA 2014). Each sector has a state of its own. */
#ifndef ENGINE_RANDOM_H
#define ENGINE_RANDOM_H

#include <stdint.h>

static inline uint64_t random_mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ (value >> 27)) * UINT64_C(0x94D049BB133111EB);
    return value ^ (value >> 31);
}

static inline uint64_t random_next(uint64_t *state)
{
    *state += UINT64_C(0x9E3779B97F4A7C15);
    return random_mix(*state);
}

/* Evenly from low to high, both included. */
static inline int32_t random_between(uint64_t *state, int32_t low, int32_t high)
{
    uint64_t span = (uint64_t)((int64_t)high - low + 1);
    return (int32_t)(low + (int64_t)(((random_next(state) >> 32) * span) >> 32));
}

#endif
