#include "pool/reserve.h"

#include "pool/array.h"
#include "pool/cache.h"
#include "pool/direct.h"
#include "pool/refill.h"
#include "pool/slots.h"
#include "pool/watch.h"

uint64_t tarn_reserve_left_(const tarn_cache_state *cache)
{
    ptrdiff_t left = (ptrdiff_t)(cache->reserve_end - tarn_array_allocs_(cache));
    return left > 0 ? (uint64_t)left : 0;
}

static void set_count(tarn_cache_state *cache, uint64_t count)
{
    /* relaxed: one writer; others sample. */
    tarn_u64_store_relaxed(&cache->counters.reserved, count);
}

void tarn_reserve_put_(tarn_cache_state *cache, void *object)
{
    uint32_t index = tarn_slot_index_(cache->pool, object);
    tarn_links_set(&cache->pool->depot.slots, index, cache->reserve_first);
    cache->reserve_first = index;
    set_count(cache, tarn_reserve_count_(cache) + 1);
}

void *tarn_reserve_take_(tarn_cache_state *cache)
{
    uint32_t index = cache->reserve_first;
    if (index == TARN_INDEX_NONE)
        return NULL;
    cache->reserve_first = tarn_links_get(&cache->pool->depot.slots, index);
    set_count(cache, tarn_reserve_count_(cache) - 1);
    return tarn_slot_index_object_(cache->pool, index);
}

/* An exact pool takes what it reserves by direct allocations; others from where they refill. */
static void give_back(tarn_cache_state *cache, void *object)
{
    if (cache->pool->plan.exact) {
        tarn_direct_undo_(cache->pool, object);
        return;
    }
    tarn_counter_add_(&cache->counters.loose_put, 1);
    tarn_counter_add_(&cache->counters.objects_out, 1);
    tarn_slots_put_loose_(cache->pool, object);
}

void tarn_reserve_settle_(tarn_cache_state *cache)
{
    uint64_t left = tarn_reserve_left_(cache);
    while (tarn_reserve_count_(cache) > 0 &&
           tarn_reserve_count_(cache) + tarn_array_count_(cache) > left)
        give_back(cache, tarn_reserve_take_(cache));
    if (left == 0) /* where allocs wrap, an old end must not come to lie ahead again */
        cache->reserve_end = tarn_array_allocs_(cache);
}

void tarn_reserve_end_(tarn_cache_state *cache)
{
    cache->reserve_end = tarn_array_allocs_(cache);
    tarn_reserve_settle_(cache);
}

static bool add_exact(tarn_cache_state *cache)
{
    void *object = tarn_direct_alloc_(cache->pool);
    if (object)
        tarn_reserve_put_(cache, object);
    return object != NULL;
}

/* Makes room in the array by putting its content aside, then refills it. */
static bool add_batch(tarn_cache_state *cache)
{
    const tarn_plan *plan = &cache->pool->plan;
    while (tarn_array_count_(cache) + plan->magazine_objects > plan->array_objects) {
        uint32_t end = tarn_array_count_(cache) - 1;
        tarn_reserve_put_(cache, cache->hot.objects[end]);
        tarn_array_set_count_(cache, end);
    }
    return tarn_refill_fresh_(cache);
}

static bool gather(tarn_cache_state *cache, size_t count)
{
    while (tarn_reserve_count_(cache) + tarn_array_count_(cache) < count)
        if (!(cache->pool->plan.exact ? add_exact(cache) : add_batch(cache)))
            return false;
    return true;
}

tarn_status tarn_reserve_make_(tarn_cache_state *cache, size_t count)
{
    if (!tarn_cache_is_attached_(cache))
        return TARN_ERROR_NOT_ATTACHED;
    bool can_hold = count <= cache->pool->plan.slots_max && !cache->pool->is_ending;
    tarn_status status = can_hold && gather(cache, count) ? TARN_OK : TARN_ERROR_FULL;
    if (status == TARN_OK)
        cache->reserve_end = tarn_array_allocs_(cache) + count;
    tarn_reserve_settle_(cache);
    tarn_gate_close_(cache);
    tarn_gate_open_(cache);
    return status;
}

tarn_status tarn_cache_reserve(tarn_cache *cache, size_t count)
{
    if (!cache)
        return TARN_ERROR_INVALID;
    tarn_cache_state *state = tarn_cache_state_of_(cache);
    return TARN_UNLIKELY(state->pool->is_watched) ? tarn_watch_reserve_(state, count)
                                                  : tarn_reserve_make_(state, count);
}
