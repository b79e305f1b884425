/* Growth: more capacity, within the maximum, the budget and the host's consent.
 *
 *   E4 the grower stores grower = 0 (release) -> the next one's CAS (acquire): region_bytes.
 *
 * Growing is not lock-free: one thread grows, and those that need the same growth wait for it, or
 * each would call the host and the system. No other call ever waits. */
#ifndef TARN_POOL_GROW_H
#define TARN_POOL_GROW_H

#include "pool/state.h"

/* Commits what a pool of that capacity needs. False, and nothing lost, when memory runs out. */
bool tarn_grow_commit_(tarn_pool *pool, uint64_t capacity);

/* Bytes that a pool of that capacity keeps committed. */
size_t tarn_grow_bytes_(const tarn_pool *pool, uint64_t capacity);

/* Waits until nobody else calls memory functions for the pool. False when the caller is inside such
 * a call, or a growth callback, of its own. */
bool tarn_grow_begin_(tarn_pool *pool);
void tarn_grow_end_(tarn_pool *pool);

/* As tarn_grow_, by `objects` where that is less than a step. */
bool tarn_grow_by_(tarn_pool *pool, uint64_t capacity_seen, uint64_t objects);

/* Makes the capacity larger than capacity_seen, here or by another thread that is at it already.
 * False when it cannot. */
bool tarn_grow_(tarn_pool *pool, uint64_t capacity_seen);

#endif
