#include "check.h"

#include <inttypes.h>

#define NEGATIVE(figure) ((figure) >> 63 != 0)

static bool statistics_sound(const tarn_pool_statistics *s, const tarn_pool_info *info)
{
    return !NEGATIVE(s->allocs) && !NEGATIVE(s->frees) && !NEGATIVE(s->live) &&
           !NEGATIVE(s->free_in_caches) && !NEGATIVE(s->free_in_depot) && !NEGATIVE(s->refusals) &&
           !NEGATIVE(s->depot_takes) && !NEGATIVE(s->depot_puts) && !NEGATIVE(s->steals) &&
           !NEGATIVE(s->drain_requests) && !NEGATIVE(s->growths) &&
           s->caches_attached <= info->caches_max && info->slots_carved <= info->slots &&
           info->capacity <= info->capacity_max;
}

void check_sample(run *r)
{
    tarn_pool_statistics s;
    tarn_pool_info info;
    tarn_pool_sample(r->pool, &s);
    tarn_pool_describe(r->pool, &info);
    if (statistics_sound(&s, &info))
        return;
    failure_report(&r->failure,
                   "a sample is out of range: allocs %" PRIu64 " frees %" PRIu64 " live %" PRIu64
                   " in caches %" PRIu64 " in depot %" PRIu64 " carved %zu of %zu",
                   s.allocs, s.frees, s.live, s.free_in_caches, s.free_in_depot, info.slots_carved,
                   info.slots);
}

static tally tally_all(const run *r)
{
    tally sum = {0};
    for (size_t i = 0; i < r->workers_count; i++) {
        const tally *t = &r->workers[i].tally;
        sum.allocs += t->allocs;
        sum.frees += t->frees;
        sum.refusals += t->refusals;
        sum.reserve_refusals += t->reserve_refusals;
    }
    return sum;
}

static uint64_t tickets_in_use(run *r)
{
    for (size_t i = 0; i < r->workers_count; i++)
        oracle_empty_purse(&r->oracle, &r->workers[i].purse);
    return atomic_load_explicit(&r->oracle.tickets, memory_order_relaxed);
}

static void check_live(run *r, const tarn_pool_statistics *s, const tarn_pool_info *info)
{
    uint64_t tickets = tickets_in_use(r);
    /* Where memory comes and goes, slots beyond the number of those in use are in use too. */
    size_t slots = r->scenario->forgets ? info->slots : info->slots_carved;
    size_t owned = oracle_owned(&r->oracle, slots);
    if (s->live != tickets || s->live != owned)
        failure_report(&r->failure,
                       "objects were lost: the pool counts %" PRIu64 " live, tickets %" PRIu64
                       ", stamps %zu",
                       s->live, tickets, owned);
    uint64_t idle = s->free_in_caches + s->free_in_depot;
    if (s->live + idle != info->slots_carved)
        failure_report(&r->failure,
                       "objects were lost: %" PRIu64 " live, %" PRIu64 " in caches, %" PRIu64
                       " in depot, but %zu slots were carved",
                       s->live, s->free_in_caches, s->free_in_depot, info->slots_carved);
}

static void check_tallies(run *r, const tarn_pool_statistics *s)
{
    tally own = tally_all(r);
    if (s->allocs != own.allocs || s->frees != own.frees)
        failure_report(&r->failure,
                       "the statistics count %" PRIu64 " allocs and %" PRIu64
                       " frees; there were %" PRIu64 " and %" PRIu64,
                       s->allocs, s->frees, own.allocs, own.frees);
    /* Whether a refused reservation counts as a refused allocation is the pool's choice. */
    if (s->refusals < own.refusals || s->refusals > own.refusals + own.reserve_refusals)
        failure_report(&r->failure,
                       "the statistics count %" PRIu64 " refusals; there were %" PRIu64,
                       s->refusals, own.refusals);
}

static void check_caches(run *r, const tarn_pool_statistics *s, const tarn_pool_info *info)
{
    uint64_t bound = (uint64_t)info->caches_max * info->cache_objects_max;
    if (s->free_in_caches > bound)
        failure_report(&r->failure, "caches hold %" PRIu64 " objects, more than %u times %u",
                       s->free_in_caches, info->caches_max, info->cache_objects_max);
    if (info->exact && s->live > info->capacity)
        failure_report(&r->failure, "an exact pool of %zu has %" PRIu64 " live objects",
                       info->capacity, s->live);
}

void check_quiet(run *r)
{
    tarn_pool_statistics s;
    tarn_pool_info info;
    check_sample(r);
    tarn_pool_sample(r->pool, &s);
    tarn_pool_describe(r->pool, &info);
    check_live(r, &s, &info);
    check_tallies(r, &s);
    check_caches(r, &s, &info);
}

/* What may stay out of main's reach: the private arrays of the caches that others hold. */
static uint64_t unreachable_max(const tarn_pool_statistics *s, const tarn_pool_info *info,
                                const worker *m)
{
    uint64_t array = info->cache_objects_max < TARN_CACHE_ARRAY_OBJECTS ? info->cache_objects_max
                                                                        : TARN_CACHE_ARRAY_OBJECTS;
    uint64_t others = s->caches_attached - (m->cache && s->caches_attached > 0);
    return others * array;
}

/* Main has been refused, or has everything: nothing that it could have had may be left. */
static void check_rest(run *r, const worker *m)
{
    tarn_pool_statistics s;
    tarn_pool_info info;
    tarn_pool_sample(r->pool, &s);
    tarn_pool_describe(r->pool, &info);
    if (info.slots_carved != info.slots || s.free_in_depot != 0 ||
        s.free_in_caches > unreachable_max(&s, &info, m))
        failure_report(&r->failure,
                       "objects are out of reach: refused at %" PRIu64 " live, %" PRIu64
                       " in caches, %" PRIu64 " in depot, %zu carved of %zu slots",
                       s.live, s.free_in_caches, s.free_in_depot, info.slots_carved, info.slots);
}

/* Slack is for what nobody can reach. */
static void check_slack(run *r, const worker *m, const tarn_pool_info *before)
{
    tarn_pool_statistics s;
    tarn_pool_info after;
    tarn_pool_sample(r->pool, &s);
    tarn_pool_describe(r->pool, &after);
    if (after.capacity != before->capacity)
        failure_report(&r->failure, "the pool grew from %zu to %zu objects below its capacity",
                       before->capacity, after.capacity);
    /* Memory that comes back counts as carved too, and says nothing about slack. */
    bool touched = !r->scenario->forgets && after.slots_carved > before->slots_carved &&
                   after.slots_carved > after.capacity;
    uint64_t own = m->cache ? TARN_CACHE_ARRAY_OBJECTS : 0;
    if (touched && s.free_in_depot + s.free_in_caches > unreachable_max(&s, &after, m) + own)
        failure_report(&r->failure,
                       "slack was carved although %" PRIu64 " objects in caches and %" PRIu64
                       " in the depot were free",
                       s.free_in_caches, s.free_in_depot);
}

static void fill_and_free(run *r, worker *m, const tarn_pool_info *before)
{
    m->purse = (purse){.limit = before->capacity, .batch = 1};
    while (worker_alloc(m))
        ;
    check_slack(r, m, before);
    if (before->capacity == before->capacity_max) {
        while (worker_alloc_over(m))
            ;
        check_rest(r, m);
    }
    worker_free_down_to(m, 0);
}

void check_fill(run *r)
{
    tarn_pool_info info;
    tarn_pool_describe(r->pool, &info);
    worker *m = run_main_worker(r);
    if (!r->scenario->guests)
        worker_attach(m);
    if (failure_found(&r->failure))
        return;
    fill_and_free(r, m, &info);
    if (failure_found(&r->failure))
        return;
    worker_detach(m);
    check_quiet(r);
}

void check_carved(run *r, uint64_t live_max)
{
    tarn_pool_info info;
    tarn_pool_describe(r->pool, &info);
    uint64_t for_each_cache = (uint64_t)info.cache_objects_max + info.magazine_objects;
    uint64_t bound = live_max + info.caches_max * for_each_cache;
    if (info.slots_carved > bound)
        failure_report(&r->failure,
                       "%zu slots were carved for %" PRIu64 " live objects and %u caches of %u",
                       info.slots_carved, live_max, info.caches_max, info.cache_objects_max);
}
