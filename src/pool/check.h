/* What a watched pool finds out about a call before it changes anything. */
#ifndef TARN_POOL_CHECK_H
#define TARN_POOL_CHECK_H

#include "pool/state.h"

/* Whether the pointer is an object of the pool; reports it if not. */
bool tarn_check_object_(const tarn_pool *pool, const void *object, const char *site);

/* In a checked pool, reports the use of a cache that is not attached. */
void tarn_check_detached_(const tarn_pool *pool, const void *object, const char *site);

#endif
