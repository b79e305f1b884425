/* The workload frame for subjects that drop all objects at once. Such a subject defines, besides
 * what harness.h says, in place of the call that frees
 *   void subject_begin(subject_handle)    on each thread, before it allocates
 *   void subject_finish(subject_handle)   on each thread, after it did
 *   void subject_drop_all(void)           on one thread, once all have finished
 * With SUBJECT_FILLS it defines, in place of subject_alloc,
 *   void subject_fill(subject_handle, size_t objects)   allocates and writes them */
#ifndef TARN_BENCH_FRAME_WHOLE_H
#define TARN_BENCH_FRAME_WHOLE_H

#include "workloads/frame.h"
#include "workloads/template.h"

static subject_handle handles[BENCH_THREADS_MAX];

#ifndef SUBJECT_FILLS

static inline void subject_fill(subject_handle subject, size_t objects)
{
    for (size_t i = 0; i < objects; i++) {
        void *object = subject_alloc(subject);
        if (__builtin_expect(!object, 0))
            bench_fail("the subject ran out of objects");
        *(uint64_t *)object = i;
        bench_keep(object);
    }
}

#endif

static void frame_whole_prepare(unsigned thread)
{
    (void)thread;
}

static void frame_fill(unsigned thread)
{
    subject_handle subject = handles[thread];
    subject_begin(subject);
    subject_fill(subject, FRAME_OBJECTS);
    subject_finish(subject);
}

static void frame_end(void)
{
    subject_drop_all();
}

static void workloads_open(unsigned threads, bool reads)
{
    (void)reads;
    frame_open(threads);
}

_Noreturn static uint64_t workloads_memory(size_t objects_count, size_t object_bytes)
{
    (void)objects_count;
    (void)object_bytes;
    bench_fail("this subject's memory is not measured");
}

static const template templates[BENCH_WORKLOADS] = {
    [BENCH_WORKLOAD_frame] = {frame_whole_prepare, frame_work, FRAME_OBJECTS, FRAME_OBJECTS},
};

#endif
