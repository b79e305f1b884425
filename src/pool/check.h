/* What a checked pool finds out about a call before it changes anything, and how it is told. */
#ifndef TARN_POOL_CHECK_H
#define TARN_POOL_CHECK_H

#include "pool/state.h"

/* Whether the pointer may be freed to the pool; reports it if not. True in an unchecked pool. */
bool tarn_check_object_(const tarn_pool *pool, const void *object);

/* In a checked pool, reports the use of a cache that is not attached. */
void tarn_check_detached_(const tarn_pool *pool, const void *object);

#endif
