/* A cache's own empty magazines: what refills leave behind and drains need. */
#ifndef TARN_POOL_EMPTIES_H
#define TARN_POOL_EMPTIES_H

#include "pool/state.h"

void tarn_empties_put_(tarn_cache_state *cache, uint32_t magazine);
uint32_t tarn_empties_take_(tarn_cache_state *cache);

/* Gives all of them to the depot. */
void tarn_empties_flush_(tarn_cache_state *cache);

#endif
