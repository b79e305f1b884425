/* tarn with handles: a program keeps handles only, and ends the objects' lives by them. */
#include "subjects/handle_pool.h"

#define SUBJECT_HAS_REFS

typedef tarn_handle subject_ref;

static const subject_ref subject_ref_none = {0};

static inline bool subject_ref_is_none(subject_ref ref)
{
    return tarn_handle_is_none(ref);
}

static inline void *subject_take(subject_handle handle, subject_ref *ref)
{
    void *object;
    return tarn_take(handle, ref, &object) == TARN_OK ? object : NULL;
}

static inline void *subject_object(subject_handle handle, subject_ref ref)
{
    (void)handle;
    return tarn_resolve(subject_pool, ref);
}

static inline void subject_drop(subject_handle handle, subject_ref ref)
{
    if (__builtin_expect(tarn_release(handle, ref) != TARN_OK, 0))
        bench_fail("a live object's handle was refused");
}
