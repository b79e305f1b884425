/* Free objects out of other caches' hands, for an allocation that found the depot dry. */
#ifndef TARN_POOL_RECLAIM_H
#define TARN_POOL_RECLAIM_H

#include "pool/state.h"

/* A full magazine from some cache's shelf. Looks from the cache after `self` on, wherever that is;
 * self itself is skipped. TARN_INDEX_NONE when no shelf has one. */
uint32_t tarn_reclaim_magazine_(tarn_pool *pool, const tarn_cache_state *self);

/* Empties the caches that finished threads left behind. Returns whether there was one. */
bool tarn_reclaim_left_(tarn_pool *pool);

/* Asks the users of all other caches to give back what they hold, at their next call. */
void tarn_reclaim_request_(tarn_pool *pool, const tarn_cache_state *self);

#endif
