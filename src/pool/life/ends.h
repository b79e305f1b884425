/* What happens to all lives of a pool together: at clear and at destruction. No other use of the
 * pool may overlap, but calls from inside the hooks. */
#ifndef TARN_POOL_LIFE_ENDS_H
#define TARN_POOL_LIFE_ENDS_H

#include "pool/state.h"

/* Ends every life. */
void tarn_ends_lives_(tarn_pool *pool);

/* Lists every free slot whose memory is there as loose, in a pool whose lists were all emptied.
 * Returns how many; *live, how many slots are not free. */
uint64_t tarn_ends_relist_(tarn_pool *pool, uint64_t *live);

/* Tells the host of every object that is live. */
void tarn_ends_report_live_(tarn_pool *pool);

/* Destroys every object that was constructed. Allocations are refused from now on. */
void tarn_ends_destroy_all_(tarn_pool *pool);

#endif
