/* A ring of batches from one producer to one consumer. Both work in place: a batch is filled in its
 * slot and emptied from there, so the ring itself costs two shared lines per 64 objects.
 *
 *   E1 ring_put's store of puts (release) -> ring_full_slot's read (acquire): the batch.
 *   E2 ring_drop's store of drops (release) -> ring_empty_slot's read (acquire): the slot is free.
 */
#ifndef TARN_BENCH_RING_H
#define TARN_BENCH_RING_H

#include "base/thread.h"
#include "worker/take.h"

#include <ck_pr.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define RING_BATCHES       16u /* a power of two: the counters wrap */
#define RING_BATCH_OBJECTS 64u
#define RING_OBJECTS_MAX   ((RING_BATCHES + 1) * RING_BATCH_OBJECTS)

typedef struct ring {
    _Alignas(128) _Atomic uint32_t puts;  /* batches ever put, the producer's */
    _Alignas(128) _Atomic uint32_t drops; /* batches ever emptied, the consumer's */
    _Alignas(128) subject_ref batches[RING_BATCHES][RING_BATCH_OBJECTS];
} ring;

/* Where the producer may fill the next batch; NULL while the ring is full. */
static inline subject_ref *ring_empty_slot(ring *r)
{
    uint32_t puts = atomic_load_explicit(&r->puts, memory_order_relaxed); /* relaxed: own counter */
    if (puts - atomic_load_explicit(&r->drops, memory_order_acquire) == RING_BATCHES) /* E2 */
        return NULL;
    return r->batches[puts % RING_BATCHES];
}

static inline void ring_put(ring *r)
{
    uint32_t puts = atomic_load_explicit(&r->puts, memory_order_relaxed); /* relaxed: own counter */
    atomic_store_explicit(&r->puts, puts + 1, memory_order_release);      /* E1 */
}

/* The consumer's next batch; NULL while the ring is empty. */
static inline subject_ref *ring_full_slot(ring *r)
{
    uint32_t drops = atomic_load_explicit(&r->drops, memory_order_relaxed); /* relaxed: own */
    if (drops == atomic_load_explicit(&r->puts, memory_order_acquire))      /* E1 */
        return NULL;
    return r->batches[drops % RING_BATCHES];
}

static inline void ring_drop(ring *r)
{
    uint32_t drops = atomic_load_explicit(&r->drops, memory_order_relaxed); /* relaxed: own */
    atomic_store_explicit(&r->drops, drops + 1, memory_order_release);      /* E2 */
}

/* Gives the core away after a while: with more threads than cores the partner may not run. */
static inline void ring_wait(unsigned *waits)
{
    if (++*waits % 128 == 0)
        tarn_thread_yield();
    else
        ck_pr_stall();
}

#endif
