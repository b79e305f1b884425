/* Who has which cache: attaching, detaching, and the claims of guest threads. */
#ifndef TARN_POOL_CACHE_H
#define TARN_POOL_CACHE_H

#include "pool/state.h"

bool tarn_cache_is_attached_(const tarn_cache_state *cache);

/* Takes a cache for `owner`, rather one with content than an empty one. NULL when all are taken. */
tarn_cache_state *tarn_cache_claim_(tarn_pool *pool, uint64_t owner);

/* The cache that `owner` holds already, or NULL. */
tarn_cache_state *tarn_cache_find_(tarn_pool *pool, uint64_t owner);

/* Leaves the cache that `owner` holds, if it does, with its content, to whoever comes next. */
void tarn_cache_leave_(tarn_pool *pool, uint64_t owner);

/* An object of an attached cache's pool, or NULL; and back. Nothing is checked: this is what the
 * slow paths do in a pool that is not watched. */
void *tarn_cache_take_(tarn_cache_state *cache);
void tarn_cache_put_(tarn_cache_state *cache, void *object);

/* Gives objects back that were not allocated after all, so that nothing was counted. */
void tarn_cache_untake_(tarn_cache_state *cache, size_t count, void *const *objects);

/* Counts the free of an object whose slot is never used again. Without a cache, it is NULL. */
void tarn_cache_forget_(tarn_pool *pool, tarn_cache_state *cache);

/* Counts an allocation that the pool refused. Returns NULL, for the caller to return. */
void *tarn_cache_refused_(tarn_pool *pool);

#endif
