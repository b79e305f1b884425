#include "pool/direct.h"

#include "pool/grow.h"
#include "pool/reclaim.h"
#include "pool/slots.h"
#include "pool/space/groups.h"
#include "pool/space/prepare.h"

/* Breaking up a magazine is rare, so that all share one shard for it. */
#define SHARD 0u

static void count(tarn_u64 *counter)
{
    /* relaxed: a figure for samples; it orders nothing. */
    tarn_u64_fetch_add_relaxed(counter, 1);
}

static void *from_loose(tarn_pool *pool)
{
    uint32_t index = tarn_stack_pop(&pool->depot.loose, &pool->depot.slots);
    return index == TARN_INDEX_NONE ? NULL : tarn_slot_index_object_(pool, index);
}

static void *from_carving(tarn_pool *pool, uint64_t limit)
{
    uint64_t slot = 0;
    if (tarn_slots_carve_(pool, 1, limit, &slot) == 0)
        return NULL;
    count(&pool->direct.carves);
    return tarn_slot_object_(pool, slot);
}

/* Takes one object of a full magazine and makes the others loose. */
static void *split(tarn_pool *pool, uint32_t magazine)
{
    void **objects = tarn_magazine_objects(&pool->depot.magazines, magazine);
    void *taken = objects[0];
    uint32_t magazine_objects = pool->plan.magazine_objects;
    if (magazine_objects > 1)
        tarn_slots_put_loose_some_(pool, magazine_objects - 1, objects + 1);
    tarn_depot_put_empty(&pool->depot, SHARD, &magazine, 1);
    return taken;
}

static void *from_depot(tarn_pool *pool)
{
    uint32_t magazines[TARN_CHAIN_MAGAZINES_MAX];
    uint32_t taken = tarn_depot_take_full(&pool->depot, SHARD, magazines);
    if (taken == 0)
        return NULL;
    if (taken > 1)
        tarn_depot_put_full(&pool->depot, SHARD, magazines + 1, taken - 1);
    count(&pool->direct.splits);
    return split(pool, magazines[0]);
}

static void *from_shelves(tarn_pool *pool)
{
    uint32_t magazine = tarn_reclaim_magazine_(pool, NULL);
    if (magazine == TARN_INDEX_NONE)
        return NULL;
    count(&pool->direct.steals);
    return split(pool, magazine);
}

static void *from_groups(tarn_pool *pool)
{
    void *object = NULL;
    return tarn_groups_take_(pool, 1, &object) > 0 ? object : NULL;
}

static void *from_common(tarn_pool *pool)
{
    void *object = from_loose(pool);
    if (!object)
        object = from_depot(pool);
    return object ? object : from_groups(pool);
}

/* As in refill.c, in the same order. */
static void *from_afar(tarn_pool *pool, uint64_t capacity)
{
    void *object = from_carving(pool, capacity);
    if (!object)
        object = from_shelves(pool);
    if (!object && tarn_reclaim_left_(pool))
        object = from_common(pool);
    if (!object && tarn_groups_restore_(pool))
        object = from_groups(pool);
    if (object)
        return object;
    tarn_reclaim_request_(pool, NULL);
    return from_carving(pool, capacity + pool->plan.slack_slots);
}

void *tarn_direct_alloc_(tarn_pool *pool)
{
    for (;;) {
        uint64_t capacity = tarn_slots_capacity_(pool);
        bool carved = tarn_slots_are_carved_(pool, capacity);
        void *object = from_common(pool);
        if (!object)
            object = from_afar(pool, capacity);
        if (object) {
            count(&pool->direct.allocs);
            return object;
        }
        if (carved && !tarn_prepare_await_(pool) && tarn_groups_are_dry_(pool) &&
            !tarn_grow_(pool, capacity))
            return NULL;
    }
}

void tarn_direct_undo_(tarn_pool *pool, void *object)
{
    /* relaxed: a figure for samples; it orders nothing. */
    tarn_u64_fetch_add_relaxed(&pool->direct.allocs, (uint64_t)-1);
    tarn_slots_put_loose_(pool, object);
}

void tarn_direct_free_(tarn_pool *pool, void *object)
{
    count(&pool->direct.frees);
    tarn_slots_put_loose_(pool, object);
}

void tarn_direct_free_some_(tarn_pool *pool, uint32_t count, void *const *objects)
{
    /* relaxed: a figure for samples; it orders nothing. */
    tarn_u64_fetch_add_relaxed(&pool->direct.frees, count);
    tarn_slots_put_loose_some_(pool, count, objects);
}
