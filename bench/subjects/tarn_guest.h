/* tarn with no set-up: each thread is a guest of the pool. */
#include "subjects/pool.h"

typedef tarn_pool *subject_handle;

static bool subject_open(const subject_needs *needs)
{
    return pool_open(needs, (tarn_pool_options){0});
}

static bool subject_enter(unsigned thread, subject_handle *handle)
{
    (void)thread;
    *handle = subject_pool;
    return true;
}

static void subject_leave(subject_handle handle)
{
    (void)handle;
}

static inline void *subject_alloc(subject_handle handle)
{
    return tarn_guest_alloc(handle);
}

static inline void subject_free(subject_handle handle, void *object)
{
    tarn_guest_free(handle, object);
}
