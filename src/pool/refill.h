/* What an allocation does when the array is empty: it looks for free objects, the nearest first.
 *
 *   1 the reserve     4 loose slots       7 other shelves               10 slack slots
 *   2 the own shelf   5 sorted slots      8 caches of finished threads  11 growth
 *   3 the depot       6 slots never used  9 slots that were trimmed
 *
 * before 10 it asks all other caches to drain. */
#ifndef TARN_POOL_REFILL_H
#define TARN_POOL_REFILL_H

#include "pool/state.h"

/* Adds at least one object to an array that has room for a magazine. False when the pool has none
 * and may not grow: at some instant of the call, as many objects were live as the capacity. */
bool tarn_refill_(tarn_cache_state *cache);

/* The same, but leaves the cache's own reserve alone. */
bool tarn_refill_fresh_(tarn_cache_state *cache);

#endif
