/* The C library's malloc. */
#include "subjects/sized.h"

#include <stdlib.h>

static bool subject_open(const subject_needs *needs)
{
    subject_object_bytes = needs->object_bytes;
    return true;
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
