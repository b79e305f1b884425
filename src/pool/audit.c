#include "pool/audit.h"

#include "pool/array.h"
#include "pool/quarantine.h"
#include "pool/reserve.h"
#include "pool/slots.h"
#include "pool/space/groups.h"

#include <stdlib.h>

typedef struct audit {
    const tarn_pool *pool;
    bool *is_listed; /* per carved slot */
    uint64_t carved;
    uint64_t count;
    bool is_whole;
} audit;

static void note_slot(audit *a, uint64_t slot)
{
    a->is_whole = a->is_whole && slot < a->carved && !a->is_listed[slot];
    if (!a->is_whole)
        return;
    a->is_listed[slot] = true;
    a->count++;
}

static void note_objects(audit *a, void *const *objects, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        note_slot(a, tarn_slot_of_(a->pool, objects[i]));
}

static void note_magazine(audit *a, uint32_t magazine)
{
    const tarn_magazines *magazines = &a->pool->depot.magazines;
    note_objects(a, tarn_magazine_objects(magazines, magazine), magazines->magazine_objects);
}

/* Stops at the first fault, so that a list that has become a ring ends the walk. */
static void note_slot_chain(audit *a, uint32_t index)
{
    for (; index != TARN_INDEX_NONE && a->is_whole;
         index = tarn_links_get(&a->pool->depot.slots, index))
        note_slot(a, index - 1);
}

static void note_shelf(audit *a, uint32_t magazine)
{
    for (; magazine != TARN_INDEX_NONE && a->is_whole;
         magazine = tarn_links_get(&a->pool->depot.magazines.links, magazine))
        note_magazine(a, magazine);
}

static void note_full(audit *a, uint32_t leader)
{
    const tarn_magazines *magazines = &a->pool->depot.magazines;
    for (; leader != TARN_INDEX_NONE && a->is_whole;
         leader = tarn_links_get(&magazines->links, leader)) {
        uint32_t members[TARN_CHAIN_MAGAZINES_MAX];
        uint32_t count = tarn_chain_read(magazines, leader, members);
        for (uint32_t i = 0; i < count; i++)
            note_magazine(a, members[i]);
    }
}

static void note_cache(audit *a, const tarn_cache_state *cache)
{
    note_objects(a, cache->hot.objects, tarn_array_count_(cache));
    if (!a->pool->plan.exact)
        note_slot_chain(a, cache->reserve_first);
    note_shelf(a, tarn_stack_top(&cache->shelf, &a->pool->depot.magazines.links));
}

static void note_all(audit *a)
{
    const tarn_pool *pool = a->pool;
    const tarn_depot *depot = &pool->depot;
    /* relaxed: nobody else is at work. */
    uint32_t used = tarn_u32_load_relaxed(&pool->caches_used);
    for (uint32_t i = 0; i < used; i++)
        note_cache(a, &pool->caches[i]);
    for (uint32_t i = 0; i < depot->shard_count; i++)
        note_full(a, tarn_stack_top(&depot->shards[i].full, &depot->magazines.links));
    note_slot_chain(a, tarn_stack_top(&depot->loose, &depot->slots));
    for (uint32_t i = 0; i < tarn_groups_used_(pool); i++)
        note_slot_chain(a, tarn_stack_top(&pool->groups[i].sorted, &depot->slots));
    for (uint64_t i = 0; i < tarn_quarantine_count_(pool); i++)
        note_slot(a, tarn_quarantine_slot_(pool, i));
}

static uint64_t free_by_figures(const tarn_pool *pool)
{
    tarn_pool_statistics statistics;
    tarn_pool_sample(pool, &statistics);
    uint64_t reserved = pool->plan.exact ? statistics.free_in_caches : 0;
    return statistics.free_in_caches + statistics.free_in_depot - reserved;
}

bool tarn_audit_(const tarn_pool *pool)
{
    if (pool->is_torn)
        return true;
    /* relaxed: nobody else is at work. */
    audit a = {.pool = pool, .carved = tarn_u64_load_relaxed(&pool->slots_carved)};
    a.is_whole = true;
    a.is_listed = calloc((size_t)a.carved + 1, sizeof *a.is_listed);
    if (!a.is_listed)
        return true;
    note_all(&a);
    free(a.is_listed);
    return a.is_whole && a.count == free_by_figures(pool);
}
