/* The whole of a pool at quiescence, looked at piece by piece: for builds that audit. */
#ifndef TARN_POOL_AUDIT_H
#define TARN_POOL_AUDIT_H

#include "pool/state.h"

#include <stdbool.h>

/* Whether each free slot is listed exactly once, was carved, and the figures agree. No other use
 * of the pool may overlap. True as well when there is no memory to find out. */
bool tarn_audit_(const tarn_pool *pool);

#endif
