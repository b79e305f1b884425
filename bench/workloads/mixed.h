/* mixed: each thread has a working set of 512 places and toggles one at random, over and over: an
 * empty place gets an object, an object is freed. One free in ten is left to the next thread, which
 * finds the object in a queue (with one thread, to itself, later).
 * An operation is two toggles: one allocation and one free, on average. */
#ifndef TARN_BENCH_MIXED_H
#define TARN_BENCH_MIXED_H

#include "worker/take.h"
#include "workloads/random.h"
#include "workloads/ring.h"

#define MIXED_PLACES          512u
#define MIXED_REMOTE_PERCENT  10u
#define MIXED_TOGGLES         32768u /* precomputed, then from the start; a power of two */
#define MIXED_ROUND_TOGGLES   64u    /* between two looks at the inbox */
#define MIXED_OPERATIONS_STEP (MIXED_ROUND_TOGGLES / 2)
#define MIXED_REMOTE_FLAG     0x8000u
#define MIXED_LIVE_MAX        (MIXED_PLACES + RING_OBJECTS_MAX)

typedef struct mixed_state {
    _Alignas(128) subject_ref places[MIXED_PLACES];
    uint16_t toggles[MIXED_TOGGLES]; /* a place, and MIXED_REMOTE_FLAG */
    uint32_t toggle;                 /* the next one */
    uint32_t outgoing;               /* objects in the batch being filled for the next thread */
    ring inbox;                      /* filled by the previous thread */
} mixed_state;

static mixed_state *mixed_states;
static unsigned mixed_threads;

static void mixed_open(unsigned threads)
{
    mixed_threads = threads;
    mixed_states = bench_pages(threads * sizeof *mixed_states);
}

static void mixed_prepare(unsigned thread)
{
    mixed_state *self = &mixed_states[thread];
    uint64_t random = random_seed(thread);
    for (uint32_t i = 0; i < MIXED_TOGGLES; i++) {
        bool remote = random_below(&random, 100) < MIXED_REMOTE_PERCENT;
        uint32_t place = random_below(&random, MIXED_PLACES);
        self->toggles[i] = (uint16_t)(place | (remote ? MIXED_REMOTE_FLAG : 0));
    }
}

/* False while the queue is full: the object is then freed where it is. */
static inline bool mixed_send(mixed_state *self, mixed_state *next, subject_ref object)
{
    subject_ref *batch = ring_empty_slot(&next->inbox);
    if (!batch)
        return false;
    batch[self->outgoing++] = object;
    if (self->outgoing == RING_BATCH_OBJECTS) {
        ring_put(&next->inbox);
        self->outgoing = 0;
    }
    return true;
}

static inline void mixed_receive(subject_handle subject, mixed_state *self)
{
    for (subject_ref *batch; (batch = ring_full_slot(&self->inbox)) != NULL;
         ring_drop(&self->inbox))
        for (uint32_t i = 0; i < RING_BATCH_OBJECTS; i++)
            subject_drop(subject, batch[i]);
}

static inline void mixed_toggle(subject_handle subject, mixed_state *self, mixed_state *next)
{
    uint32_t toggle = self->toggles[self->toggle++ % MIXED_TOGGLES];
    subject_ref *place = &self->places[toggle % MIXED_PLACES];
    subject_ref object = *place;
    if (subject_ref_is_none(object)) {
        *place = bench_take(subject, toggle);
        return;
    }
    *place = subject_ref_none;
    if ((toggle & MIXED_REMOTE_FLAG) == 0 || !mixed_send(self, next, object))
        subject_drop(subject, object);
}

static void mixed_work(unsigned thread, uint64_t operations)
{
    subject_handle subject = handles[thread];
    mixed_state *self = &mixed_states[thread];
    mixed_state *next = &mixed_states[(thread + 1) % mixed_threads];
    for (uint64_t i = 0; i < operations / MIXED_OPERATIONS_STEP; i++) {
        for (uint32_t j = 0; j < MIXED_ROUND_TOGGLES; j++)
            mixed_toggle(subject, self, next);
        mixed_receive(subject, self);
    }
}

#endif
