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

void tarn_depot_put_full(tarn_depot *depot, const uint32_t *magazines, uint32_t count)
{
    put(depot, &depot->full, magazines, count);
}

void tarn_depot_put_empty(tarn_depot *depot, const uint32_t *magazines, uint32_t count)
{
    put(depot, &depot->empty, magazines, count);
}

uint32_t tarn_depot_take_full(tarn_depot *depot, uint32_t *magazines)
{
    return take(depot, &depot->full, magazines);
}

uint32_t tarn_depot_take_empty(tarn_depot *depot, uint32_t *magazines)
{
    uint32_t count = take(depot, &depot->empty, magazines);
    if (count > 0)
        return count;
    magazines[0] = tarn_magazine_carve(&depot->magazines);
    if (magazines[0] != TARN_INDEX_NONE)
        return 1;
    /* All have been carved. There are enough for every slot and every cache, so at least one lies
     * on the stack now, unless more cacheless threads than were counted on have just emptied one
     * and are about to put it there. */
    do
        count = take(depot, &depot->empty, magazines);
    while (count == 0);
    return count;
}

/* Slots move between loose and full, so two separate looks could miss one on its way. The tag of
 * an unchanged head proves that `full` stayed empty while `loose` was looked at. */
bool tarn_depot_is_dry(const tarn_depot *depot)
{
    uint64_t before = tarn_stack_peek(&depot->full);
    if (!tarn_stack_head_is_empty(&depot->magazines.links, before))
        return false;
    if (!tarn_stack_head_is_empty(&depot->slots, tarn_stack_peek(&depot->loose)))
        return false;
    return tarn_stack_peek(&depot->full) == before;
}

void tarn_depot_clear(tarn_depot *depot)
{
    tarn_stack_take_all(&depot->full, &depot->magazines.links);
    tarn_stack_take_all(&depot->empty, &depot->magazines.links);
    tarn_stack_take_all(&depot->loose, &depot->slots);
    /* relaxed: the caller orders clear against every other use. */
    tarn_u32_store_relaxed(&depot->magazines.carved, 0);
}
