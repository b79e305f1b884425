/* Handles inside the library: see tarn/handle.h. */
#ifndef TARN_POOL_LIFE_HANDLES_H
#define TARN_POOL_LIFE_HANDLES_H

#include "pool/state.h"

/* Fills in the table that the inline calls read. slots_bound stays 0 until memory is committed. */
void tarn_handles_init_(tarn_pool *pool);

/* The pool's number, which its handles hold. Before any is made. */
void tarn_handles_set_number_(tarn_pool *pool, uint32_t number);

/* Ends the life that the handle names, if nobody else has: then *object is the caller's, who goes
 * on with tarn_life_finish_.
 * Returns TARN_OK, TARN_ERROR_INVALID, TARN_ERROR_STALE or TARN_ERROR_FOREIGN. */
tarn_status tarn_handles_try_end_(tarn_pool *pool, tarn_handle handle, void **object);

#endif
