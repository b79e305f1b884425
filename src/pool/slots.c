#include "pool/slots.h"

/* Newton's iteration for the inverse of an odd number modulo 2^64: an odd number is its own
 * inverse to 3 bits, and each step doubles the bits that are right. */
static uint64_t inverse_of_odd(uint64_t odd)
{
    uint64_t inverse = odd;
    for (int bits = 3; bits < 64; bits *= 2)
        inverse *= 2 - odd * inverse;
    return inverse;
}

void tarn_slots_init_(tarn_pool *pool, char *slots)
{
    pool->slots = slots;
    pool->stride_shift = (uint32_t)__builtin_ctzll(pool->plan.stride_bytes);
    pool->stride_inverse = inverse_of_odd(pool->plan.stride_bytes >> pool->stride_shift);
}

uint64_t tarn_slots_capacity_(const tarn_pool *pool)
{
    /* E2 acquire: what is below it is committed. */
    return tarn_u64_load_acquire(&pool->growth.capacity);
}

uint32_t tarn_slots_carve_(tarn_pool *pool, uint32_t count_max, uint64_t limit, uint64_t *slot)
{
    /* relaxed: a first guess for the CAS. Not an add: one that fails would move the index all the
     * same, and at last wrap to live slots. */
    uint64_t carved = tarn_u64_load_relaxed(&pool->slots_carved);
    while (carved < limit) {
        uint64_t count = limit - carved < count_max ? limit - carved : count_max;
        /* E16 release: in whose hand the slots are. Their memory was never used. */
        if (tarn_u64_cas_weak_release(&pool->slots_carved, &carved, carved + count)) {
            *slot = carved;
            return (uint32_t)count;
        }
    }
    return 0;
}

bool tarn_slots_are_carved_(const tarn_pool *pool, uint64_t capacity)
{
    /* relaxed: it only grows, so an old value errs towards another look. */
    return tarn_u64_load_relaxed(&pool->slots_carved) >= capacity + pool->plan.slack_slots;
}

void tarn_slots_put_loose_chain_(tarn_pool *pool, uint32_t first, uint32_t last)
{
    tarn_stack_push_chain(&pool->depot.loose, &pool->depot.slots, first, last);
}

void tarn_slots_put_loose_some_(tarn_pool *pool, uint32_t count, void *const *objects)
{
    uint32_t first = tarn_slot_index_(pool, objects[0]);
    uint32_t last = first;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t next = tarn_slot_index_(pool, objects[i]);
        tarn_links_set(&pool->depot.slots, last, next);
        last = next;
    }
    tarn_slots_put_loose_chain_(pool, first, last);
}

void tarn_slots_put_loose_(tarn_pool *pool, void *object)
{
    uint32_t index = tarn_slot_index_(pool, object);
    tarn_slots_put_loose_chain_(pool, index, index);
}
