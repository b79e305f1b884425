#include "depot/depot.h"

#include "base/assert.h"

static void put(tarn_depot *depot, tarn_stack *stack, const uint32_t *magazines, uint32_t count)
{
    uint32_t leader = tarn_chain_write(&depot->magazines, magazines, count);
    tarn_stack_push(stack, &depot->magazines.links, leader);
}

static uint32_t take(tarn_depot *depot, tarn_stack *stack, uint32_t *magazines)
{
    uint32_t leader = tarn_stack_pop(stack, &depot->magazines.links);
    if (leader == TARN_INDEX_NONE)
        return 0;
    return tarn_chain_read(&depot->magazines, leader, magazines);
}

/* The shard that is looked at after i others. */
static tarn_depot_shard *shard_after(tarn_depot *depot, uint32_t shard, uint32_t i)
{
    TARN_ASSERT(shard < depot->shard_count);
    uint32_t index = shard + i;
    return &depot->shards[index < depot->shard_count ? index : index - depot->shard_count];
}

void tarn_depot_put_full(tarn_depot *depot, uint32_t shard, const uint32_t *magazines,
                         uint32_t count)
{
    put(depot, &depot->shards[shard].full, magazines, count);
}

void tarn_depot_put_empty(tarn_depot *depot, uint32_t shard, const uint32_t *magazines,
                          uint32_t count)
{
    put(depot, &depot->shards[shard].empty, magazines, count);
}

uint32_t tarn_depot_take_full(tarn_depot *depot, uint32_t shard, uint32_t *magazines)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < depot->shard_count && count == 0; i++)
        count = take(depot, &shard_after(depot, shard, i)->full, magazines);
    return count;
}

static uint32_t take_used_empty(tarn_depot *depot, uint32_t shard, uint32_t *magazines)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < depot->shard_count && count == 0; i++)
        count = take(depot, &shard_after(depot, shard, i)->empty, magazines);
    return count;
}

uint32_t tarn_depot_take_empty(tarn_depot *depot, uint32_t shard, uint32_t *magazines)
{
    uint32_t count = take_used_empty(depot, shard, magazines);
    if (count > 0)
        return count;
    magazines[0] = tarn_magazine_carve(&depot->magazines);
    if (magazines[0] != TARN_INDEX_NONE)
        return 1;
    /* All have been carved. There are enough for every slot and every cache, so at least one lies
     * on a stack now, unless it moved there behind this search, or more cacheless threads than
     * were counted on have just emptied one and are about to put it there. */
    do
        count = take_used_empty(depot, shard, magazines);
    while (count == 0);
    return count;
}

static bool are_all_full_empty(const tarn_depot *depot, uint64_t *heads)
{
    for (uint32_t i = 0; i < depot->shard_count; i++) {
        heads[i] = tarn_stack_peek(&depot->shards[i].full);
        if (!tarn_stack_head_is_empty(&depot->magazines.links, heads[i]))
            return false;
    }
    return true;
}

static bool are_all_unchanged(const tarn_depot *depot, const uint64_t *heads)
{
    for (uint32_t i = 0; i < depot->shard_count; i++)
        if (tarn_stack_peek(&depot->shards[i].full) != heads[i])
            return false;
    return true;
}

/* Slots move between loose and the shards, so separate looks could miss one on its way. The tags
 * of unchanged heads prove that all shards stayed empty while `loose` was looked at.
 *
 * The instant is one of happens-before: of the changes that the looks saw none knew of a later
 * change to any of the heads (E11), or a look after it would have seen that one too. */
bool tarn_depot_is_dry(const tarn_depot *depot)
{
    uint64_t heads[TARN_DEPOT_SHARDS_MAX];
    return are_all_full_empty(depot, heads) &&
           tarn_stack_head_is_empty(&depot->slots, tarn_stack_peek(&depot->loose)) &&
           are_all_unchanged(depot, heads);
}

void tarn_depot_clear(tarn_depot *depot)
{
    for (uint32_t i = 0; i < depot->shard_count; i++) {
        tarn_stack_take_all(&depot->shards[i].full, &depot->magazines.links);
        tarn_stack_take_all(&depot->shards[i].empty, &depot->magazines.links);
    }
    tarn_stack_take_all(&depot->loose, &depot->slots);
    /* relaxed: the caller orders clear against every other use. */
    tarn_u32_store_relaxed(&depot->magazines.carved, 0);
}
