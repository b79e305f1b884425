/* The least that an end of life can cost of which only one of several callers may be the one:
 * tarn's calls for pools without handles, and one compare-and-swap per object that nobody disputes.
 */
#include "subjects/pool.h"

#include <stdatomic.h>

typedef tarn_cache *subject_handle;

static _Thread_local _Atomic uint32_t subject_lives;

static bool subject_open(const subject_needs *needs)
{
    return pool_open(needs, (tarn_pool_options){0});
}

static bool subject_enter(unsigned thread, subject_handle *handle)
{
    (void)thread;
    return tarn_cache_attach(subject_pool, handle) == TARN_OK;
}

static void subject_leave(subject_handle handle)
{
    tarn_cache_detach(handle);
}

static inline void *subject_alloc(subject_handle handle)
{
    return tarn_alloc(handle);
}

static inline void subject_free(subject_handle handle, void *object)
{
    /* relaxed: the thread's own word. */
    uint32_t lives = atomic_load_explicit(&subject_lives, memory_order_relaxed);
    if (atomic_compare_exchange_strong_explicit(&subject_lives, &lives, lives + 1,
                                                memory_order_relaxed, memory_order_relaxed))
        tarn_free(handle, object);
}
