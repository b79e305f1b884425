#include "pool/bulk.h"

#include "base/size.h"
#include "pool/array.h"
#include "pool/cache.h"
#include "pool/drain.h"
#include "pool/life/calls.h"
#include "pool/refill.h"
#include "pool/reserve.h"

#include <string.h>

/* Copies from the top of the array, newest first, as single allocations would. */
static size_t take_run(tarn_cache_state *cache, size_t count_max, void **objects)
{
    uint32_t end = tarn_array_count_(cache);
    uint32_t count = (uint32_t)tarn_size_min(end, count_max);
    for (uint32_t i = 0; i < count; i++)
        objects[i] = cache->hot.objects[end - 1 - i];
    tarn_array_set_count_(cache, end - count);
    tarn_array_count_allocs_(cache, count);
    return count;
}

static bool take_all(tarn_cache_state *cache, size_t count, void **objects, size_t *taken)
{
    for (*taken = 0; *taken < count;) {
        if (tarn_array_count_(cache) > 0) {
            *taken += take_run(cache, count - *taken, objects + *taken);
            continue;
        }
        /* One by the slow path, which refills the array. */
        objects[*taken] = tarn_cache_take_(cache);
        if (!objects[*taken])
            return false;
        ++*taken;
    }
    return true;
}

tarn_status tarn_bulk_take_(tarn_cache_state *state, size_t count, void **objects)
{
    if (!tarn_cache_is_attached_(state))
        return TARN_ERROR_NOT_ATTACHED;
    size_t taken = 0;
    if (!take_all(state, count, objects, &taken)) {
        tarn_cache_untake_(state, taken, objects);
        return TARN_ERROR_FULL;
    }
    if (!state->pool->plan.exact)
        tarn_drain_settle_(state);
    return TARN_OK;
}

static tarn_status failed(tarn_status status, size_t count, void **objects)
{
    for (size_t i = 0; i < count; i++)
        objects[i] = NULL;
    return status;
}

tarn_status tarn_alloc_bulk(tarn_cache *cache, size_t count, void **objects)
{
    if (!objects && count > 0)
        return TARN_ERROR_INVALID;
    if (!cache)
        return failed(TARN_ERROR_INVALID, count, objects);
    tarn_cache_state *state = tarn_cache_state_of_(cache);
    tarn_status status = TARN_UNLIKELY(state->pool->is_featured)
                             ? tarn_calls_alloc_bulk_(state, count, objects)
                             : tarn_bulk_take_(state, count, objects);
    if (status == TARN_ERROR_FULL || status == TARN_ERROR_CONSTRUCT)
        tarn_cache_refused_(state->pool);
    return status == TARN_OK ? TARN_OK : failed(status, count, objects);
}

/* Copies as many as fit into the array of an open cache. */
static size_t put_run(tarn_cache_state *cache, size_t count_max, void *const *objects)
{
    void **top = tarn_array_top_(cache);
    /* relaxed: a closed gate seen late costs nothing but the delay. */
    void **ceiling = TARN_LOAD_RELAXED(&cache->hot.free_ceiling);
    if (ceiling <= top)
        return 0;
    size_t count = tarn_size_min((size_t)(ceiling - top), count_max);
    memcpy(top, objects, count * sizeof *objects);
    tarn_array_set_top_(cache, top + count);
    return count;
}

tarn_status tarn_free_bulk(tarn_cache *cache, size_t count, void *const *objects)
{
    if (!cache || (!objects && count > 0))
        return TARN_ERROR_INVALID;
    tarn_cache_state *state = tarn_cache_state_of_(cache);
    if (TARN_UNLIKELY(state->pool->is_featured)) {
        tarn_calls_free_bulk_(state, count, objects);
        return TARN_OK;
    }
    for (size_t freed = 0; freed < count;) {
        freed += put_run(state, count - freed, objects + freed);
        if (freed < count)
            tarn_free_slow_(cache, objects[freed++]);
    }
    return TARN_OK;
}
