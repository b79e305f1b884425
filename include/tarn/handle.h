/* Handles: names of objects that go stale when the object's life ends, and never before.
 *
 *   may overlap      take  release  resolve, handle_of  alloc, free
 *   take             yes   yes      yes                 yes
 *   release          yes   yes      yes                 yes
 *   resolve          yes   yes      yes                 yes
 *
 * For pools with tarn_pool_options.handles. Such a pool has a word per slot that counts its lives,
 * odd while it is live. A handle holds the slot, that count and the pool's number:
 *
 *   64 bits   [ pool: 12 | lives: the rest, at most 30 | slot: what the pool's slots need ]
 *   32 bits   [ pool: handle_pool_bits | lives: the rest | slot: handle_index_bits ]
 *
 * A slot whose lives are used up is retired: it is never handed out again, so that no old handle
 * can become valid again; tarn_pool_sample counts such slots, and the capacity is less by them.
 * A slot has 2^29 lives, or half as many as the bits for lives can count, where those are fewer:
 * tarn_pool_info.lives_max. At 1000 lives per second in one slot they last
 *
 *   64 bits   up to 2^22 slots   2^29   6 days     (in a loop that does nothing else: seconds)
 *             2^28 slots         2^23   2 hours
 *             2^32 slots         2^19   9 minutes
 *   32 bits   2^10 slots         2^21   35 minutes
 *             2^16 slots         2^15   33 seconds
 *
 * The pool's number takes its handle_pool_bits off the lives of 32-bit handles: each halves them.
 *
 * Of several threads that end one life at the same time, by release or by eviction, one succeeds.
 * That is exact and so costs an atomic read-modify-write (H. Attiya et al., "Laws of Order", POPL
 * 2011: no cheaper way exists). tarn_free leaves it out: who frees by pointer says that nobody else
 * does. */
#ifndef TARN_HANDLE_H
#define TARN_HANDLE_H

#include "tarn/cache.h"
#include "tarn/config.h"
#include "tarn/pool.h"
#include "tarn/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bits of a slot's word that count its lives. */
#define TARN_LIVES_MASK_ 0x3FFFFFFFu

/* What the inline calls below read of a pool, at its start. Constant, but for slots_bound.
 *
 * A live slot's word, times life_unit, plus life_base, plus the slot is the handle's bits: what a
 * live word has above its lives is always the same, and life_base takes it off. A free slot's may
 * come to the bits of an even number of lives, which no handle has. */
typedef struct tarn_handle_table_ {
    const uint32_t *words; /* a slot's lives */
    char *slots;
    size_t stride_bytes;
    size_t slots_bound; /* slots whose words can be read: grows; 0 without handles */
    uint64_t life_unit; /* the lowest bit that counts lives */
    uint64_t life_base; /* the pool's number, less what stands above the lives in a live word */
    uint64_t pool_bits; /* the pool's number, where handles have it */
    uint32_t index_bits;
    uint32_t lives_mask;
} tarn_handle_table_;

static inline const tarn_handle_table_ *tarn_handle_table_of_(const tarn_pool *pool)
{
    return (const tarn_handle_table_ *)(const void *)pool;
}

/* The slot that a handle names, of a pool whose handles have life_unit above it. */
static inline size_t tarn_handle_slot_(uint64_t life_unit, tarn_handle handle)
{
    return (size_t)(handle.bits & (life_unit - 1));
}

/* Never valid; what zeroed memory holds. */
static inline bool tarn_handle_is_none(tarn_handle handle)
{
    return handle.bits == 0;
}

static inline bool tarn_handle_equal(tarn_handle a, tarn_handle b)
{
    return a.bits == b.bits;
}

/* The slot that a handle of this pool names, and which of its lives, from 1. Threads: any. */
static inline uint32_t tarn_handle_index(const tarn_pool *pool, tarn_handle handle)
{
    return (uint32_t)tarn_handle_slot_(tarn_handle_table_of_(pool)->life_unit, handle);
}
static inline uint32_t tarn_handle_generation(const tarn_pool *pool, tarn_handle handle)
{
    const tarn_handle_table_ *table = tarn_handle_table_of_(pool);
    return ((uint32_t)(handle.bits >> table->index_bits) & table->lives_mask) / 2 + 1;
}

/* For pools with handle_bits 32: the same handle in half the space; and back. One that does not fit
 * becomes the handle that is never valid. */
static inline tarn_compact_handle tarn_handle_compact(tarn_handle handle)
{
    tarn_compact_handle compact;
    compact.bits = handle.bits >> 32 ? 0 : (uint32_t)handle.bits;
    return compact;
}
static inline tarn_handle tarn_handle_expand(tarn_compact_handle compact)
{
    tarn_handle handle;
    handle.bits = compact.bits;
    return handle;
}

/* The object that the handle names, or NULL when its life has ended, the handle is none or another
 * pool's. The answer is that of one moment: who uses the object makes sure that nobody ends its
 * life meanwhile. Threads: any, also while others take, release and grow. */
static inline void *tarn_resolve(const tarn_pool *pool, tarn_handle handle)
{
    const tarn_handle_table_ *table = tarn_handle_table_of_(pool);
    uint64_t unit = table->life_unit;
    size_t slot = tarn_handle_slot_(unit, handle);
    if (TARN_UNLIKELY(slot >= TARN_LOAD_RELAXED(&table->slots_bound)))
        return NULL;
    /* acquire: what a reset or construct hook wrote before the life began (E6). */
    uint32_t word = __atomic_load_n(&table->words[slot], __ATOMIC_ACQUIRE);
    uint64_t named = word * unit + table->life_base + slot;
    if (TARN_UNLIKELY(named != handle.bits || !(handle.bits & unit)))
        return NULL;
    char *object = table->slots + slot * table->stride_bytes;
    TARN_ASSUME(object != NULL);
    return object;
}

/* Allocates an object and names it. *handle and, unless object is NULL, *object are set; none and
 * NULL on failure.
 * Returns TARN_OK; TARN_ERROR_INVALID (null, or a pool without handles); TARN_ERROR_NOT_ATTACHED;
 * TARN_ERROR_FULL; TARN_ERROR_PINNED (the pool's evict function named no victim);
 * TARN_ERROR_CONSTRUCT (the pool's construct hook failed). Threads: the cache's user. */
TARN_API tarn_status tarn_take(tarn_cache *cache, tarn_handle *handle, void **object);

/* Ends the life that the handle names; the object goes to the cache.
 * Returns TARN_OK; TARN_ERROR_INVALID (a null cache, a pool without handles); TARN_ERROR_STALE
 * (that life has ended, or the handle is none); TARN_ERROR_FOREIGN (another pool's, where handles
 * hold the pool's number). On failure nothing was done. A cache that is not attached is no
 * hindrance, as in tarn_free. Threads: the cache's user; any number of them with the same handle.
 */
TARN_API tarn_status tarn_release(tarn_cache *cache, tarn_handle handle);

/* The same without a cache of one's own: see tarn/guest.h. Threads: any. */
TARN_API tarn_status tarn_guest_take(tarn_pool *pool, tarn_handle *handle, void **object);
TARN_API tarn_status tarn_guest_release(tarn_pool *pool, tarn_handle handle);

/* The handle of a live object, by the pointer to its start; none for any other pointer.
 * Threads: any; who asks makes sure that the object stays live. */
TARN_API tarn_handle tarn_handle_of(const tarn_pool *pool, const void *object);

#ifdef __cplusplus
}
#endif
#endif
