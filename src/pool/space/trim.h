/* Trimming: sorting free slots into their groups, and giving whole groups back. One thread at a
 * time, in bites.
 *
 *   E7 the trimmer stores trimmer = 0 (release) -> the next one's CAS (acquire): the window. */
#ifndef TARN_POOL_SPACE_TRIM_H
#define TARN_POOL_SPACE_TRIM_H

#include "pool/state.h"

/* False when another thread, or an outer call of this one, is at it. */
bool tarn_trim_begin_(tarn_pool *pool);
void tarn_trim_end_(tarn_pool *pool);

/* Sorts `count` free slots of the depot, not 0, as far as it has so many; at most a magazine more.
 * Returns how many. */
uint64_t tarn_trim_sort_(tarn_pool *pool, uint64_t count);

/* Gives whole groups back, the highest first, while another fits into what is left of `count`
 * slots. Returns how many slots went, and adds to *bytes. */
uint64_t tarn_trim_give_back_(tarn_pool *pool, uint64_t count, size_t *bytes);

#endif
