/* General allocators need nothing but the size: a subject defines subject_alloc and subject_free
 * over it. */
#ifndef TARN_BENCH_SUBJECT_SIZED_H
#define TARN_BENCH_SUBJECT_SIZED_H

#include "worker/harness.h"

typedef size_t subject_handle;

static size_t subject_object_bytes;

static bool subject_enter(unsigned thread, subject_handle *handle)
{
    (void)thread;
    *handle = subject_object_bytes;
    return true;
}

static void subject_leave(subject_handle handle)
{
    (void)handle;
}

#endif
