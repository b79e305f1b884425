/* The calls of pools that do more than hand out slots, watched or not: where the inline and raw
 * paths turn to. Each begins lives, asks the host when the pool is full, and counts what it
 * refuses. */
#ifndef TARN_POOL_LIFE_CALLS_H
#define TARN_POOL_LIFE_CALLS_H

#include "pool/state.h"

/* *object is NULL on failure. *word is the slot's word in the life that has begun, if any. */
tarn_status tarn_calls_alloc_(tarn_cache_state *cache, void **object, uint32_t *word);
tarn_status tarn_calls_direct_alloc_(tarn_pool *pool, void **object, uint32_t *word);
tarn_status tarn_calls_alloc_bulk_(tarn_cache_state *cache, size_t count, void **objects);

void tarn_calls_free_(tarn_cache_state *cache, void *object);
void tarn_calls_direct_free_(tarn_pool *pool, void *object);
void tarn_calls_free_bulk_(tarn_cache_state *cache, size_t count, void *const *objects);

/* Gives an object back whose life was ended by its handle. Without a cache, that is NULL. */
void tarn_calls_release_(tarn_pool *pool, tarn_cache_state *cache, void *object);

#endif
