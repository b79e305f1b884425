/* Names for what lies in a pool, for the listing of a failing run. */
#ifndef TARN_MODEL_POOL_NAMES_H
#define TARN_MODEL_POOL_NAMES_H

#include "tarn/pool.h"

void pool_names_use(const tarn_pool *pool);

#endif
