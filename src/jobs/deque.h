/* A worker's own end of work: the owner pushes and takes at the bottom, thieves steal at the top.
 *
 *   may overlap    push, take   steal       I1 what lies at positions top to bottom - 1 is nobody's
 *   push, take     no: owner    yes         I2 bottom - top is at most the capacity
 *   steal          yes          yes         I3 top only grows, by one CAS for each item stolen or
 *                                              last item taken
 *                                           I4 low is at most bottom
 *
 * A thief goes by low as long as that shows it an item, and by bottom only where it does not. The
 * owner changes bottom with each item, but low once in `lag` of them, so where many items lie,
 * thieves and owner do not fight for a line. Below, what is said of bottom holds for either.
 *
 *   E40 the owner's stores to bottom (release) -> steal's load of it (acquire): the items below it,
 *       and what the owner wrote to them. All of them release, since a thief may read any.
 *   E41 steal's CAS of top (release, as a part of seq_cst) -> push's load of top (acquire): the
 *       item was read before its place is written again.
 *
 * The two fences order, in take, the stores of bottom before the load of top, and in steal the load
 * of top before the loads of bottom: where one item is left, owner and thief see each other. They
 * carry no data.
 *
 * D. Chase and Y. Lev (SPAA 2005), N. M. Le et al. (PPoPP 2013). Positions have 64 bits and do not
 * wrap. The places are fixed: a push that finds them full says so. */
#ifndef TARN_JOBS_DEQUE_H
#define TARN_JOBS_DEQUE_H

#include "base/atomic.h"
#include "base/line.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tarn_deque {
    TARN_ALIGNED_LINE tarn_u64 top;
    TARN_ALIGNED_LINE tarn_u64 low;
    uint64_t lag;     /* constant */
    uint64_t mask;    /* capacity - 1, constant */
    tarn_u64 *places; /* capacity of them, constant */
    TARN_ALIGNED_LINE tarn_u64 bottom;
    uint64_t top_seen; /* the owner's: not above top */
} tarn_deque;

typedef enum tarn_steal { TARN_STEAL_EMPTY, TARN_STEAL_LOST, TARN_STEAL_DONE } tarn_steal;

/* All zero but for the places; capacity is a power of two. */
static inline void tarn_deque_init(tarn_deque *deque, tarn_u64 *places, uint64_t capacity)
{
    deque->lag = capacity / 128;
    deque->mask = capacity - 1;
    deque->places = places;
}

/* Where the next push goes. Threads: the owner's. */
static inline uint64_t tarn_deque_bottom(const tarn_deque *deque)
{
    /* relaxed: the owner's own. */
    return tarn_u64_load_relaxed(&deque->bottom);
}

/* Of I4, for a bottom that is about to be. Threads: the owner's. */
static inline void tarn_deque_lower_(tarn_deque *deque, uint64_t bottom)
{
    /* relaxed: the owner's own. */
    if (bottom >= tarn_u64_load_relaxed(&deque->low))
        return;
    /* E40 release: as take's of bottom. */
    tarn_u64_store_release(&deque->low, bottom > deque->lag ? bottom - deque->lag : 0);
}

/* False: it is full, and nothing was pushed. Threads: the owner's. */
static inline bool tarn_deque_push(tarn_deque *deque, void *item)
{
    uint64_t bottom = tarn_deque_bottom(deque);
    if (bottom - deque->top_seen > deque->mask) {
        /* E41 acquire: thieves have read what lay in the places that are free now. */
        deque->top_seen = tarn_u64_load_acquire(&deque->top);
        if (bottom - deque->top_seen > deque->mask)
            return false;
    }
    /* relaxed: bottom publishes it. */
    tarn_u64_store_relaxed(&deque->places[bottom & deque->mask], (uintptr_t)item);
    /* E40 release: the item and its place. */
    tarn_u64_store_release(&deque->bottom, bottom + 1);
    /* relaxed: the owner's own. */
    if (bottom - tarn_u64_load_relaxed(&deque->low) >= 2 * deque->lag)
        /* E40 release: the items and their places. */
        tarn_u64_store_release(&deque->low, bottom + 1);
    return true;
}

/* What was pushed last and is there still, or NULL. Threads: the owner's. */
static inline void *tarn_deque_take(tarn_deque *deque)
{
    uint64_t bottom = tarn_deque_bottom(deque) - 1;
    tarn_deque_lower_(deque, bottom);
    /* E40 release: thieves that read this one go by the items below it as well. */
    tarn_u64_store_release(&deque->bottom, bottom);
    tarn_fence_seq_cst();
    /* relaxed: nothing of a thief's is read; the CAS decides about the last item. */
    uint64_t top = tarn_u64_load_relaxed(&deque->top);
    uint64_t item = 0;
    if ((int64_t)(bottom - top) >= 0) {
        /* relaxed: the owner wrote it. */
        item = tarn_u64_load_relaxed(&deque->places[bottom & deque->mask]);
        if (bottom != top)
            return (void *)(uintptr_t)item;
        /* E41 release: as in steal. seq_cst: in one order with the thieves'. */
        if (!tarn_u64_cas_strong_seq_cst(&deque->top, &top, top + 1))
            item = 0;
    }
    /* E40 release. */
    tarn_u64_store_release(&deque->bottom, bottom + 1);
    return (void *)(uintptr_t)item;
}

/* The same where no thread ever steals: without the fence, which costs more than all the rest. */
static inline void *tarn_deque_take_alone(tarn_deque *deque)
{
    uint64_t bottom = tarn_deque_bottom(deque);
    /* relaxed: nobody else changes it. */
    if (bottom == tarn_u64_load_relaxed(&deque->top))
        return NULL;
    tarn_deque_lower_(deque, bottom - 1);
    /* E40 release: nobody acquires it here, but who looks whether it is empty may read it. */
    tarn_u64_store_release(&deque->bottom, bottom - 1);
    /* relaxed: as in take. */
    uint64_t item = tarn_u64_load_relaxed(&deque->places[(bottom - 1) & deque->mask]);
    return (void *)(uintptr_t)item;
}

/* Whether a take would be in vain; false may be wrong. Threads: the owner's. */
static inline bool tarn_deque_is_bare(const tarn_deque *deque)
{
    /* relaxed: a hint; top only grows. */
    return tarn_u64_load_relaxed(&deque->top) == tarn_deque_bottom(deque);
}

/* Whether a steal would be in vain, as of some moment. Threads: any. */
static inline bool tarn_deque_looks_empty(const tarn_deque *deque)
{
    /* relaxed: top first, so that a bottom that is newer shows items rather than none. */
    uint64_t top = tarn_u64_load_relaxed(&deque->top);
    /* relaxed: who sleeps if it is empty has fenced before, see idle.h; nothing is read of it. */
    return (int64_t)(tarn_u64_load_relaxed(&deque->low) - top) <= 0 &&
           /* relaxed: the same. */
           (int64_t)(tarn_u64_load_relaxed(&deque->bottom) - top) <= 0;
}

/* Takes what was pushed first into *item. TARN_STEAL_LOST: another thread was faster, there may be
 * more. Threads: any. */
static inline tarn_steal tarn_deque_steal(tarn_deque *deque, void **item)
{
    /* relaxed: the fence orders it before bottom, and the CAS decides; nothing of another thief's
     * is read. */
    uint64_t top = tarn_u64_load_relaxed(&deque->top);
    tarn_fence_seq_cst();
    /* E40 acquire: the item and its place. */
    if ((int64_t)(tarn_u64_load_acquire(&deque->low) - top) <= 0 &&
        /* E40 acquire: the same. */
        (int64_t)(tarn_u64_load_acquire(&deque->bottom) - top) <= 0)
        return TARN_STEAL_EMPTY;
    /* relaxed: E40 has ordered it; of no use if the CAS fails. */
    uint64_t found = tarn_u64_load_relaxed(&deque->places[top & deque->mask]);
    /* E41 release: the place has been read. seq_cst: in one order with the owner's. */
    if (!tarn_u64_cas_strong_seq_cst(&deque->top, &top, top + 1))
        return TARN_STEAL_LOST;
    *item = (void *)(uintptr_t)found;
    return TARN_STEAL_DONE;
}

#endif
