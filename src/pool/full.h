/* What an allocation does when it found no free object and the pool may not grow: it asks the host,
 * who names a victim or makes room. */
#ifndef TARN_POOL_FULL_H
#define TARN_POOL_FULL_H

#include "pool/state.h"

/* Called when a take from the cache, or directly where that is NULL, has failed. On success *object
 * is taken and counted as an allocation.
 * Returns TARN_OK, TARN_ERROR_FULL or TARN_ERROR_PINNED. */
tarn_status tarn_full_take_(tarn_pool *pool, tarn_cache_state *cache, void **object);

#endif
