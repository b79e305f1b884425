/* A pool's objects, a batch at a time, in a loop of the program's own. */
#include "subjects/object_pool.h"

#define BATCH_OBJECTS 256u

static uint64_t subject_sum(subject_handle store)
{
    uint64_t sum = 0;
    tarn_range rest = {0, SIZE_MAX};
    void *objects[BATCH_OBJECTS];
    for (size_t count;
         (count = tarn_each_batch(store.pool, &rest, BATCH_OBJECTS, objects, NULL)) > 0;)
        for (size_t i = 0; i < count; i++)
            sum += *(const uint64_t *)objects[i];
    return sum;
}
