/* What was not freed when a checked pool was to be destroyed. */
#ifndef TARN_POOL_LEAKS_H
#define TARN_POOL_LEAKS_H

#include "pool/state.h"

/* Reports the objects that are lent, once for each site they were allocated at; all of them as
 * one where there is no memory to sort them. No other use of the pool may overlap. */
void tarn_leaks_report_(const tarn_pool *pool);

#endif
