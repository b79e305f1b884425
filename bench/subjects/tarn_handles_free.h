/* tarn with handles, where whoever ends a life knows that nobody else does: by the pointer. */
#include "subjects/handle_pool.h"

static inline void *subject_alloc(subject_handle handle)
{
    tarn_handle name;
    void *object;
    tarn_take(handle, &name, &object);
    bench_keep_bits(name.bits);
    return object;
}

static inline void subject_free(subject_handle handle, void *object)
{
    tarn_free(handle, object);
}
