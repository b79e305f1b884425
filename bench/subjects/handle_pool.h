/* The pool whose objects have handles, and a cache per thread. */
#ifndef TARN_BENCH_SUBJECT_HANDLE_POOL_H
#define TARN_BENCH_SUBJECT_HANDLE_POOL_H

#include "subjects/pool.h"

typedef tarn_cache *subject_handle;

static bool subject_open(const subject_needs *needs)
{
    return pool_open(needs, (tarn_pool_options){.handles = true});
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

#endif
