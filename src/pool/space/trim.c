#include "pool/space/trim.h"

#include "base/os.h"
#include "pool/reclaim.h"
#include "pool/slots.h"
#include "pool/space/groups.h"
#include "tarn/space.h"

/* The depot's shards are all looked at from here. */
#define SHARD 0u

bool tarn_trim_begin_(tarn_pool *pool)
{
    uint64_t trimmer = 0;
    /* E7 acquire: the window as the last trimmer left it. */
    return tarn_u64_cas_strong_acquire(&pool->space.trimmer, &trimmer, tarn_os_thread_id());
}

void tarn_trim_end_(tarn_pool *pool)
{
    /* E7 release: the window. */
    tarn_u64_store_release(&pool->space.trimmer, 0);
}

static void count_broken_up(tarn_u64 *counter, uint64_t magazines)
{
    /* relaxed: a figure for samples. */
    tarn_u64_fetch_add_relaxed(counter, magazines);
}

static uint64_t sort_magazines(tarn_pool *pool, const uint32_t *magazines, uint32_t count)
{
    uint32_t magazine_objects = pool->plan.magazine_objects;
    for (uint32_t i = 0; i < count; i++)
        tarn_groups_put_(pool, tarn_magazine_objects(&pool->depot.magazines, magazines[i]),
                         magazine_objects);
    tarn_depot_put_empty(&pool->depot, SHARD, magazines, count);
    return (uint64_t)count * magazine_objects;
}

/* As many magazines of a chain as count_max objects need, at least one. */
static uint64_t sort_chain(tarn_pool *pool, uint64_t count_max)
{
    uint32_t magazines[TARN_CHAIN_MAGAZINES_MAX];
    uint32_t taken = tarn_depot_take_full(&pool->depot, SHARD, magazines);
    if (taken == 0)
        return 0;
    uint64_t needed = (count_max - 1) / pool->plan.magazine_objects + 1;
    uint32_t count = needed < taken ? (uint32_t)needed : taken;
    if (count < taken)
        tarn_depot_put_full(&pool->depot, SHARD, magazines + count, taken - count);
    count_broken_up(&pool->direct.splits, count);
    return sort_magazines(pool, magazines, count);
}

static uint64_t sort_loose(tarn_pool *pool)
{
    uint32_t indices[TARN_MAGAZINE_OBJECTS_MAX];
    void *objects[TARN_MAGAZINE_OBJECTS_MAX];
    uint32_t count = tarn_stack_pop_some(&pool->depot.loose, &pool->depot.slots,
                                         pool->plan.magazine_objects, indices);
    for (uint32_t i = 0; i < count; i++)
        objects[i] = tarn_slot_index_object_(pool, indices[i]);
    tarn_groups_put_(pool, objects, count);
    return count;
}

static uint64_t sort_shelf(tarn_pool *pool)
{
    uint32_t magazine = tarn_reclaim_magazine_(pool, NULL);
    if (magazine == TARN_INDEX_NONE)
        return 0;
    count_broken_up(&pool->direct.steals, 1);
    return sort_magazines(pool, &magazine, 1);
}

uint64_t tarn_trim_sort_(tarn_pool *pool, uint64_t count)
{
    uint64_t sorted = 0;
    while (sorted < count) {
        uint64_t more = sort_chain(pool, count - sorted);
        if (more == 0)
            more = sort_loose(pool);
        if (more == 0)
            break;
        sorted += more;
    }
    return sorted;
}

uint64_t tarn_trim_give_back_(tarn_pool *pool, uint64_t count, size_t *bytes)
{
    uint64_t gone = 0, group_slots = (uint64_t)1 << pool->plan.group_shift;
    for (uint32_t group = tarn_groups_used_(pool); group-- > 0 && count - gone >= group_slots;)
        gone += tarn_groups_give_back_(pool, group, bytes);
    return gone;
}

/* Everything that is in reach: in the depot, on shelves, in caches of finished threads. What others
 * free meanwhile must not keep it going for ever. */
static void sort_all(tarn_pool *pool)
{
    uint64_t left = tarn_u64_load_relaxed(&pool->slots_carved); /* relaxed: a bound. */
    tarn_reclaim_left_(pool);
    for (uint64_t more = 1; more > 0 && left > 0; left -= more < left ? more : left) {
        more = tarn_trim_sort_(pool, TARN_CHAIN_MAGAZINES_MAX * TARN_MAGAZINE_OBJECTS_MAX);
        if (more == 0)
            more = sort_shelf(pool);
    }
    tarn_reclaim_request_(pool, NULL);
}

static tarn_status trim(tarn_pool *pool, size_t keep_objects, size_t *bytes)
{
    if (!tarn_trim_begin_(pool))
        return TARN_ERROR_BUSY;
    sort_all(pool);
    uint64_t sorted = tarn_groups_sorted_(pool);
    if (sorted > keep_objects)
        tarn_trim_give_back_(pool, sorted - keep_objects, bytes);
    tarn_trim_end_(pool);
    return TARN_OK;
}

tarn_status tarn_pool_trim(tarn_pool *pool, size_t keep_objects, size_t *bytes)
{
    size_t gone = 0;
    if (bytes)
        *bytes = 0;
    if (!pool || pool->plan.exact)
        return TARN_ERROR_INVALID;
    tarn_status status = pool->plan.has_groups ? trim(pool, keep_objects, &gone) : TARN_OK;
    if (bytes)
        *bytes = gone;
    return status;
}
