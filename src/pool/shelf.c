#include "pool/shelf.h"

static const tarn_links *links_of(const tarn_cache_state *cache)
{
    return &cache->pool->depot.magazines.links;
}

uint64_t tarn_shelf_count_(const tarn_cache_state *cache)
{
    const tarn_cache_counters *counters = &cache->counters;
    /* relaxed: the user reads its own counters; what it misses of the thieves' makes the shelf
     * look fuller, never emptier. Another reader takes a sample. */
    uint64_t gone =
        tarn_u64_load_relaxed(&cache->shelf_stolen) + tarn_u64_load_relaxed(&counters->shelf_taken);
    uint64_t put = tarn_u64_load_relaxed(&counters->shelf_put);
    return put > gone ? put - gone : 0;
}

void tarn_shelf_bypass_(tarn_cache_state *cache, const uint32_t *magazines, uint32_t count)
{
    tarn_depot_put_full(&cache->pool->depot, cache->shard, magazines, count);
    tarn_counter_add_(&cache->counters.depot_puts, 1);
    tarn_counter_add_(&cache->counters.depot_magazines_put, count);
    tarn_counter_add_(&cache->counters.objects_out,
                      (uint64_t)count * cache->pool->plan.magazine_objects);
}

/* Moves up to count_max magazines from the shelf to the depot. Returns how many it found. */
static uint32_t unload(tarn_cache_state *cache, uint32_t count_max)
{
    uint32_t magazines[TARN_CHAIN_MAGAZINES_MAX];
    uint32_t count = tarn_stack_pop_some(&cache->shelf, links_of(cache), count_max, magazines);
    if (count == 0)
        return 0;
    tarn_counter_add_(&cache->counters.shelf_taken, count);
    tarn_shelf_bypass_(cache, magazines, count);
    return count;
}

void tarn_shelf_put_(tarn_cache_state *cache, uint32_t magazine)
{
    const tarn_plan *plan = &cache->pool->plan;
    if (plan->shelf_magazines == 0) {
        tarn_shelf_bypass_(cache, &magazine, 1);
        return;
    }
    if (tarn_shelf_count_(cache) >= plan->shelf_magazines)
        unload(cache, plan->chain_magazines);
    uint64_t count = tarn_shelf_count_(cache);
    if (cache->foreign_magazines > count)
        cache->foreign_magazines = (uint32_t)count;
    tarn_counter_add_(&cache->counters.shelf_put, 1);
    tarn_stack_push(&cache->shelf, links_of(cache), magazine);
}

void tarn_shelf_put_foreign_(tarn_cache_state *cache, const uint32_t *magazines, uint32_t count)
{
    if (count == 0)
        return;
    tarn_counter_add_(&cache->counters.shelf_put, count);
    tarn_stack_push_chain(&cache->shelf, links_of(cache), magazines[0], magazines[count - 1]);
    cache->foreign_magazines = count;
}

uint32_t tarn_shelf_take_(tarn_cache_state *cache, bool *is_foreign)
{
    uint32_t magazine = tarn_stack_pop(&cache->shelf, links_of(cache));
    if (magazine == TARN_INDEX_NONE)
        return TARN_INDEX_NONE;
    tarn_counter_add_(&cache->counters.shelf_taken, 1);
    *is_foreign = tarn_shelf_count_(cache) < cache->foreign_magazines;
    return magazine;
}

void tarn_shelf_flush_(tarn_cache_state *cache)
{
    while (unload(cache, cache->pool->plan.chain_magazines) > 0)
        ;
}

uint32_t tarn_shelf_steal_(tarn_pool *pool, tarn_cache_state *victim)
{
    uint32_t magazine = tarn_stack_pop(&victim->shelf, &pool->depot.magazines.links);
    if (magazine != TARN_INDEX_NONE)
        /* relaxed: a count; the stack's E1 carries the magazine. */
        tarn_u64_fetch_add_relaxed(&victim->shelf_stolen, 1);
    return magazine;
}
