/* A pool's objects, visited by a function of the program's. */
#include "subjects/object_pool.h"

static bool add_word(void *sum, void *object, tarn_handle handle)
{
    (void)handle;
    *(uint64_t *)sum += *(const uint64_t *)object;
    return true;
}

static uint64_t subject_sum(subject_handle store)
{
    uint64_t sum = 0;
    tarn_each(store.pool, add_word, &sum);
    return sum;
}
