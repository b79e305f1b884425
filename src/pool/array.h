/* A cache's array and its gate, for the slow paths: the counterpart of the inline calls in
 * tarn/cache.h. Everything here is for the cache's user, but for tarn_gate_close_. */
#ifndef TARN_POOL_ARRAY_H
#define TARN_POOL_ARRAY_H

#include "base/assert.h"
#include "pool/state.h"

static inline void **tarn_array_top_(const tarn_cache_state *cache)
{
    /* relaxed: the user's own word; others only take samples of it. */
    return TARN_LOAD_RELAXED(&cache->hot.top);
}

static inline void tarn_array_set_top_(tarn_cache_state *cache, void **top)
{
    /* relaxed: as above. */
    TARN_STORE_RELAXED(&cache->hot.top, top);
}

/* 0 for a cache that was never attached: its memory is all zero. */
static inline uint32_t tarn_array_count_(const tarn_cache_state *cache)
{
    void **top = tarn_array_top_(cache);
    return top ? (uint32_t)(top - (void **)cache->hot.objects) : 0;
}

static inline void tarn_array_set_count_(tarn_cache_state *cache, uint32_t count)
{
    TARN_ASSERT(count <= cache->pool->plan.array_objects);
    tarn_array_set_top_(cache, cache->hot.objects + count);
}

static inline size_t tarn_array_allocs_(const tarn_cache_state *cache)
{
    /* relaxed: as above. */
    return TARN_LOAD_RELAXED(&cache->hot.allocs);
}

/* Counts allocations; a negative count, as a size_t, takes them back. */
static inline void tarn_array_count_allocs_(tarn_cache_state *cache, size_t count)
{
    /* relaxed: as above. */
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

static inline void tarn_gate_set_(tarn_cache_state *cache, void **alloc_floor, void **free_ceiling)
{
    /* relaxed: limits are hints, what they lead to is decided on the slow path. */
    TARN_STORE_RELAXED(&cache->hot.alloc_floor, alloc_floor);
    TARN_STORE_RELAXED(&cache->hot.free_ceiling, free_ceiling);
}

/* Closed, every inline call takes the slow path. Any thread may close a gate to get the owner's
 * attention; the owner opens it again there. A close that comes late costs one slow call. It stays
 * closed while objects are put aside, so that the reservation's end is noticed. */
static inline void tarn_gate_close_(tarn_cache_state *cache)
{
    void **objects = cache->hot.objects;
    tarn_gate_set_(cache, objects + TARN_CACHE_ARRAY_OBJECTS, objects);
}

/* A floor that no array's top is above: the inline calls find the gate closed, those of pools with
 * lives find it open. */
static inline void **tarn_gate_lives_floor_(void)
{
    return (void **)UINTPTR_MAX;
}

static inline bool tarn_gate_is_open_to_lives_(const tarn_cache_state *cache)
{
    /* relaxed: as above. */
    return TARN_LOAD_RELAXED(&cache->hot.alloc_floor) == tarn_gate_lives_floor_();
}

static inline void tarn_gate_open_(tarn_cache_state *cache)
{
    const tarn_pool *pool = cache->pool;
    void **objects = cache->hot.objects;
    if (cache->reserve_first != TARN_INDEX_NONE)
        return;
    if (!pool->always_slow)
        tarn_gate_set_(cache, objects, objects + pool->plan.array_objects);
    else if (pool->opens_to_lives)
        tarn_gate_set_(cache, tarn_gate_lives_floor_(), objects);
}

#endif
