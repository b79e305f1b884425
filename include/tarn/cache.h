/* Caches: a worker's private store of free objects. The main way to use a pool.
 *
 *   may overlap, on one cache       alloc, free, bulk, reserve, detach
 *   alloc, free, bulk, reserve,     no: a cache has one user at a time. It may change threads when
 *   detach                          the hand-over is ordered (a job system's fibers do so)
 *
 *   on different caches of a pool   all: yes. An object may be freed to another cache than the one
 *                                   it came from.
 *
 * A picture of one cache:
 *
 *            taker and giver                     pool's depot
 *      alloc |   ^ free                      (shared, lock-free)
 *            v   |
 *      [ array of 1 to 128 ]                         ^ a chain of magazines at a time
 *            ^   | half of it at a time              |
 *            |   v                                   v
 *      [ shelf: a few full magazines ] <------------>
 *            |
 *            v  a magazine, when another cache's owner is starving
 */
#ifndef TARN_CACHE_H
#define TARN_CACHE_H

#include "tarn/config.h"
#include "tarn/pool.h"
#include "tarn/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TARN_CACHE_ARRAY_OBJECTS 128u

/* Only the part that the inline calls touch; the library keeps more behind it. All fields are the
 * library's. An allocation is served here while top > alloc_floor, a free while
 * top < free_ceiling; any thread can send the owner to the slow path by moving these limits.
 *
 * A pointer to the top, not a count: processors forward a store to a later load without delay only
 * where the address is a plain base and offset (measured: 0.8 against 1.3 ns per pair). */
typedef struct tarn_cache {
    void **top; /* one past the newest free object in objects */
    void **alloc_floor;
    void **free_ceiling;
    size_t allocs; /* ever made here; on 32-bit machines modulo 2^32 */
    void *objects[TARN_CACHE_ARRAY_OBJECTS];
} tarn_cache;

/* Takes a cache of the pool for the caller, at first one that a finished thread left behind. Where
 * all others are attached, it waits for a detach that is under way in another thread, or for one
 * that empties what a finished thread left.
 * *cache is the caller's until tarn_cache_detach or the end of the pool; NULL on failure.
 * Returns TARN_OK; TARN_ERROR_INVALID (null); TARN_ERROR_NO_CACHE (caches_max are attached: the
 * guest calls still work). Threads: any. */
TARN_API tarn_status tarn_cache_attach(tarn_pool *pool, tarn_cache **cache);

/* Gives every free object in the cache back to the pool, and the cache itself. The caller must not
 * use it again: an allocation answers NULL, a freed object goes to the pool, a checked pool
 * reports both, as long as nobody else has attached the cache since.
 * Returns TARN_OK; TARN_ERROR_INVALID (null); TARN_ERROR_NOT_ATTACHED (a second detach, or a guest
 * thread's cache). Threads: the cache's user. */
TARN_API tarn_status tarn_cache_detach(tarn_cache *cache);

/* Makes sure that the next `count` allocations on this cache succeed, whatever other threads do.
 * Reserved objects count as live towards the capacity, also beyond cache_objects_max, until the
 * allocations are made. A second call replaces the reservation; 0 ends it, and so do clear and
 * detach. While more is reserved than the cache's array holds, calls take the slow path.
 * Returns TARN_OK; TARN_ERROR_INVALID (null); TARN_ERROR_NOT_ATTACHED; TARN_ERROR_FULL (nothing was
 * reserved, an earlier reservation stands). Threads: the cache's user. */
TARN_API tarn_status tarn_cache_reserve(tarn_cache *cache, size_t count);

/* All or nothing. On success objects[0..count) are the caller's; on failure objects is filled with
 * NULL and the pool is as before.
 * Returns TARN_OK; TARN_ERROR_INVALID (null); TARN_ERROR_NOT_ATTACHED; TARN_ERROR_FULL;
 * TARN_ERROR_CONSTRUCT (the pool's construct hook failed for one of them; what it has made of the
 * others is kept). Threads: the cache's user. */
TARN_API tarn_status tarn_alloc_bulk(tarn_cache *cache, size_t count, void **objects);

/* Frees objects[0..count), each as tarn_free does: a checked pool reports and skips what is not
 * its own. Returns TARN_OK or TARN_ERROR_INVALID (null). Threads: the cache's user. */
TARN_API tarn_status tarn_free_bulk(tarn_cache *cache, size_t count, void *const *objects);

/* What the inline calls fall back to; not for direct use. */
TARN_API void *tarn_alloc_slow_(tarn_cache *cache);
TARN_API void tarn_free_slow_(tarn_cache *cache, void *object);

/* One object, its content as the last user left it (zero the first time), unless a checked pool
 * fills what is free. What that user wrote before tarn_free is visible here.
 * Returns NULL when the pool has no free object. Threads: the cache's user. */
static inline void *tarn_alloc(tarn_cache *cache)
{
    void **top = TARN_LOAD_RELAXED(&cache->top);
    if (TARN_LIKELY(top > TARN_LOAD_RELAXED(&cache->alloc_floor))) {
        void *object = top[-1];
        TARN_STORE_RELAXED(&cache->top, top - 1);
        TARN_STORE_RELAXED(&cache->allocs, TARN_LOAD_RELAXED(&cache->allocs) + 1);
        TARN_ASSUME(object != NULL);
        return object;
    }
    return tarn_alloc_slow_(cache);
}

/* Gives an object of the pool back, to any of its caches. The pool does not write into it, unless a
 * checked one is to fill what is free. NULL, foreign pointers and objects that are free already are
 * the caller's error; a checked pool reports them and does nothing.
 * Threads: the cache's user. */
static inline void tarn_free(tarn_cache *cache, void *object)
{
    void **top = TARN_LOAD_RELAXED(&cache->top);
    if (TARN_LIKELY(top < TARN_LOAD_RELAXED(&cache->free_ceiling))) {
        /* The last object taken is often the first that comes back: its place still names it, and
         * stores are what bounds this path. */
        if (*top != object)
            *top = object;
        TARN_STORE_RELAXED(&cache->top, top + 1);
        return;
    }
    tarn_free_slow_(cache, object);
}

#ifdef __cplusplus
}
#endif
#endif
