/* Allocation without a cache, one object at a time: for threads that found none free, and for
 * exact pools, where it is the only way. */
#ifndef TARN_POOL_DIRECT_H
#define TARN_POOL_DIRECT_H

#include "pool/state.h"

/* NULL when the pool has no free object; as strict as tarn_refill_, while no more than
 * TARN_DIRECT_THREADS_COUNTED threads are in here or in tarn_pool_prepare at once; of an exact
 * pool, any number. */
void *tarn_direct_alloc_(tarn_pool *pool);

void tarn_direct_free_(tarn_pool *pool, void *object);

/* Frees objects, at least one, in one step. */
void tarn_direct_free_some_(tarn_pool *pool, uint32_t count, void *const *objects);

/* Gives an object back that was not allocated after all: neither call is counted. */
void tarn_direct_undo_(tarn_pool *pool, void *object);

#endif
