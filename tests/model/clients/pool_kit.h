/* What clients of a whole pool share: a small pool in the modelled memory, calls that keep the
 * ledger, and the check that every object is somewhere, once. */
#ifndef TARN_MODEL_POOL_KIT_H
#define TARN_MODEL_POOL_KIT_H

#include "base/atomic.h"
#include "engine/knowledge.h"
#include "tarn/tarn.h"

#include <stdbool.h>
#include <stdint.h>

#define KIT_OBJECTS_MAX 64u

typedef struct kit_world {
    tarn_pool *pool;
    tarn_cache *caches[MODEL_THREADS_MAX]; /* by thread; NULL: none */
    uint32_t slots;                        /* of the pool, slack included, at its largest */
    void *spare[KIT_OBJECTS_MAX];          /* taken by thread 0 while setting up */
    uint32_t spare_count;
    void *held[MODEL_THREADS_MAX];
    tarn_u32 step; /* a signal between threads, released and acquired */
} kit_world;

extern kit_world kit;

/* Makes the pool, with the least slack that its plan's argument needs for that many threads, and a
 * cache for each of threads 1..caches. */
void kit_make(const tarn_pool_options *options, uint32_t threads, uint32_t caches);

/* A cached pool of capacity 2 with objects of 8 bytes. A bound of 1: an array of one and no shelf;
 * 2: an array of two; 3: and a shelf of one; 4: of two; 6: of four, in chains of two; 8: a shelf of
 * two magazines of two objects each. */
void kit_make_small(uint32_t cache_objects_max, uint32_t threads, uint32_t caches);

/* Widens the shelves of a pool with a bound of 6 and nothing carved yet: plans so small have only
 * chains of two. */
void kit_use_chains_of_three(uint32_t threads);

/* Takes every object, as thread 0, so that the pool is empty, without letting it grow; then gives
 * some of them back, the last first: to a thread's cache; to the depot in full magazines, by way of
 * a thread's cache, which must be empty; to the depot, loose. For setting up. */
void kit_exhaust(void);
void kit_take_spares(void); /* the same through thread 1's cache, as a checked pool wants it */
void kit_put(uint32_t thread, uint32_t count);
void kit_put_depot(uint32_t thread, uint32_t count);
void kit_put_loose(uint32_t count);

/* The present state is what each run begins with. */
void kit_ready(void);

/* The calls under test. Each writes to the object, as its owner may. kit_take fails the run when
 * the pool refuses with less than its capacity taken. */
void *kit_take(void);
void kit_give(void *object);
void *kit_guest_take(void);
void kit_guest_give(void *object);

/* What guest calls do when every cache is taken, without the lock that a thread's end takes. */
void *kit_direct_take(void);
void kit_direct_give(void *object);

/* The running thread's object from one to the next, where a client's steps are few. */
void kit_take_hold(void);
void kit_give_held(void);

/* Entries in the ledger for calls that the kit does not wrap. */
void kit_note_taken(void *object);
void kit_note_given(void *object);

/* Signals that this step is done, and waits for one. */
void kit_signal(uint32_t step);
void kit_await(uint32_t step);

/* Everything is conserved: the figures agree with the ledger, and all that is free can be taken, by
 * threads that have ended. After a run in which a thread stopped: nothing is given out twice. */
void kit_check(void);

#endif
