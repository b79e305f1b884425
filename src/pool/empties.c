#include "pool/empties.h"

#include "base/size.h"

static void give(tarn_cache_state *cache, uint32_t count)
{
    cache->empty_count -= count;
    tarn_depot_put_empty(&cache->pool->depot, cache->shard, cache->empties + cache->empty_count,
                         count);
}

void tarn_empties_put_(tarn_cache_state *cache, uint32_t magazine)
{
    if (cache->empty_count == TARN_CACHE_EMPTIES_MAX)
        give(cache, TARN_CHAIN_MAGAZINES_MAX);
    cache->empties[cache->empty_count++] = magazine;
}

uint32_t tarn_empties_take_(tarn_cache_state *cache)
{
    if (cache->empty_count == 0)
        cache->empty_count =
            tarn_depot_take_empty(&cache->pool->depot, cache->shard, cache->empties);
    return cache->empties[--cache->empty_count];
}

void tarn_empties_flush_(tarn_cache_state *cache)
{
    while (cache->empty_count > 0)
        give(cache, (uint32_t)tarn_size_min(cache->empty_count, TARN_CHAIN_MAGAZINES_MAX));
}
