/* The calls of a watched pool: around what they do in any other pool they look for misuse, play
 * the tricks that the options ask for, and tell memory checkers. */
#ifndef TARN_POOL_WATCH_H
#define TARN_POOL_WATCH_H

#include "pool/life/life.h"
#include "pool/state.h"

/* *word as in life/calls.h. */
tarn_status tarn_watch_alloc_(tarn_cache_state *cache, void **object, uint32_t *word);
void tarn_watch_free_(tarn_cache_state *cache, void *object);

tarn_status tarn_watch_alloc_bulk_(tarn_cache_state *cache, size_t count, void **objects);
void tarn_watch_free_bulk_(tarn_cache_state *cache, size_t count, void *const *objects);

tarn_status tarn_watch_reserve_(tarn_cache_state *cache, size_t count);

/* Gives an object back whose life was ended by its handle, to the cache, or directly where that is
 * NULL. */
void tarn_watch_return_(tarn_pool *pool, tarn_cache_state *cache, void *object, tarn_life_end end);

/* Takes a slot, if need be from the quarantine. Without a cache, that is NULL. */
void *tarn_watch_take_(tarn_pool *pool, tarn_cache_state *cache);

/* For threads without a cache. */
tarn_status tarn_watch_direct_alloc_(tarn_pool *pool, void **object, uint32_t *word);
void tarn_watch_direct_free_(tarn_pool *pool, void *object);

#endif
