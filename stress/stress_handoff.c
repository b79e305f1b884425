/* Claim: when one thread only allocates and another only frees, every object arrives once with its
 * content, none is refused below the capacity, and the slots ever used stay within the live
 * objects + caches * (their bound + a magazine), however long it goes on.
 *
 * Pairs of threads, a ring between the two; the roles change from round to round; an odd thread
 * works on its own. The ring orders producer -> consumer only: its empty slots are read relaxed,
 * so that the way back is ordered by the pool alone. */
#include "check.h"
#include "scenarios.h"

#include <stdlib.h>

#define RING_OBJECTS 512u

typedef struct ring {
    _Alignas(128) _Atomic(void *) slots[RING_OBJECTS];
    _Alignas(128) uint32_t put;  /* the producer's */
    _Alignas(128) uint32_t take; /* the consumer's */
} ring;

static void shape(run *r, tarn_pool_options *options)
{
    options->caches_max = r->options->threads + 1; /* main's */
}

/* Every ring full, and one more object in each hand. */
static uint64_t live_max(const run *r)
{
    uint64_t rings = r->options->threads / 2;
    uint64_t objects = rings * RING_OBJECTS + 2 * (uint64_t)r->options->threads;
    return objects < r->info.capacity ? objects : r->info.capacity;
}

static bool open(run *r)
{
    size_t rings = r->options->threads / 2;
    ring *all = aligned_alloc(_Alignof(ring), rings * sizeof *all);
    r->limit = live_max(r);
    r->state = all;
    if (!all) {
        failure_report(&r->failure, "no memory for %zu rings", rings);
        return false;
    }
    for (size_t i = 0; i < rings; i++)
        all[i] = (ring){.put = 0};
    return true;
}

static void close(run *r)
{
    free(r->state);
    r->state = NULL;
}

static void produce(worker *w, ring *way)
{
    _Atomic(void *) *slot = &way->slots[way->put % RING_OBJECTS];
    if (atomic_load_explicit(slot, memory_order_relaxed) || !worker_alloc(w)) {
        tarn_thread_yield();
        return;
    }
    void *object = worker_send(w, w->held_count - 1);
    atomic_store_explicit(slot, object, memory_order_release);
    way->put++;
}

static void consume(worker *w, ring *way)
{
    _Atomic(void *) *slot = &way->slots[way->take % RING_OBJECTS];
    void *object = atomic_load_explicit(slot, memory_order_acquire);
    if (!object) {
        tarn_thread_yield();
        return;
    }
    atomic_store_explicit(slot, NULL, memory_order_relaxed);
    way->take++;
    if (worker_receive(w, object))
        worker_free_at(w, w->held_count - 1);
}

static bool step(worker *w)
{
    uint32_t index = w->number - 1;
    ring *rings = w->run->state;
    if ((index | 1) >= w->run->options->threads)
        worker_walk(w);
    else if ((index + w->run->round) % 2 == 0)
        produce(w, &rings[index / 2]);
    else
        consume(w, &rings[index / 2]);
    return true;
}

static void parked(run *r)
{
    check_carved(r, r->limit);
}

static void ended(run *r)
{
    worker *m = run_main_worker(r);
    ring *rings = r->state;
    worker_attach(m);
    for (size_t i = 0; i < r->options->threads / 2 && !failure_found(&r->failure); i++) {
        while (atomic_load_explicit(&rings[i].slots[rings[i].take % RING_OBJECTS],
                                    memory_order_relaxed))
            consume(m, &rings[i]);
    }
    worker_detach(m);
}

const scenario scenario_handoff = {
    .name = "handoff",
    .claim = "one-sided traffic loses nothing and does not grow the pool's footprint",
    .lean = true,
    .crews_per_pool = 2,
    .rounds_per_crew = 6,
    .round_ms = 100,
    .shape = shape,
    .open = open,
    .step = step,
    .parked = parked,
    .ended = ended,
    .close = close,
};
