/* How far each thread's stock of free objects of a class would go up and down if it kept all that
 * it frees and took from it what it allocates: a cache of that size never needs the depot. */
#ifndef TARN_TRACE_PLAN_SWING_H
#define TARN_TRACE_PLAN_SWING_H

#include <stdbool.h>
#include <stdint.h>

typedef struct swing {
    int64_t stock, lowest, highest;
} swing;

typedef struct swings {
    swing *all; /* [threads][CLASS_COUNT + 1] */
    uint32_t threads;
} swings;

/* False when there is no memory. */
bool swings_make(swings *result, uint32_t threads);

void swings_note(swings *in, uint32_t thread, unsigned size_class, int change);

/* Over all threads, at most UINT32_MAX. */
uint32_t swings_largest(const swings *in, unsigned size_class);

void swings_release(swings *done);

#endif
