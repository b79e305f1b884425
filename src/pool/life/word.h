/* A slot's word: how many of its lives have begun and ended, and whether it holds an object.
 *
 *   bit 31    built: what the construct hook made is there
 *   bit 30    used: it had a life since it was built
 *   bits 29-0 lives: odd while the slot is live; each begin and each end adds one
 *
 *   may overlap   begin, end  try_end  read     I1 a word only changes while its slot is live, or
 *   begin, end    no          yes      yes         by whoever holds the free slot
 *   try_end       yes         yes      yes      I2 lives never take a value twice, so a handle that
 *   read          yes         yes      yes         is stale once is stale for ever
 *
 *   E6 begin stores a live word (release) -> resolve and iteration load it (acquire): what hooks
 *      wrote to the object before its life began.
 *
 *   E8 a group counts a slot that is retired (release) -> the trimmer reads the count (acquire):
 *      what the destroy hook did to the object.
 *
 * Retired is a word of its own: used, but not built. It is neither live nor listed as free. */
#ifndef TARN_POOL_LIFE_WORD_H
#define TARN_POOL_LIFE_WORD_H

#include "pool/slots.h"
#include "pool/state.h"

#define TARN_LIFE_BUILT   0x80000000u
#define TARN_LIFE_USED    0x40000000u
#define TARN_LIFE_RETIRED TARN_LIFE_USED

static inline uint32_t tarn_life_word_(const tarn_pool *pool, uint64_t slot)
{
    /* E6 acquire: what hooks wrote before the life began. */
    return tarn_u32_load_acquire(&pool->lives[slot]);
}

static inline void tarn_life_set_word_(tarn_pool *pool, uint64_t slot, uint32_t word)
{
    /* E6 release: what hooks wrote to the object. */
    tarn_u32_store_release(&pool->lives[slot], word);
}

static inline bool tarn_life_is_live_(uint32_t word)
{
    return word & 1;
}

/* What follows a life's end: the next even number, or retirement after the last. */
static inline uint32_t tarn_life_word_after_(const tarn_pool *pool, uint32_t live_word)
{
    bool is_last = (live_word & TARN_LIVES_MASK_) == pool->table.lives_mask;
    return is_last ? TARN_LIFE_RETIRED : live_word + 1;
}

static inline tarn_handle tarn_life_handle_(const tarn_pool *pool, uint64_t slot, uint32_t word)
{
    uint64_t lives = word & TARN_LIVES_MASK_;
    return (tarn_handle){pool->table.pool_bits | lives << pool->table.index_bits | slot};
}

#endif
