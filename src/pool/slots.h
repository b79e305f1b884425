/* Slots: index <-> address, and carving, the handing out of slots never used before.
 *
 *   E2 growth stores capacity (release) -> carve reads capacity (acquire): the new slots are
 *      committed memory.
 *   E16 carve moves slots_carved (release) -> a wait for prepare looks at it (acquire): who may
 *      have the slots in hand has counted itself, see space/prepare.h. */
#ifndef TARN_POOL_SLOTS_H
#define TARN_POOL_SLOTS_H

#include "pool/state.h"

/* What an object's address comes to when it is no slot's start. */
#define TARN_SLOT_NONE UINT64_MAX

void tarn_slots_init_(tarn_pool *pool, char *slots);

static inline void *tarn_slot_object_(const tarn_pool *pool, uint64_t slot)
{
    return pool->slots + (size_t)slot * pool->plan.stride_bytes;
}

/* The slot that starts at this address. Exact division without a branch: with stride = odd << s,
 * multiplying by the inverse of odd modulo 2^64 and rotating right by s gives the quotient where
 * there is no remainder, and a number out of range where there is one (H. S. Warren, "Hacker's
 * Delight", 2nd ed. 2013, section 10-17). Returns TARN_SLOT_NONE for any other address. */
static inline uint64_t tarn_slot_of_(const tarn_pool *pool, const void *object)
{
    uint64_t offset = (uint64_t)((uintptr_t)object - (uintptr_t)pool->slots);
    uint64_t scaled = offset * pool->stride_inverse;
    uint32_t shift = pool->stride_shift;
    uint64_t slot = scaled >> shift | (scaled << 1) << (63 - shift);
    return slot < pool->plan.slots_max ? slot : TARN_SLOT_NONE;
}

/* Objects that can live at once, now. */
uint64_t tarn_slots_capacity_(const tarn_pool *pool);

/* Takes up to count_max slots below limit. Returns how many, and the first in *slot. */
uint32_t tarn_slots_carve_(tarn_pool *pool, uint32_t count_max, uint64_t limit, uint64_t *slot);

/* Whether nothing is left to carve, slack included, at the capacity given. */
bool tarn_slots_are_carved_(const tarn_pool *pool, uint64_t capacity);

/* Frees a chain of slots, first to last, that the caller linked; or one. */
void tarn_slots_put_loose_chain_(tarn_pool *pool, uint32_t first, uint32_t last);

/* Objects, at least one. */
void tarn_slots_put_loose_some_(tarn_pool *pool, uint32_t count, void *const *objects);
void tarn_slots_put_loose_(tarn_pool *pool, void *object);

/* The index of an object among the loose slots, and back. */
static inline uint32_t tarn_slot_index_(const tarn_pool *pool, const void *object)
{
    return (uint32_t)tarn_slot_of_(pool, object) + 1;
}
static inline void *tarn_slot_index_object_(const tarn_pool *pool, uint32_t index)
{
    return tarn_slot_object_(pool, index - 1);
}

#endif
