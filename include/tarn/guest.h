/* The pool from any thread, with no set-up.
 *
 * The first call of a thread claims one of the pool's caches for it; when the thread ends, the
 * cache keeps its content and passes to the next that needs one. When all caches are taken, calls
 * go to the pool's shared part one object at a time: slower, and still lock-free.
 *
 * Do not use these calls in a fiber that may resume on another thread: attach a cache instead. */
#ifndef TARN_GUEST_H
#define TARN_GUEST_H

#include "tarn/config.h"
#include "tarn/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As tarn_alloc. Returns NULL when the pool is null or has no free object. Threads: any. */
TARN_API void *tarn_guest_alloc(tarn_pool *pool);

/* As tarn_free; the object may come from any cache or thread. Threads: any. */
TARN_API void tarn_guest_free(tarn_pool *pool, void *object);

#ifdef __cplusplus
}
#endif
#endif
