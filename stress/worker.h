/* One thread of a run and its checked operations on the pool. Scenarios are written in these.
 *
 * A worker is used by one thread at a time; `doing` and the counters with _Atomic are sampled by
 * the others. */
#ifndef STRESS_WORKER_H
#define STRESS_WORKER_H

#include "dice.h"
#include "oracle.h"
#include "tarn/tarn.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run;

/* What a worker did to the pool that lives now; compared with the pool's own statistics. */
typedef struct tally {
    uint64_t allocs, frees;
    uint64_t refusals;         /* allocations that answered NULL or TARN_ERROR_FULL */
    uint64_t reserve_refusals; /* reservations that did */
} tally;

typedef struct worker {
    _Alignas(128) _Atomic(const char *) doing; /* the pool call it is in, NULL between calls */
    _Atomic uint64_t operations;
    _Atomic uint64_t overlap_samples, overlap_hits;
    struct run *run;
    uint32_t number;   /* from 1; its stamp */
    bool rising;       /* worker_walk: towards full or towards empty */
    bool playing;      /* it is within a round, where overlap counts */
    bool done;         /* its step said that the round is over for it */
    tarn_cache *cache; /* NULL: guest calls */
    dice dice;
    purse purse;
    tally tally;
    uint64_t contents; /* counts up, so that each content written is new */
    uint64_t calls;    /* of the planted subject */
    void **held;       /* objects that it owns */
    size_t held_count, held_max;
} worker;

/* One object into held. False when no ticket is free (the pool is not asked) or on failure. */
bool worker_alloc(worker *w);
/* The same also without a ticket; NULL from the pool is then fair. */
bool worker_alloc_over(worker *w);
/* count objects into held, or none. With `over` also beyond the limit. */
bool worker_alloc_bulk(worker *w, size_t count, bool over);
/* After success the next count calls of worker_alloc_reserved must succeed. */
bool worker_reserve(worker *w, size_t count);
bool worker_alloc_reserved(worker *w);
/* Ends a reservation of which `left` objects were not taken. */
void worker_unreserve(worker *w, size_t left);

void worker_free_at(worker *w, size_t held_index);
/* The last `count` of held at once. */
void worker_free_bulk(worker *w, size_t count);
/* Down to `keep` objects: last first, first first, or at random, as the dice say. */
void worker_free_down_to(worker *w, size_t keep);

/* Hands the held object over (the caller then publishes it with release), or takes one over (read
 * with acquire). NULL: failed. */
void *worker_send(worker *w, size_t held_index);
bool worker_receive(worker *w, void *object);

void worker_attach(worker *w);
void worker_detach(worker *w);

/* A fair part of the limit. */
size_t worker_share(const worker *w);
/* One random alloc or free; swings between nothing and its share. */
void worker_walk(worker *w);
/* False as soon as the round ends or something failed: loops within a step ask it. */
bool worker_goes_on(const worker *w);

#endif
