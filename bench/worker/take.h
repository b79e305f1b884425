/* One allocation as every workload does it. Included after a subject. */
#ifndef TARN_BENCH_TAKE_H
#define TARN_BENCH_TAKE_H

#include "worker/harness.h"

static subject_handle handles[BENCH_THREADS_MAX];

/* What the program keeps of an object is its address, unless the subject knows objects by other
 * names. */
#ifndef SUBJECT_HAS_REFS

typedef void *subject_ref;

static const subject_ref subject_ref_none = NULL;

static inline bool subject_ref_is_none(subject_ref ref)
{
    return !ref;
}

static inline void *subject_take(subject_handle subject, subject_ref *ref)
{
    return *ref = subject_alloc(subject);
}

static inline void *subject_object(subject_handle subject, subject_ref ref)
{
    (void)subject;
    return ref;
}

static inline void subject_drop(subject_handle subject, subject_ref ref)
{
    subject_free(subject, ref);
}

#endif

static inline subject_ref bench_take(subject_handle subject, uint64_t word)
{
    subject_ref ref;
    void *object = subject_take(subject, &ref);
    if (__builtin_expect(!object, 0))
        bench_fail("the subject ran out of objects");
    *(uint64_t *)object = word;
    bench_keep(object);
    return ref;
}

#endif
