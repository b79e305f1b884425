/* The least that an array cache can do: each thread has its own array of free objects and a count.
 * No atomics, no sharing, no bound on frees; so an object stays with its thread. */
#include "worker/harness.h"

typedef struct free_array {
    size_t count;
    void *objects[];
} free_array;

typedef free_array *subject_handle;

static subject_needs subject_each;

static bool subject_open(const subject_needs *needs)
{
    subject_each = *needs;
    return true;
}

/* Filled from the last to the first, so that addresses rise as objects are taken. */
static bool subject_enter(unsigned thread, subject_handle *handle)
{
    (void)thread;
    size_t objects = subject_each.live_per_thread_max;
    free_array *array = bench_pages(sizeof *array + objects * sizeof array->objects[0]);
    char *memory = bench_pages(objects * subject_each.object_bytes);
    for (size_t i = 0; i < objects; i++)
        array->objects[i] = memory + (objects - 1 - i) * subject_each.object_bytes;
    array->count = objects;
    *handle = array;
    return true;
}

static void subject_leave(subject_handle handle)
{
    (void)handle;
}

static inline void *subject_alloc(subject_handle array)
{
    return array->count > 0 ? array->objects[--array->count] : NULL;
}

static inline void subject_free(subject_handle array, void *object)
{
    array->objects[array->count++] = object;
}
