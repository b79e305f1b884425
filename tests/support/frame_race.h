/* What tests of frames that threads share use: signals that order nothing, and memory whose words
 * tell whose it is. For use with cmocka. */
#ifndef TARN_TESTS_SUPPORT_FRAME_RACE_H
#define TARN_TESTS_SUPPORT_FRAME_RACE_H

#include "support/frame_kit.h"

enum { RACE_BLOCK_BYTES = 4096 };

/* Relaxed, so that the tests' own signals order nothing. */
static inline unsigned race_get(const atomic_uint *signal)
{
    return atomic_load_explicit(signal, memory_order_relaxed);
}

static inline void race_set(atomic_uint *signal, unsigned value)
{
    atomic_store_explicit(signal, value, memory_order_relaxed);
}

static inline void race_add(atomic_uint *signal)
{
    atomic_fetch_add_explicit(signal, 1, memory_order_relaxed);
}

/* Each word of a piece tells whose it is, and of which frame. */
typedef struct race_piece {
    uint64_t *words;
    size_t count;
    uint64_t mark;
} race_piece;

static inline void race_fill(const race_piece *p)
{
    for (size_t i = 0; i < p->count; i++)
        p->words[i] = p->mark + i;
}

static inline bool race_is_filled(const race_piece *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->words[i] != p->mark + i)
            return false;
    return true;
}

#endif
