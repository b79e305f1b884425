/* A barrier for the frame: all workers arrive before any of them leaves.
 *
 * Waiters spin for a moment and then yield. Spinning alone would waste whole time slices when there
 * are more workers than cores; sleeping alone would cost a wake-up per phase when there are not.
 *
 *   E1 each arrival (acq_rel add) -> the last arrival: what every worker wrote in the phase
 *   E2 the last arrival's store of generation (release) -> each waiter's load (acquire): the same
 */
#ifndef ENGINE_BARRIER_H
#define ENGINE_BARRIER_H

#include "base/thread.h"

#include <ck_pr.h>
#include <stdatomic.h>
#include <stdint.h>

#define BARRIER_SPINS_MAX 256

typedef struct barrier {
    _Alignas(128) atomic_uint arrived;
    _Alignas(128) atomic_uint generation;
    uint32_t parties;
} barrier;

static inline void barrier_init(barrier *b, uint32_t parties)
{
    atomic_init(&b->arrived, 0);
    atomic_init(&b->generation, 0);
    b->parties = parties;
}

static inline void barrier_wait(barrier *b)
{
    /* relaxed: it cannot change before this worker has arrived */
    unsigned generation = atomic_load_explicit(&b->generation, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) + 1 ==
        b->parties) { /* E1 */
        /* relaxed: nobody arrives again before E2 */
        atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&b->generation, generation + 1, memory_order_release); /* E2 */
        return;
    }
    for (int spins = 0;
         atomic_load_explicit(&b->generation, memory_order_acquire) == generation; /* E2 */
         spins++) {
        if (spins < BARRIER_SPINS_MAX)
            ck_pr_stall();
        else
            tarn_thread_yield();
    }
}

#endif
