/* The caches of threads that use guest calls. */
#ifndef TARN_POOL_GUEST_H
#define TARN_POOL_GUEST_H

#include "pool/state.h"

/* The calling thread's cache of the pool, claimed now if need be; NULL when all are taken. */
tarn_cache *tarn_guest_cache_(tarn_pool *pool);

/* Leaves the thread's caches, and makes guest calls that come later still, from other destructors,
 * go to the pools' shared parts. The argument is unused. */
void tarn_guest_thread_ends_(void *unused);

#endif
