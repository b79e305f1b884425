/* Groups of slots, whose memory goes back to the system together. */
#ifndef TARN_POOL_SPACE_GROUPS_H
#define TARN_POOL_SPACE_GROUPS_H

#include "pool/state.h"

/* Whether the slot's memory has gone back. No trim may overlap. */
bool tarn_groups_is_trimmed_(const tarn_pool *pool, uint64_t slot);

/* Forgets what was sorted; what was trimmed stays so. No other use of the pool may overlap. */
void tarn_groups_clear_(tarn_pool *pool);

#endif
