/* Objects one after the other, named by index: what a program has that never removes one. */
#include "worker/harness.h"

typedef struct object_array {
    char *objects;
    size_t object_bytes;
    uint32_t count, count_max;
} object_array;

typedef object_array *subject_handle;
typedef uint32_t subject_ref;

static subject_needs subject_each;

static bool subject_open(const subject_needs *needs)
{
    subject_each = *needs;
    return true;
}

static bool subject_enter(unsigned thread, subject_handle *handle)
{
    (void)thread;
    object_array *array = bench_pages(sizeof *array);
    array->object_bytes = subject_each.object_bytes;
    array->count_max = (uint32_t)subject_each.live_per_thread_max;
    array->objects = bench_pages(array->count_max * array->object_bytes);
    *handle = array;
    return true;
}

static void subject_leave(subject_handle handle)
{
    (void)handle;
}

static inline uint64_t *subject_word(const object_array *array, uint32_t index)
{
    return (uint64_t *)(void *)(array->objects + index * array->object_bytes);
}

static subject_ref subject_add(subject_handle array, uint64_t word)
{
    if (array->count == array->count_max)
        bench_fail("the array has no room");
    *subject_word(array, array->count) = word;
    return array->count++;
}

/* Whatever is removed, a walk over an array goes over all of it. */
static void subject_remove(subject_handle array, subject_ref index)
{
    (void)array;
    (void)index;
}

static inline uint64_t subject_read(subject_handle array, subject_ref index)
{
    return index < array->count ? *subject_word(array, index) : 0;
}

static uint64_t subject_sum(subject_handle array)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < array->count; i++)
        sum += *subject_word(array, i);
    return sum;
}
