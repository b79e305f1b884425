/* The site that the calling thread noted for its next call: see tarn/sites.h. */
#ifndef TARN_POOL_SITE_H
#define TARN_POOL_SITE_H

#include "pool/state.h"

/* Takes the site noted for this cache or its pool; NULL when the thread noted none. */
const char *tarn_site_take_(const tarn_cache_state *cache);

/* The same for calls without a cache. */
const char *tarn_site_take_direct_(const tarn_pool *pool);

#endif
