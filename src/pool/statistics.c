/* Figures for people and tools. The fast path counts allocations only; everything else follows
 * from what passes between the parts, per cache:
 *
 *   frees = allocs + free objects held + stolen from its shelf + objects_out - objects_in
 *
 * Each figure is read by itself, while its owner may be between two of them. Sums that come out
 * negative that way, or above what was ever carved, are cut to the possible. */
#include "pool/quarantine.h"
#include "pool/reserve.h"
#include "pool/shelf.h"
#include "pool/slots.h"

#include "base/size.h"
#include "pool/array.h"
#include "pool/cache.h"

#include <string.h>

static uint64_t read(const tarn_u64 *counter)
{
    /* relaxed: samples order nothing. */
    return tarn_u64_load_relaxed(counter);
}

/* A sum of figures that were read at different times may be off by what passed meanwhile. */
static uint64_t clamp(int64_t sum, uint64_t max)
{
    if (sum < 0)
        return 0;
    return (uint64_t)sum < max ? (uint64_t)sum : max;
}

typedef struct totals {
    int64_t allocs, frees, held, loose, magazines; /* magazines: full, in the depot */
} totals;

/* In an exact pool the shared counters have it all, but a reserved object is free, for figures. */
static void add_exact(const tarn_cache_state *cache, totals *sum)
{
    int64_t reserved = (int64_t)tarn_reserve_count_(cache);
    sum->held += reserved;
    sum->allocs -= reserved;
}

/* Everything but held is a running sum over all caches that may be negative for one of them. */
static void add_cache(const tarn_pool *pool, const tarn_cache_state *cache, totals *sum)
{
    const tarn_cache_counters *counters = &cache->counters;
    int64_t magazine_objects = pool->plan.magazine_objects;
    int64_t private = (int64_t)tarn_array_count_(cache) + (int64_t)read(&counters->reserved);
    int64_t shelved = (int64_t)read(&counters->shelf_put) - (int64_t)read(&counters->shelf_taken);
    int64_t allocs = (int64_t)tarn_array_allocs_(cache);
    sum->allocs += allocs;
    sum->frees += allocs + private + shelved * magazine_objects +
                  (int64_t)read(&counters->objects_out) - (int64_t)read(&counters->objects_in);
    sum->held += private + (int64_t)tarn_shelf_count_(cache) * magazine_objects;
    sum->loose += (int64_t)read(&counters->loose_put) - (int64_t)read(&counters->loose_taken);
    sum->magazines += (int64_t)read(&counters->depot_magazines_put) -
                      (int64_t)read(&counters->depot_magazines_taken);
}

static void add_direct(const tarn_pool *pool, totals *sum)
{
    const tarn_direct_counters *direct = &pool->direct;
    int64_t magazine_objects = pool->plan.magazine_objects;
    int64_t broken_up = (int64_t)read(&direct->splits) + (int64_t)read(&direct->steals);
    int64_t allocs = (int64_t)read(&direct->allocs);
    int64_t frees = (int64_t)read(&direct->frees);
    sum->allocs += allocs;
    sum->frees += frees;
    sum->loose += frees + broken_up * magazine_objects - (allocs - (int64_t)read(&direct->carves)) -
                  (int64_t)read(&pool->retired_directly);
    sum->magazines -= (int64_t)read(&direct->splits);
}

static void add_events(const tarn_cache_state *cache, tarn_pool_statistics *statistics)
{
    statistics->depot_takes += read(&cache->counters.depot_takes);
    statistics->depot_puts += read(&cache->counters.depot_puts);
    statistics->steals += read(&cache->counters.steals);
    statistics->caches_attached += tarn_cache_is_attached_(cache);
}

tarn_status tarn_pool_sample(const tarn_pool *pool, tarn_pool_statistics *statistics)
{
    if (!pool || !statistics)
        return TARN_ERROR_INVALID;
    memset(statistics, 0, sizeof *statistics);
    totals sum = {0};
    /* relaxed: a cache that is missed has just been attached. */
    uint32_t used = tarn_u32_load_relaxed(&pool->caches_used);
    for (uint32_t i = 0; i < used; i++) {
        if (pool->plan.exact)
            add_exact(&pool->caches[i], &sum);
        else
            add_cache(pool, &pool->caches[i], &sum);
        add_events(&pool->caches[i], statistics);
    }
    add_direct(pool, &sum);
    /* Freed, for the host, though they went nowhere yet. */
    int64_t quarantined = (int64_t)tarn_quarantine_count_(pool);
    sum.frees += quarantined;
    sum.loose += quarantined;
    uint64_t carved = read(&pool->slots_carved);
    int64_t in_depot = sum.loose + sum.magazines * pool->plan.magazine_objects -
                       (int64_t)read(&pool->space.slots_trimmed);
    statistics->allocs = clamp(sum.allocs, UINT64_MAX);
    statistics->live = clamp(sum.allocs - sum.frees, carved);
    statistics->frees = clamp(sum.allocs - (int64_t)statistics->live, UINT64_MAX);
    statistics->free_in_caches = clamp(sum.held, carved);
    statistics->free_in_depot = clamp(in_depot, carved);
    statistics->steals += read(&pool->direct.steals);
    statistics->refusals = read(&pool->refusals);
    statistics->drain_requests = read(&pool->drain_requests);
    statistics->growths = read(&pool->growth.growths);
    statistics->evictions = read(&pool->evictions);
    statistics->slots_retired = read(&pool->slots_retired);
    statistics->slots_trimmed = read(&pool->space.slots_trimmed);
    statistics->constructs_refused = read(&pool->constructs_refused);
    return TARN_OK;
}

static uint32_t tag_bits(const tarn_pool *pool)
{
    uint32_t index_bits = (uint32_t)tarn_size_max(pool->depot.slots.index_bits,
                                                  pool->depot.magazines.links.index_bits);
    return 64 - index_bits;
}

static uint32_t lives_max(const tarn_plan *plan)
{
    uint32_t bits = plan->layout.lives_bits;
    return bits ? (uint32_t)1 << (bits - 1) : 0;
}

tarn_status tarn_pool_describe(const tarn_pool *pool, tarn_pool_info *info)
{
    if (!pool || !info)
        return TARN_ERROR_INVALID;
    const tarn_plan *plan = &pool->plan;
    uint64_t trimmed = read(&pool->space.slots_trimmed); /* first: never more than were carved */
    *info = (tarn_pool_info){
        .name = pool->name,
        .object_bytes = plan->object_bytes,
        .object_alignment = plan->object_alignment,
        .stride_bytes = plan->stride_bytes,
        .capacity = (size_t)tarn_slots_capacity_(pool),
        .capacity_max = plan->capacity_max,
        .slots = plan->slots_max,
        .slots_carved = (size_t)(read(&pool->slots_carved) - trimmed),
        .caches_max = plan->caches_max,
        .cache_objects_max = plan->cache_objects_max,
        .magazine_objects = plan->magazine_objects,
        .tag_bits = tag_bits(pool),
        .reserved_bytes = plan->reserved_bytes,
        .committed_bytes = (size_t)read(&pool->growth.committed_bytes),
        .lives_max = lives_max(plan),
        .group_bytes = plan->has_groups ? plan->stride_bytes << plan->group_shift : 0,
        .exact = plan->exact,
        .handles = pool->has_lives,
        .checked = pool->checked,
        .inspected = pool->is_inspected,
    };
    return TARN_OK;
}
