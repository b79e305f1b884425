/* An obstack of the C library's, whose first chunk holds a whole frame: it takes no other. */
#include "subjects/frame_apart.h"

#include <obstack.h>
#include <stdlib.h>

#define obstack_chunk_alloc malloc
#define obstack_chunk_free  free

typedef struct obstack *subject_handle;

static bool subject_open(const subject_needs *needs)
{
    return frame_apart_open(needs);
}

static bool subject_enter(unsigned thread, subject_handle *handle)
{
    (void)thread;
    *handle = bench_pages(sizeof **handle);
    return obstack_begin(*handle, (int)frame_apart_bytes()) != 0;
}

static void subject_leave(subject_handle stack)
{
    obstack_free(stack, NULL);
}

static inline void subject_begin(subject_handle stack)
{
    (void)stack;
}

static inline void *subject_alloc(subject_handle stack)
{
    return obstack_alloc(stack, (int)subject_each.object_bytes);
}

/* Back to the first object, which starts where the chunk's own record ends. */
static inline void subject_finish(subject_handle stack)
{
    char *record_end = (char *)stack->chunk->contents;
    size_t padding = (size_t)(-(uintptr_t)record_end) & (size_t)stack->alignment_mask;
    obstack_free(stack, record_end + padding);
}
