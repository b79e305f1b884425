/* A cache's array and its gate, for the slow paths: the counterpart of the inline calls in
 * tarn/cache.h. Everything here is for the cache's user, but for tarn_gate_close_. */
#ifndef TARN_POOL_ARRAY_H
#define TARN_POOL_ARRAY_H

#include "base/assert.h"
#include "pool/state.h"

static inline uint32_t tarn_array_count_(const tarn_cache_state *cache)
{
    return (uint32_t)(TARN_LOAD_RELAXED(&cache->hot.tally) & TARN_TALLY_COUNT_MASK);
}

static inline uint64_t tarn_array_allocs_(const tarn_cache_state *cache)
{
    return TARN_LOAD_RELAXED(&cache->hot.tally) >> TARN_TALLY_COUNT_BITS;
}

/* Sets the number of objects in the array; allocs stay as they are. */
static inline void tarn_array_set_count_(tarn_cache_state *cache, uint32_t count)
{
    TARN_ASSERT(count <= cache->pool->plan.array_objects);
    uint64_t allocs = TARN_LOAD_RELAXED(&cache->hot.tally) & ~TARN_TALLY_COUNT_MASK;
    TARN_STORE_RELAXED(&cache->hot.tally, allocs | count);
}

static inline void *tarn_array_take_(tarn_cache_state *cache)
{
    uint64_t tally = TARN_LOAD_RELAXED(&cache->hot.tally);
    TARN_ASSERT((tally & TARN_TALLY_COUNT_MASK) > 0);
    void *object = cache->hot.objects[(tally & TARN_TALLY_COUNT_MASK) - 1];
    TARN_STORE_RELAXED(&cache->hot.tally, tally + TARN_TALLY_ALLOC);
    return object;
}

static inline void tarn_array_put_(tarn_cache_state *cache, void *object)
{
    uint64_t tally = TARN_LOAD_RELAXED(&cache->hot.tally);
    TARN_ASSERT((tally & TARN_TALLY_COUNT_MASK) < cache->pool->plan.array_objects);
    cache->hot.objects[tally & TARN_TALLY_COUNT_MASK] = object;
    TARN_STORE_RELAXED(&cache->hot.tally, tally + TARN_TALLY_FREE);
}

/* Closed, every inline call takes the slow path. Any thread may close a gate to get the owner's
 * attention; the owner opens it again there. A close that comes late costs one slow call. */
static inline void tarn_gate_close_(tarn_cache_state *cache)
{
    TARN_STORE_RELAXED(&cache->hot.alloc_floor, UINT32_MAX);
    TARN_STORE_RELAXED(&cache->hot.free_ceiling, 0);
}

static inline void tarn_gate_open_(tarn_cache_state *cache)
{
    if (cache->pool->always_slow)
        return;
    TARN_STORE_RELAXED(&cache->hot.alloc_floor, 0);
    TARN_STORE_RELAXED(&cache->hot.free_ceiling, cache->pool->plan.array_objects);
}

#endif
