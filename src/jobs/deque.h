/* A worker's own end of work: the owner pushes and takes at the bottom, thieves steal at the top.
 *
 *   may overlap    push, take   steal       I1 what lies at positions top to bottom - 1 is nobody's
 *   push, take     no: owner    yes         I2 bottom - top is at most the capacity
 *   steal          yes          yes         I3 top only grows, by a CAS of who gets the items
 *                                           I4 low is at most bottom
 *
 *   top            low                    bottom
 *    | o o o o o o  | o o o o o o o o o o  |
 *      by thieves,    by the owner, and one
 *      a few each     by one by thieves that find nothing below low
 *
 * The owner changes bottom with each item, but low only once in `lag` of them: where many items
 * lie, thieves go by low, take up to steals_max with one CAS, and do not fight for the owner's
 * line. In the words of the papers each of the two is a bottom, and a thief may read either.
 *
 *   E40 the owner's stores to bottom and low (release) -> steal's loads of them (acquire): the
 *       items below, and what the owner wrote to them. All release, since a thief may read any.
 *   E41 steal's CAS of top (release, as a part of seq_cst) -> push's load of top (acquire): the
 *       items were read before their places are written again.
 *
 * Two fences order, in take, the stores of bottom and low before the load of top, and in steal the
 * load of top before the loads of those: a thief that has read an older bottom or low has read a
 * top that take sees, or an older one. They carry no data. So a take that finds top below its item
 * may have it without a CAS, if no thief under way can want it: one that went by bottom wants the
 * item at its top alone; one that went by low wants steals_max from there on, but only below low,
 * and take lowers low before it goes below it. Then it looks whether those that went by the low
 * that was can reach above the new one; if so, it takes the oldest item by CAS, so that they fail.
 *
 * D. Chase and Y. Lev (SPAA 2005), N. M. Le et al. (PPoPP 2013); stealing several at once after
 * D. Hendler and N. Shavit, "Non-Blocking Steal-Half Work Queues" (PODC 2002), who have the owner
 * publish what may be stolen. Positions have 64 bits and do not wrap. The places are fixed: a push
 * that finds them full says so. */
#ifndef TARN_JOBS_DEQUE_H
#define TARN_JOBS_DEQUE_H

#include "base/atomic.h"
#include "base/line.h"
#include "tarn/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TARN_DEQUE_STEALS_MAX 8u

typedef struct tarn_deque {
    TARN_ALIGNED_LINE tarn_u64 top;
    TARN_ALIGNED_LINE tarn_u64 low;
    uint64_t lag, steals_max; /* constant */
    uint64_t mask;            /* capacity - 1, constant */
    tarn_u64 *places;         /* capacity of them, constant */
    TARN_ALIGNED_LINE tarn_u64 bottom;
    uint64_t top_seen; /* the owner's: not above top */
} tarn_deque;

typedef enum tarn_steal { TARN_STEAL_EMPTY, TARN_STEAL_LOST, TARN_STEAL_DONE } tarn_steal;

/* All zero but for the places; capacity is a power of two. */
static inline void tarn_deque_init(tarn_deque *deque, tarn_u64 *places, uint64_t capacity)
{
    deque->lag = capacity / 128;
    deque->steals_max = deque->lag < TARN_DEQUE_STEALS_MAX ? 1 : TARN_DEQUE_STEALS_MAX;
    deque->mask = capacity - 1;
    deque->places = places;
}

/* Where the next push goes. Threads: the owner's. */
static inline uint64_t tarn_deque_bottom(const tarn_deque *deque)
{
    /* relaxed: the owner's own. */
    return tarn_u64_load_relaxed(&deque->bottom);
}

/* Of I4, for a bottom that is about to be. Returns low. Threads: the owner's. */
static inline uint64_t tarn_deque_lower_(tarn_deque *deque, uint64_t bottom)
{
    uint64_t low = bottom > deque->lag ? bottom - deque->lag : 0;
    /* E40 release: as take's of bottom. */
    tarn_u64_store_release(&deque->low, low);
    return low;
}

/* Whether the item at that bottom is not the owner's without more ado. */
static inline bool tarn_deque_is_below_low_(const tarn_deque *deque, uint64_t bottom)
{
    /* relaxed: the owner's own. */
    return bottom < tarn_u64_load_relaxed(&deque->low);
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

/* Gets the oldest item and sets bottom back, which is one too low: at `bottom`. */
static inline void *tarn_deque_take_oldest_(tarn_deque *deque, uint64_t bottom, uint64_t top)
{
    uint64_t item;
    do {
        if ((int64_t)(bottom - top) < 0) {
            item = 0;
            break;
        }
        /* relaxed: the owner wrote it. */
        item = tarn_u64_load_relaxed(&deque->places[top & deque->mask]);
        /* E41 release: as in steal. seq_cst: in one order with the thieves'. */
    } while (!tarn_u64_cas_strong_seq_cst(&deque->top, &top, top + 1));
    /* E40 release. */
    tarn_u64_store_release(&deque->bottom, bottom + 1);
    return (void *)(uintptr_t)item;
}

/* What was pushed last and is there still, now and then what was pushed first, or NULL.
 * Threads: the owner's. */
static inline void *tarn_deque_take(tarn_deque *deque)
{
    uint64_t bottom = tarn_deque_bottom(deque) - 1;
    uint64_t safe = bottom; /* top has to be below it, unless the item is to be fought for */
    if (TARN_UNLIKELY(tarn_deque_is_below_low_(deque, bottom)))
        safe = tarn_deque_lower_(deque, bottom) - deque->steals_max + 1;
    /* E40 release: thieves that read this one go by the items below it as well. */
    tarn_u64_store_release(&deque->bottom, bottom);
    tarn_fence_seq_cst();
    /* relaxed: nothing of a thief's is read; the CAS decides about the last item. */
    uint64_t top = tarn_u64_load_relaxed(&deque->top);
    if (TARN_UNLIKELY((int64_t)(safe - top) <= 0))
        return tarn_deque_take_oldest_(deque, bottom, top);
    /* relaxed: the owner wrote it. */
    return (void *)(uintptr_t)tarn_u64_load_relaxed(&deque->places[bottom & deque->mask]);
}

/* The same where no thread ever steals: without the fence, which costs more than all the rest. */
static inline void *tarn_deque_take_alone(tarn_deque *deque)
{
    uint64_t bottom = tarn_deque_bottom(deque);
    /* relaxed: nobody else changes it. */
    if (bottom == tarn_u64_load_relaxed(&deque->top))
        return NULL;
    if (tarn_deque_is_below_low_(deque, bottom - 1))
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

/* How many of the items from top on a thief may have; 0: there are none. */
static inline uint64_t tarn_deque_count_from_(const tarn_deque *deque, uint64_t top)
{
    /* E40 acquire: the items and their places. */
    int64_t count = (int64_t)(tarn_u64_load_acquire(&deque->low) - top);
    if (count > 0)
        return (uint64_t)count < deque->steals_max ? (uint64_t)count : deque->steals_max;
    /* E40 acquire: the same. */
    return (int64_t)(tarn_u64_load_acquire(&deque->bottom) - top) > 0;
}

/* Takes what was pushed first into items, oldest first: *count at the most, and then as many as
 * there are. TARN_STEAL_LOST: another thread was faster, there may be more. Threads: any. */
static inline tarn_steal tarn_deque_steal_some(tarn_deque *deque, void **items, uint32_t *count)
{
    /* relaxed: the fence orders it before low and bottom, and the CAS decides; nothing of another
     * thief's is read. */
    uint64_t top = tarn_u64_load_relaxed(&deque->top);
    tarn_fence_seq_cst();
    uint64_t found = tarn_deque_count_from_(deque, top);
    if (found == 0)
        return TARN_STEAL_EMPTY;
    if (found > *count)
        found = *count;
    for (uint64_t i = 0; i < found; i++) {
        /* relaxed: E40 has ordered it; of no use if the CAS fails. */
        uint64_t item = tarn_u64_load_relaxed(&deque->places[(top + i) & deque->mask]);
        items[i] = (void *)(uintptr_t)item;
    }
    /* E41 release: the places have been read. seq_cst: in one order with the owner's. */
    if (!tarn_u64_cas_strong_seq_cst(&deque->top, &top, top + found))
        return TARN_STEAL_LOST;
    *count = (uint32_t)found;
    return TARN_STEAL_DONE;
}

static inline tarn_steal tarn_deque_steal(tarn_deque *deque, void **item)
{
    uint32_t count = 1;
    return tarn_deque_steal_some(deque, item, &count);
}

#endif
