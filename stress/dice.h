/* Seeded random numbers, one state per thread. */
#ifndef STRESS_DICE_H
#define STRESS_DICE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct dice {
    uint64_t state; /* never 0 */
} dice;

/* Spreads every bit of the input over the output (Steele, Lea and Flood's SplitMix64). */
static inline uint64_t dice_mix(uint64_t word)
{
    word += 0x9E3779B97F4A7C15u;
    word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9u;
    word = (word ^ (word >> 27)) * 0x94D049BB133111EBu;
    return word ^ (word >> 31);
}

static inline dice dice_seeded(uint64_t seed, uint64_t stream)
{
    return (dice){dice_mix(seed ^ dice_mix(stream)) | 1};
}

static inline uint64_t dice_next(dice *d)
{
    d->state ^= d->state << 13;
    d->state ^= d->state >> 7;
    d->state ^= d->state << 17;
    return d->state * 0x2545F4914F6CDD1Du;
}

/* 0 <= result < bound; bound is not 0. */
static inline uint64_t dice_below(dice *d, uint64_t bound)
{
    return (dice_next(d) >> 16) % bound;
}

static inline bool dice_one_in(dice *d, uint64_t bound)
{
    return dice_below(d, bound) == 0;
}

#endif
