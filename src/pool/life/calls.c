#include "pool/life/calls.h"

#include "base/inspect.h"
#include "pool/array.h"
#include "pool/bulk.h"
#include "pool/cache.h"
#include "pool/direct.h"
#include "pool/full.h"
#include "pool/life/fast.h"
#include "pool/life/life.h"
#include "pool/watch.h"

static tarn_status refused(tarn_pool *pool, tarn_status status)
{
    tarn_cache_refused_(pool);
    return status;
}

static tarn_status begin(tarn_pool *pool, tarn_cache_state *cache, void **object, uint32_t *word)
{
    if (TARN_LIKELY(tarn_life_begin_(pool, *object, word)))
        return TARN_OK;
    if (cache)
        tarn_cache_untake_(cache, 1, object);
    else
        tarn_direct_undo_(pool, *object);
    *object = NULL;
    return refused(pool, TARN_ERROR_CONSTRUCT);
}

tarn_status tarn_calls_alloc_(tarn_cache_state *cache, void **object, uint32_t *word)
{
    tarn_pool *pool = cache->pool;
    uint64_t slot;
    if (TARN_LIKELY(tarn_fast_take_(cache, object, &slot, word)))
        return TARN_OK;
    if (TARN_UNLIKELY(pool->is_watched))
        return tarn_watch_alloc_(cache, object, word);
    *object = NULL;
    if (!tarn_cache_is_attached_(cache))
        return TARN_ERROR_NOT_ATTACHED;
    if (TARN_UNLIKELY(pool->is_ending))
        return refused(pool, TARN_ERROR_FULL);
    *object = tarn_cache_take_(cache);
    tarn_status status = *object ? TARN_OK : tarn_full_take_(pool, cache, object);
    return status == TARN_OK ? begin(pool, cache, object, word) : refused(pool, status);
}

tarn_status tarn_calls_direct_alloc_(tarn_pool *pool, void **object, uint32_t *word)
{
    if (pool->is_watched)
        return tarn_watch_direct_alloc_(pool, object, word);
    *object = NULL;
    if (pool->is_ending)
        return refused(pool, TARN_ERROR_FULL);
    *object = tarn_direct_alloc_(pool);
    tarn_status status = *object ? TARN_OK : tarn_full_take_(pool, NULL, object);
    return status == TARN_OK ? begin(pool, NULL, object, word) : refused(pool, status);
}

tarn_status tarn_calls_alloc_bulk_(tarn_cache_state *cache, size_t count, void **objects)
{
    if (cache->pool->is_watched)
        return tarn_watch_alloc_bulk_(cache, count, objects);
    if (cache->pool->is_ending)
        return TARN_ERROR_FULL;
    tarn_status status = tarn_bulk_take_(cache, count, objects);
    if (status != TARN_OK)
        return status;
    if (!tarn_life_build_all_(cache->pool, count, objects)) {
        tarn_cache_untake_(cache, count, objects);
        return TARN_ERROR_CONSTRUCT;
    }
    uint32_t word;
    for (size_t i = 0; i < count; i++)
        tarn_life_begin_(cache->pool, objects[i], &word);
    return TARN_OK;
}

/* An object that comes too late for its cache still goes to the pool. */
void tarn_calls_free_(tarn_cache_state *cache, void *object)
{
    tarn_pool *pool = cache->pool;
    if (TARN_LIKELY(tarn_fast_free_(cache, object)))
        return;
    if (TARN_UNLIKELY(pool->is_watched)) {
        tarn_watch_free_(cache, object);
        return;
    }
    tarn_cache_state *home = tarn_cache_is_attached_(cache) ? cache : NULL;
    tarn_life_return_(pool, home, object, tarn_life_end_(pool, object));
}

void tarn_calls_direct_free_(tarn_pool *pool, void *object)
{
    if (pool->is_watched)
        tarn_watch_direct_free_(pool, object);
    else
        tarn_life_return_(pool, NULL, object, tarn_life_end_(pool, object));
}

void tarn_calls_free_bulk_(tarn_cache_state *cache, size_t count, void *const *objects)
{
    if (cache->pool->is_watched) {
        tarn_watch_free_bulk_(cache, count, objects);
        return;
    }
    for (size_t i = 0; i < count; i++)
        tarn_calls_free_(cache, objects[i]);
}

void tarn_calls_release_(tarn_pool *pool, tarn_cache_state *cache, void *object)
{
    tarn_life_end end = tarn_life_finish_(pool, object);
    if (cache && !tarn_cache_is_attached_(cache))
        cache = NULL;
    if (pool->is_watched)
        tarn_watch_return_(pool, cache, object, end);
    else
        tarn_life_return_(pool, cache, object, end);
}
