#include "pool/drain.h"

#include "base/size.h"
#include "pool/array.h"
#include "pool/empties.h"
#include "pool/reserve.h"
#include "pool/shelf.h"
#include "pool/slots.h"

#include <string.h>

/* Takes the lowest count objects out of the array: those that were freed longest ago. */
static void shift_down(tarn_cache_state *cache, uint32_t count)
{
    void **objects = cache->hot.objects;
    uint32_t rest = tarn_array_count_(cache) - count;
    memmove(objects, objects + count, rest * sizeof *objects);
    tarn_array_set_count_(cache, rest);
}

/* Copies the lowest objects into a magazine. Returns it, full. */
static uint32_t pack(tarn_cache_state *cache)
{
    tarn_pool *pool = cache->pool;
    uint32_t magazine = tarn_empties_take_(cache);
    void **list = tarn_magazine_objects(&pool->depot.magazines, magazine);
    memcpy(list, cache->hot.objects, pool->plan.magazine_objects * sizeof *list);
    shift_down(cache, pool->plan.magazine_objects);
    return magazine;
}

/* Puts count objects aside that the reservation will need. The gate is closed, so that its end does
 * not pass unnoticed. */
static void put_aside(tarn_cache_state *cache, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        tarn_reserve_put_(cache, cache->hot.objects[i]);
    shift_down(cache, count);
    tarn_gate_close_(cache);
}

void tarn_drain_(tarn_cache_state *cache)
{
    uint32_t magazine_objects = cache->pool->plan.magazine_objects;
    uint64_t rest = tarn_array_count_(cache) - magazine_objects + tarn_reserve_count_(cache);
    if (TARN_UNLIKELY(rest < tarn_reserve_left_(cache)))
        put_aside(cache, magazine_objects);
    else
        tarn_shelf_put_(cache, pack(cache));
}

/* The lowest objects become loose slots. */
static void loosen(tarn_cache_state *cache, uint32_t count)
{
    tarn_slots_put_loose_some_(cache->pool, count, cache->hot.objects);
    shift_down(cache, count);
    tarn_counter_add_(&cache->counters.loose_put, count);
    tarn_counter_add_(&cache->counters.objects_out, count);
}

void tarn_drain_array_(tarn_cache_state *cache)
{
    uint64_t left = tarn_reserve_left_(cache);
    uint64_t aside = tarn_reserve_count_(cache);
    uint32_t keep = left > aside ? (uint32_t)tarn_size_min((size_t)(left - aside), UINT32_MAX) : 0;
    while (tarn_array_count_(cache) >= keep + cache->pool->plan.magazine_objects) {
        uint32_t magazine = pack(cache);
        tarn_shelf_bypass_(cache, &magazine, 1);
    }
    if (tarn_array_count_(cache) > keep)
        loosen(cache, tarn_array_count_(cache) - keep);
}

void tarn_drain_all_(tarn_cache_state *cache)
{
    tarn_reserve_end_(cache);
    if (!cache->pool->plan.exact) {
        tarn_drain_array_(cache);
        tarn_shelf_flush_(cache);
        tarn_empties_flush_(cache);
    }
    cache->foreign_magazines = 0;
}

void tarn_drain_settle_(tarn_cache_state *cache)
{
    if (cache->reserve_first != TARN_INDEX_NONE)
        tarn_reserve_settle_(cache);
    tarn_gate_open_(cache);
    /* relaxed: a hint; the drain itself goes through the stacks. */
    if (tarn_u32_load_relaxed(&cache->drain_requested) == 0)
        return;
    tarn_u32_store_relaxed(&cache->drain_requested, 0);
    tarn_drain_array_(cache);
}
