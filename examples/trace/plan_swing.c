#include "plan_swing.h"
#include "classes.h"

#include <stdlib.h>

static swing *at(const swings *in, uint32_t thread, unsigned size_class)
{
    return &in->all[(size_t)thread * (CLASS_COUNT + 1) + size_class];
}

bool swings_make(swings *result, uint32_t threads)
{
    result->threads = threads;
    result->all = calloc(((size_t)threads + 1) * (CLASS_COUNT + 1), sizeof *result->all);
    return result->all != NULL;
}

void swings_note(swings *in, uint32_t thread, unsigned size_class, int change)
{
    swing *one = at(in, thread, size_class);
    one->stock += change;
    if (one->stock < one->lowest)
        one->lowest = one->stock;
    if (one->stock > one->highest)
        one->highest = one->stock;
}

uint32_t swings_largest(const swings *in, unsigned size_class)
{
    int64_t largest = 0;
    for (uint32_t i = 0; i < in->threads; i++) {
        const swing *one = at(in, i, size_class);
        if (one->highest - one->lowest > largest)
            largest = one->highest - one->lowest;
    }
    return largest > UINT32_MAX ? UINT32_MAX : (uint32_t)largest;
}

void swings_release(swings *done)
{
    free(done->all);
    done->all = NULL;
}
