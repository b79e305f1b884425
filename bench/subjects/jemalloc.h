/* jemalloc, which replaces malloc in the process that is linked with it. */
#include "subjects/sized.h"

#include <jemalloc/jemalloc.h>
#include <stdlib.h>

/* Refuses when malloc is not jemalloc's own: the thread's count of bytes does not move then. */
static bool subject_open(const subject_needs *needs)
{
    uint64_t before = 0, after = 0;
    size_t bytes = sizeof before;
    subject_object_bytes = needs->object_bytes;
    if (mallctl("thread.allocated", &before, &bytes, NULL, 0) != 0)
        return false;
    void *object = malloc(needs->object_bytes);
    bench_keep(object);
    mallctl("thread.allocated", &after, &bytes, NULL, 0);
    free(object);
    return after > before;
}

static inline void *subject_alloc(subject_handle object_bytes)
{
    return malloc(object_bytes);
}

static inline void subject_free(subject_handle object_bytes, void *object)
{
    (void)object_bytes;
    free(object);
}
