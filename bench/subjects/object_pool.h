/* A pool with handles as a store of objects. */
#ifndef TARN_BENCH_SUBJECT_OBJECT_POOL_H
#define TARN_BENCH_SUBJECT_OBJECT_POOL_H

#include "tarn/tarn.h"
#include "worker/harness.h"

typedef struct object_store {
    tarn_pool *pool;
    tarn_cache *cache;
} object_store;

typedef object_store subject_handle;
typedef tarn_handle subject_ref;

static subject_needs subject_each;

static bool subject_open(const subject_needs *needs)
{
    subject_each = *needs;
    return true;
}

static bool subject_enter(unsigned thread, subject_handle *handle)
{
    (void)thread;
    tarn_pool_options options = {
        .name = "bench",
        .object_bytes = subject_each.object_bytes,
        .capacity = subject_each.live_per_thread_max,
        .handles = true,
    };
    return tarn_pool_create(&options, &handle->pool) == TARN_OK &&
           tarn_cache_attach(handle->pool, &handle->cache) == TARN_OK;
}

static void subject_leave(subject_handle store)
{
    tarn_cache_detach(store.cache);
}

static subject_ref subject_add(subject_handle store, uint64_t word)
{
    tarn_handle handle;
    void *object;
    if (tarn_take(store.cache, &handle, &object) != TARN_OK)
        bench_fail("the pool ran out of objects");
    *(uint64_t *)object = word;
    return handle;
}

static void subject_remove(subject_handle store, subject_ref handle)
{
    tarn_release(store.cache, handle);
}

static inline uint64_t subject_read(subject_handle store, subject_ref handle)
{
    const uint64_t *word = tarn_resolve(store.pool, handle);
    return word ? *word : 0;
}

#endif
