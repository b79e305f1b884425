/* Taking several objects at once, all or none. */
#ifndef TARN_POOL_BULK_H
#define TARN_POOL_BULK_H

#include "pool/state.h"

/* What tarn_alloc_bulk does in a pool that is not featured; does not count a refusal. */
tarn_status tarn_bulk_take_(tarn_cache_state *cache, size_t count, void **objects);

#endif
