/* The workloads that reach live objects: one by one by what the program keeps of each, and all of
 * them. Each thread has a store of its own.
 *
 *   resolveN         N objects, each named once per round in a random order: check the name, read
 *                    the object's first word. An operation is one name
 *   iterate_full     1,000,000 objects: visit all, sum their first words
 *   iterate_sparse   the same after all but a random one in a hundred were removed; the array still
 *                    has all. An operation is one of the 1,000,000 places
 *
 * A subject defines, besides what harness.h says, except for the calls that allocate and free,
 *   subject_ref                                      what the program keeps of an object
 *   subject_ref subject_add(subject_handle, uint64_t word), subject_remove(subject_handle, ref)
 *   uint64_t subject_read(subject_handle, ref)       the word, 0 where there is no such object
 *   uint64_t subject_sum(subject_handle) */
#ifndef TARN_BENCH_LOOKUPS_H
#define TARN_BENCH_LOOKUPS_H

#include "worker/harness.h"
#include "workloads/random.h"
#include "workloads/template.h"

#define LOOKUPS_ITERATED      1000000u
#define LOOKUPS_SPARSE_ONE_OF 100u

static subject_handle handles[BENCH_THREADS_MAX];
static subject_ref *lookups_refs[BENCH_THREADS_MAX];

static void workloads_open(unsigned threads, bool reads)
{
    (void)threads;
    (void)reads;
}

_Noreturn static uint64_t workloads_memory(size_t objects_count, size_t object_bytes)
{
    (void)objects_count;
    (void)object_bytes;
    bench_fail("this subject's memory is not measured");
}

static void lookups_add(unsigned thread, uint32_t objects)
{
    subject_ref *refs = bench_pages(objects * sizeof *refs);
    for (uint32_t i = 0; i < objects; i++)
        refs[i] = subject_add(handles[thread], i);
    lookups_refs[thread] = refs;
}

/* The order of random names is the same for all subjects. */
static void lookups_shuffle(unsigned thread, uint32_t objects)
{
    uint64_t random = random_seed(thread);
    subject_ref *refs = lookups_refs[thread];
    for (uint32_t i = objects - 1; i > 0; i--) {
        uint32_t other = random_below(&random, i + 1);
        subject_ref moved = refs[i];
        refs[i] = refs[other];
        refs[other] = moved;
    }
}

static void resolve_prepare(unsigned thread, uint32_t objects)
{
    lookups_add(thread, objects);
    lookups_shuffle(thread, objects);
}

static inline void resolve_work(unsigned thread, uint64_t operations, uint32_t objects)
{
    subject_handle subject = handles[thread];
    const subject_ref *refs = lookups_refs[thread];
    for (uint64_t round = 0; round < operations / objects; round++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < objects; i++)
            sum += subject_read(subject, refs[i]);
        bench_keep_bits(sum);
    }
}

#define RESOLVE_OF(objects)                                                  \
    static void resolve_prepare_##objects(unsigned thread)                   \
    {                                                                        \
        resolve_prepare(thread, objects);                                    \
    }                                                                        \
    static void resolve_work_##objects(unsigned thread, uint64_t operations) \
    {                                                                        \
        resolve_work(thread, operations, objects);                           \
    }

RESOLVE_OF(1000)
RESOLVE_OF(100000)

static void iterate_prepare_full(unsigned thread)
{
    lookups_add(thread, LOOKUPS_ITERATED);
}

static void iterate_prepare_sparse(unsigned thread)
{
    uint64_t random = random_seed(thread);
    lookups_add(thread, LOOKUPS_ITERATED);
    for (uint32_t i = 0; i < LOOKUPS_ITERATED; i++)
        if (random_below(&random, LOOKUPS_SPARSE_ONE_OF) != 0)
            subject_remove(handles[thread], lookups_refs[thread][i]);
}

static void iterate_work(unsigned thread, uint64_t operations)
{
    for (uint64_t i = 0; i < operations / LOOKUPS_ITERATED; i++)
        bench_keep_bits(subject_sum(handles[thread]));
}

static const template templates[BENCH_WORKLOADS] = {
    [BENCH_WORKLOAD_resolve1000] = {resolve_prepare_1000, resolve_work_1000, 1000, 1000},
    [BENCH_WORKLOAD_resolve100000] = {resolve_prepare_100000, resolve_work_100000, 100000, 100000},
    [BENCH_WORKLOAD_iterate_full] = {iterate_prepare_full, iterate_work, LOOKUPS_ITERATED,
                                     LOOKUPS_ITERATED},
    [BENCH_WORKLOAD_iterate_sparse] = {iterate_prepare_sparse, iterate_work, LOOKUPS_ITERATED,
                                       LOOKUPS_ITERATED},
};

#endif
