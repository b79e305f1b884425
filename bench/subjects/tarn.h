/* tarn through an explicit cache per thread. */
#include "subjects/pool.h"

typedef tarn_cache *subject_handle;

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
    tarn_free(handle, object);
}
