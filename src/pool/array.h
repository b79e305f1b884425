/* A cache's array and its gate, for the slow paths: the counterpart of the inline calls in
 * tarn/cache.h. Everything here is for the cache's user, but for tarn_gate_close_. */
#ifndef TARN_POOL_ARRAY_H
#define TARN_POOL_ARRAY_H

#include "base/assert.h"
#include "pool/state.h"

/* 0 for a cache that was never attached: its memory is all zero. */
static inline uint32_t tarn_array_count_(const tarn_cache_state *cache)
{
    void **top = TARN_LOAD_RELAXED(&cache->hot.top);
    return top ? (uint32_t)(top - (void **)cache->hot.objects) : 0;
}

static inline size_t tarn_array_allocs_(const tarn_cache_state *cache)
{
    return TARN_LOAD_RELAXED(&cache->hot.allocs);
}

static inline void tarn_array_set_count_(tarn_cache_state *cache, uint32_t count)
{
    TARN_ASSERT(count <= cache->pool->plan.array_objects);
    TARN_STORE_RELAXED(&cache->hot.top, cache->hot.objects + count);
}

/* Counts allocations; a negative count, as a size_t, takes them back. */
static inline void tarn_array_count_allocs_(tarn_cache_state *cache, size_t count)
{
    TARN_STORE_RELAXED(&cache->hot.allocs, tarn_array_allocs_(cache) + count);
}

static inline void *tarn_array_take_(tarn_cache_state *cache)
{
    uint32_t count = tarn_array_count_(cache);
    TARN_ASSERT(count > 0);
    tarn_array_set_count_(cache, count - 1);
    tarn_array_count_allocs_(cache, 1);
    return cache->hot.objects[count - 1];
}

static inline void tarn_array_put_(tarn_cache_state *cache, void *object)
{
    uint32_t count = tarn_array_count_(cache);
    tarn_array_set_count_(cache, count + 1);
    cache->hot.objects[count] = object;
}

/* Closed, every inline call takes the slow path. Any thread may close a gate to get the owner's
 * attention; the owner opens it again there. A close that comes late costs one slow call. */
static inline void tarn_gate_close_(tarn_cache_state *cache)
{
    TARN_STORE_RELAXED(&cache->hot.alloc_floor, cache->hot.objects + TARN_CACHE_ARRAY_OBJECTS);
    TARN_STORE_RELAXED(&cache->hot.free_ceiling, cache->hot.objects);
}

static inline void tarn_gate_open_(tarn_cache_state *cache)
{
    const tarn_pool *pool = cache->pool;
    if (pool->always_slow)
        return;
    TARN_STORE_RELAXED(&cache->hot.alloc_floor, cache->hot.objects);
    TARN_STORE_RELAXED(&cache->hot.free_ceiling, cache->hot.objects + pool->plan.array_objects);
}

#endif
