/* What a free does when the array is full, and how a cache gives back all that it holds. */
#ifndef TARN_POOL_DRAIN_H
#define TARN_POOL_DRAIN_H

#include "pool/state.h"

/* Moves a magazine's worth from the full array to the shelf, or to the reserve if it is owed. */
void tarn_drain_(tarn_cache_state *cache);

/* Gives back what is in the array beyond what a reservation still needs. */
void tarn_drain_array_(tarn_cache_state *cache);

/* Gives back everything, empty magazines too. */
void tarn_drain_all_(tarn_cache_state *cache);

/* Ends a slow call: gives back what a reservation no longer needs, opens the gate, and drains the
 * cache if another one's owner asked for it. */
void tarn_drain_settle_(tarn_cache_state *cache);

#endif
