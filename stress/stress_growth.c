/* Claim: when many threads find a small growing pool empty at once, it grows as far as they need
 * and not further; a growth that the callback or the memory refuses costs one NULL and nothing
 * else, is asked for once and outside any lock (the callback itself allocates from the pool), and
 * what the pool can hold by then is served in full. All memory goes back, also after a creation
 * that failed half-way.
 *
 * Each pool starts at a sixteenth of its size. Memory calls fail at random. */
#include "check.h"
#include "hostile_memory.h"
#include "scenarios.h"

#include <stdlib.h>

#define STARTS_WITH_ONE_IN   16u
#define CREATE_ATTEMPTS_MAX  10000u
#define DESCRIBE_EVERY_STEPS 32u

typedef struct growth {
    hostile_memory memory;
    _Atomic uint64_t asked;
    size_t grow_objects; /* 0: each growth doubles */
} growth;

/* For the callback, which is not told which thread it runs on. */
static _Thread_local worker *current;

static void use_pool_in_callback(worker *w)
{
    oracle *o = &w->run->oracle;
    atomic_fetch_add_explicit(&o->over, 1, memory_order_relaxed);
    void *object = tarn_guest_alloc(w->run->pool);
    if (!object) {
        w->tally.refusals++;
        return;
    }
    if (!oracle_claim(o, w->number, object, w->number) ||
        !oracle_release(o, w->number, object, w->number))
        return;
    tarn_guest_free(w->run->pool, object);
    w->tally.allocs++;
    w->tally.frees++;
}

/* Refuses one growth in three. */
static bool may_grow(void *context, tarn_pool *pool, size_t objects_now, size_t objects_next)
{
    run *r = context;
    growth *g = r->state;
    worker *w = current;
    tarn_pool_info info;
    tarn_pool_describe(pool, &info);
    atomic_fetch_add_explicit(&g->asked, 1, memory_order_relaxed);
    if (objects_next <= objects_now || objects_next > info.capacity_max)
        failure_report(&r->failure, "the grow callback was asked for %zu objects after %zu of %zu",
                       objects_next, objects_now, info.capacity_max);
    if (!w) {
        failure_report(&r->failure, "the pool asked to grow on a thread that allocates nothing");
        return false;
    }
    if (dice_one_in(&w->dice, 8))
        use_pool_in_callback(w);
    return !dice_one_in(&w->dice, 3);
}

static void shape(run *r, tarn_pool_options *options)
{
    growth *g = calloc(1, sizeof *g);
    r->state = g;
    if (!g) {
        failure_report(&r->failure, "no memory for the scenario");
        return;
    }
    hostile_memory_init(&g->memory, dice_next(&r->dice));
    size_t start = options->capacity / STARTS_WITH_ONE_IN;
    g->grow_objects = dice_one_in(&r->dice, 2) ? 0 : 1 + options->capacity / 8;
    options->capacity_max = options->capacity;
    options->capacity = start ? start : 1;
    options->grow_objects = g->grow_objects;
    options->grow = may_grow;
    options->grow_context = r;
    options->memory = &g->memory.functions;
}

static void check_nothing_out(run *r, const char *when)
{
    const growth *g = r->state;
    int64_t bytes = atomic_load_explicit(&g->memory.reserved_bytes, memory_order_relaxed);
    if (bytes != 0)
        failure_report(&r->failure, "%lld bytes stayed reserved after %s", (long long)bytes, when);
}

static tarn_status create(run *r, const tarn_pool_options *options)
{
    tarn_status status = TARN_ERROR_NO_MEMORY;
    for (uint32_t i = 0; i < CREATE_ATTEMPTS_MAX && r->state; i++) {
        status = tarn_pool_create(options, &r->pool);
        if (status != TARN_ERROR_NO_MEMORY)
            return status;
        if (r->pool)
            failure_report(&r->failure, "a pool came out of a creation that failed");
        check_nothing_out(r, "a failed creation");
    }
    return status;
}

static void begin(worker *w)
{
    current = w;
    worker_attach(w);
}

/* The limit follows the capacity: what the pool has grown to must be served. */
static void renew_limit(worker *w)
{
    tarn_pool_info info;
    tarn_pool_describe(w->run->pool, &info);
    w->purse.limit = info.capacity;
}

static size_t share_of_largest(const worker *w)
{
    size_t share = w->run->info.capacity_max / w->run->options->threads;
    return share ? share : 1;
}

static bool step(worker *w)
{
    if (dice_one_in(&w->dice, DESCRIBE_EVERY_STEPS))
        renew_limit(w);
    if (w->held_count >= share_of_largest(w))
        worker_free_down_to(w, (size_t)dice_below(&w->dice, w->held_count));
    else if (dice_one_in(&w->dice, 4) && w->held_count > 0)
        worker_free_at(w, (size_t)dice_below(&w->dice, w->held_count));
    else
        worker_alloc_over(w);
    return true;
}

/* A pool grows when all it can hold is live or stranded in caches, so it ends at most one growth
 * beyond that. */
static void check_not_too_far(run *r)
{
    const growth *g = r->state;
    tarn_pool_info info;
    tarn_pool_describe(r->pool, &info);
    uint64_t stranded =
        info.caches_max * ((uint64_t)info.cache_objects_max + info.magazine_objects);
    uint64_t used = atomic_load_explicit(&r->oracle.peak, memory_order_relaxed) + stranded;
    uint64_t fair = g->grow_objects ? used + g->grow_objects : 2 * used;
    if (info.capacity > fair && info.capacity > r->info.capacity)
        failure_report(&r->failure, "the pool grew to %zu objects, although %llu were enough",
                       info.capacity, (unsigned long long)fair);
}

static void parked(run *r)
{
    const growth *g = r->state;
    if (atomic_load_explicit(&g->memory.overlapped, memory_order_relaxed))
        failure_report(&r->failure, "two threads committed memory of the pool at once");
    check_not_too_far(r);
}

static void closed(run *r)
{
    if (r->state && !failure_found(&r->failure))
        check_nothing_out(r, "the pool's end");
    free(r->state);
    r->state = NULL;
}

const scenario scenario_growth = {
    .name = "growth",
    .claim = "a growing pool grows once for all who wait, and survives every refused growth",
    .over = true,
    .crews_per_pool = 1,
    .rounds_per_crew = 2,
    .round_ms = 30,
    .shape = shape,
    .create = create,
    .begin = begin,
    .step = step,
    .parked = parked,
    .closed = closed,
};
