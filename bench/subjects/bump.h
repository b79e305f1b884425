/* The least that an allocation can be: a pointer that moves on, in a loop that keeps it in a
 * register. Nothing is asked, the memory's end included. */
#include "subjects/frame_apart.h"

#define SUBJECT_FILLS

typedef struct bump_memory {
    char *start;
    size_t object_bytes;
} bump_memory;

typedef bump_memory subject_handle;

static bool subject_open(const subject_needs *needs)
{
    return frame_apart_open(needs);
}

static bool subject_enter(unsigned thread, subject_handle *handle)
{
    (void)thread;
    handle->start = bench_pages(frame_apart_bytes());
    handle->object_bytes = subject_each.object_bytes;
    return true;
}

static void subject_leave(subject_handle handle)
{
    (void)handle;
}

static inline void subject_begin(subject_handle handle)
{
    (void)handle;
}

static inline void subject_fill(subject_handle handle, size_t objects)
{
    char *next = handle.start;
    for (size_t i = 0; i < objects; i++) {
        char *object = next;
        next += handle.object_bytes;
        *(uint64_t *)(void *)object = i;
        bench_keep(object);
    }
}

static inline void subject_finish(subject_handle handle)
{
    (void)handle;
}
