/* A pool of the Apache Portable Runtime's per thread, with an allocator of its own: without a
 * mutex, and what a clear gives back is kept. */
#include "subjects/frame_apart.h"

#include <apr_allocator.h>
#include <apr_general.h>
#include <apr_pools.h>

typedef apr_pool_t *subject_handle;

static bool subject_open(const subject_needs *needs)
{
    return frame_apart_open(needs) && apr_initialize() == APR_SUCCESS;
}

static bool subject_enter(unsigned thread, subject_handle *handle)
{
    apr_allocator_t *allocator;
    (void)thread;
    if (apr_allocator_create(&allocator) != APR_SUCCESS)
        return false;
    return apr_pool_create_unmanaged_ex(handle, NULL, allocator) == APR_SUCCESS;
}

static void subject_leave(subject_handle pool)
{
    apr_pool_destroy(pool);
}

static inline void subject_begin(subject_handle pool)
{
    (void)pool;
}

static inline void *subject_alloc(subject_handle pool)
{
    return apr_palloc(pool, subject_each.object_bytes);
}

static inline void subject_finish(subject_handle pool)
{
    apr_pool_clear(pool);
}
