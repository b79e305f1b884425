/* frame: each thread allocates FRAME_OBJECTS objects and writes them, then all are dropped. The
 * threads share the frame: they meet after their part of it, and the last to come ends it. What the
 * others wait there is not counted. An operation is one object. */
#ifndef TARN_BENCH_FRAME_H
#define TARN_BENCH_FRAME_H

#include "base/backoff.h"
#include "base/thread.h"
#include "worker/crew.h"
#include "worker/harness.h"

#include <stdatomic.h>

#define FRAME_OBJECTS 10000u

/* The includer's: a thread's part of the frame, and what is done once all have done theirs. */
static void frame_fill(unsigned thread);
static void frame_end(void);

static unsigned frame_threads;
static _Alignas(128) atomic_uint frame_arrived;
static atomic_uint frame_number;

static void frame_open(unsigned threads)
{
    frame_threads = threads;
}

static void frame_wait(unsigned thread, unsigned number)
{
    tarn_backoff backoff = TARN_BACKOFF_INIT;
    crew_wait_begins(thread);
    while (atomic_load_explicit(&frame_number, memory_order_acquire) == number) {
        tarn_backoff_wait(&backoff);
        tarn_thread_yield();
    }
    crew_wait_ends(thread);
}

static void frame_meet(unsigned thread)
{
    /* relaxed: it changes only after this thread has arrived, and then by the rules below. */
    unsigned number = atomic_load_explicit(&frame_number, memory_order_relaxed);
    unsigned before = atomic_fetch_add_explicit(&frame_arrived, 1, memory_order_acq_rel);
    if (before + 1 < frame_threads) {
        frame_wait(thread, number);
        return;
    }
    frame_end();
    /* relaxed: the store that follows publishes it. */
    atomic_store_explicit(&frame_arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&frame_number, number + 1, memory_order_release);
}

static void frame_work(unsigned thread, uint64_t operations)
{
    for (uint64_t i = 0; i < operations / FRAME_OBJECTS; i++) {
        frame_fill(thread);
        frame_meet(thread);
    }
}

#endif
