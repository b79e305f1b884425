#include "pool/refill.h"

#include "base/size.h"
#include "pool/array.h"
#include "pool/empties.h"
#include "pool/grow.h"
#include "pool/reclaim.h"
#include "pool/reserve.h"
#include "pool/shelf.h"
#include "pool/slots.h"
#include "pool/space/groups.h"

#include <string.h>

/* The objects of a magazine from the depot are far away: fetched all at once they arrive together,
 * where the user's first writes would fetch them one by one. */
static void prefetch_objects(void *const *objects, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        __builtin_prefetch(objects[i], 1);
}

/* Copies a full magazine on top of the array and keeps the empty one. */
static void unpack(tarn_cache_state *cache, uint32_t magazine, bool is_foreign)
{
    tarn_pool *pool = cache->pool;
    uint32_t count = tarn_array_count_(cache);
    uint32_t magazine_objects = pool->plan.magazine_objects;
    void **list = tarn_magazine_objects(&pool->depot.magazines, magazine);
    memcpy(cache->hot.objects + count, list, magazine_objects * sizeof *list);
    tarn_array_set_count_(cache, count + magazine_objects);
    if (is_foreign)
        prefetch_objects(cache->hot.objects + count, magazine_objects);
    tarn_empties_put_(cache, magazine);
}

static bool from_reserve(tarn_cache_state *cache)
{
    uint32_t count = 0;
    for (; count < cache->pool->plan.magazine_objects; count++) {
        void *object = tarn_reserve_take_(cache);
        if (!object)
            break;
        uint32_t end = tarn_array_count_(cache);
        cache->hot.objects[end] = object;
        tarn_array_set_count_(cache, end + 1);
    }
    return count > 0;
}

static bool from_shelf(tarn_cache_state *cache)
{
    bool is_foreign = false;
    uint32_t magazine = tarn_shelf_take_(cache, &is_foreign);
    if (magazine == TARN_INDEX_NONE)
        return false;
    unpack(cache, magazine, is_foreign);
    return true;
}

static bool from_depot(tarn_cache_state *cache)
{
    uint32_t magazines[TARN_CHAIN_MAGAZINES_MAX];
    uint32_t count = tarn_depot_take_full(&cache->pool->depot, cache->shard, magazines);
    if (count == 0)
        return false;
    tarn_cache_counters *counters = &cache->counters;
    tarn_counter_add_(&counters->depot_takes, 1);
    tarn_counter_add_(&counters->depot_magazines_taken, count);
    tarn_counter_add_(&counters->objects_in, (uint64_t)count * cache->pool->plan.magazine_objects);
    tarn_shelf_put_foreign_(cache, magazines + 1, count - 1);
    unpack(cache, magazines[0], true);
    return true;
}

static bool from_loose(tarn_cache_state *cache)
{
    tarn_pool *pool = cache->pool;
    uint32_t indices[TARN_MAGAZINE_OBJECTS_MAX];
    uint32_t count = tarn_stack_pop_some(&pool->depot.loose, &pool->depot.slots,
                                         pool->plan.magazine_objects, indices);
    uint32_t end = tarn_array_count_(cache);
    for (uint32_t i = 0; i < count; i++)
        cache->hot.objects[end + i] = tarn_slot_index_object_(pool, indices[i]);
    tarn_array_set_count_(cache, end + count);
    tarn_counter_add_(&cache->counters.loose_taken, count);
    tarn_counter_add_(&cache->counters.objects_in, count);
    return count > 0;
}

/* The lowest slot ends on top, so that a young pool is handed out in address order. */
static bool from_carving(tarn_cache_state *cache, uint64_t limit)
{
    tarn_pool *pool = cache->pool;
    uint64_t slot = 0;
    uint32_t count = tarn_slots_carve_(pool, pool->plan.magazine_objects, limit, &slot);
    uint32_t end = tarn_array_count_(cache);
    for (uint32_t i = 0; i < count; i++)
        cache->hot.objects[end + i] = tarn_slot_object_(pool, slot + count - 1 - i);
    tarn_array_set_count_(cache, end + count);
    tarn_counter_add_(&cache->counters.objects_in, count);
    return count > 0;
}

static bool from_other_shelves(tarn_cache_state *cache)
{
    uint32_t magazine = tarn_reclaim_magazine_(cache->pool, cache);
    if (magazine == TARN_INDEX_NONE)
        return false;
    tarn_counter_add_(&cache->counters.steals, 1);
    tarn_counter_add_(&cache->counters.objects_in, cache->pool->plan.magazine_objects);
    unpack(cache, magazine, true);
    return true;
}

/* What trimming has sorted. */
static bool from_groups(tarn_cache_state *cache)
{
    uint32_t end = tarn_array_count_(cache);
    uint32_t count = tarn_groups_take_(cache->pool, cache->pool->plan.magazine_objects,
                                       cache->hot.objects + end);
    tarn_array_set_count_(cache, end + count);
    tarn_counter_add_(&cache->counters.loose_taken, count);
    tarn_counter_add_(&cache->counters.objects_in, count);
    return count > 0;
}

static bool from_common(tarn_cache_state *cache)
{
    return from_shelf(cache) || from_depot(cache) || from_loose(cache) || from_groups(cache);
}

/* The dearer sources, after the depot turned out dry. */
static bool from_afar(tarn_cache_state *cache, uint64_t capacity)
{
    tarn_pool *pool = cache->pool;
    if (from_carving(cache, capacity) || from_other_shelves(cache))
        return true;
    if (tarn_reclaim_left_(pool) && from_common(cache))
        return true;
    if (tarn_groups_restore_(pool) && from_groups(cache))
        return true;
    tarn_reclaim_request_(pool, cache);
    return from_carving(cache, capacity + pool->plan.slack_slots);
}

bool tarn_refill_fresh_(tarn_cache_state *cache)
{
    tarn_pool *pool = cache->pool;
    uint32_t before = tarn_array_count_(cache);
    for (;;) {
        uint64_t capacity = tarn_slots_capacity_(pool);
        /* Asked before looking: with no slot left to carve, the slack covers all that other caches
         * can hide, so a dry depot means that the capacity is live. */
        bool carved = tarn_slots_are_carved_(pool, capacity);
        if (from_common(cache) || from_afar(cache, capacity))
            return true;
        bool failed = carved && tarn_groups_are_dry_(pool) && !tarn_grow_(pool, capacity);
        /* A growth callback may have freed objects to this very cache. */
        if (tarn_array_count_(cache) > before)
            return true;
        if (failed)
            return false;
    }
}

bool tarn_refill_(tarn_cache_state *cache)
{
    bool has_reserve = cache->reserve_first != TARN_INDEX_NONE;
    return (has_reserve && from_reserve(cache)) || tarn_refill_fresh_(cache);
}
