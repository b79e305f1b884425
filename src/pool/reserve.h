/* A cache's reserve: objects put aside so that promised allocations cannot fail. They hang on a
 * private chain through the pool's slot links, out of thieves' and requesters' reach. */
#ifndef TARN_POOL_RESERVE_H
#define TARN_POOL_RESERVE_H

#include "pool/state.h"

/* Allocations still promised. */
uint64_t tarn_reserve_left_(const tarn_cache_state *cache);

static inline uint64_t tarn_reserve_count_(const tarn_cache_state *cache)
{
    /* relaxed: one writer; others sample. */
    return tarn_u64_load_relaxed(&cache->counters.reserved);
}

void tarn_reserve_put_(tarn_cache_state *cache, void *object);

/* NULL when there is none. */
void *tarn_reserve_take_(tarn_cache_state *cache);

/* What tarn_cache_reserve does in a pool that is not watched. */
tarn_status tarn_reserve_make_(tarn_cache_state *cache, size_t count);

/* Gives back what is put aside beyond what is promised. */
void tarn_reserve_settle_(tarn_cache_state *cache);

/* Ends the promise and gives everything back. */
void tarn_reserve_end_(tarn_cache_state *cache);

#endif
