#include "pool/full.h"

#include "pool/array.h"
#include "pool/cache.h"
#include "pool/direct.h"
#include "pool/inside.h"
#include "pool/life/handles.h"
#include "pool/life/life.h"
#include "pool/loan.h"
#include "pool/watch.h"

/* The pools that ask the host, so that an allocation from one of them there does not ask again. */
static _Thread_local const tarn_inside *asking;

static void *take(tarn_pool *pool, tarn_cache_state *cache)
{
    if (pool->is_watched)
        return tarn_watch_take_(pool, cache);
    return cache ? tarn_cache_take_(cache) : tarn_direct_alloc_(pool);
}

/* The victim passes to the allocation without going through the pool: a free and an allocation. */
static void count_eviction(tarn_pool *pool, tarn_cache_state *cache)
{
    /* relaxed: figures for samples. */
    tarn_u64_fetch_add_relaxed(&pool->evictions, 1);
    if (cache && !pool->plan.exact) {
        tarn_array_count_allocs_(cache, 1);
        return;
    }
    if (cache)
        tarn_array_count_allocs_(cache, 1); /* a reservation is measured by it */
    tarn_u64_fetch_add_relaxed(&pool->direct.allocs, 1);
    tarn_u64_fetch_add_relaxed(&pool->direct.frees, 1);
}

/* Ends the victim's life, if it is still the one that was named. NULL otherwise, and when its slot
 * was retired by that. */
static void *claim(tarn_pool *pool, tarn_cache_state *cache, tarn_handle victim)
{
    void *object = NULL;
    if (tarn_handles_try_end_(pool, victim, &object) != TARN_OK)
        return NULL;
    tarn_life_end end = tarn_life_finish_(pool, object);
    if (pool->is_watched)
        tarn_loan_end_(pool, object, NULL);
    if (end == TARN_LIFE_SPENT) {
        tarn_life_forget_(pool, cache, object);
        return NULL;
    }
    count_eviction(pool, cache);
    return object;
}

static tarn_status evict(tarn_pool *pool, tarn_cache_state *cache, void **object)
{
    for (uint32_t tried = 0; tried < TARN_EVICTIONS_TRIED_MAX; tried++) {
        tarn_handle victim = pool->evict(pool->evict_context, pool);
        if (tarn_handle_is_none(victim))
            return TARN_ERROR_PINNED;
        *object = claim(pool, cache, victim);
        if (!*object) /* somebody ended that life first, so something may be free */
            *object = take(pool, cache);
        if (*object)
            return TARN_OK;
    }
    return TARN_ERROR_FULL;
}

static tarn_status ask(tarn_pool *pool, tarn_cache_state *cache, void **object)
{
    for (uint32_t attempt = 0; pool->full(pool->full_context, pool, attempt); attempt++) {
        *object = take(pool, cache);
        if (*object)
            return TARN_OK;
    }
    return TARN_ERROR_FULL;
}

tarn_status tarn_full_take_(tarn_pool *pool, tarn_cache_state *cache, void **object)
{
    if ((!pool->evict && !pool->full) || tarn_inside_count_(asking, pool) > 0)
        return TARN_ERROR_FULL;
    tarn_inside here = {pool, asking};
    asking = &here;
    tarn_status status = pool->evict ? evict(pool, cache, object) : ask(pool, cache, object);
    asking = here.outer;
    return status;
}
