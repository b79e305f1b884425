/* What the bench knows by name: the workloads and the subjects. The driver and its workers share
 * these lists, so that a name means the same on both sides of a command line. */
#ifndef TARN_BENCH_LISTS_H
#define TARN_BENCH_LISTS_H

#include <stdbool.h>

#define BENCH_THREADS_MAX      64u
#define BENCH_OBJECT_BYTES_MIN 8u /* each allocation writes a word */
#define BENCH_OBJECT_BYTES_MAX (1u << 20)
#define BENCH_GROWTH_FRAMES    1000u

/* What a workload asks of a subject. */
typedef enum bench_kind {
    BENCH_LOCAL,     /* allocate and free on the same thread */
    BENCH_REMOTE,    /* free what another thread allocated */
    BENCH_LOOKUP,    /* reach live objects by their names, and all of them */
    BENCH_GROWTH,    /* allocate, on one thread, from what grows as it goes */
    BENCH_FRAME,     /* allocate, and drop everything at once */
    BENCH_FRAME_END, /* end frames, on one thread */
    BENCH_JOBS       /* run jobs: no objects at all */
} bench_kind;

/* X(name, kind, works in pairs of threads, objects in one burst or 0) */
#define BENCH_WORKLOAD_LIST(X)                           \
    X(pair, BENCH_LOCAL, false, 0)                       \
    X(burst1000_lifo, BENCH_LOCAL, false, 1000)          \
    X(burst1000_fifo, BENCH_LOCAL, false, 1000)          \
    X(burst1000_random, BENCH_LOCAL, false, 1000)        \
    X(burst100000_lifo, BENCH_LOCAL, false, 100000)      \
    X(burst100000_fifo, BENCH_LOCAL, false, 100000)      \
    X(burst100000_random, BENCH_LOCAL, false, 100000)    \
    X(handoff_oneway, BENCH_REMOTE, true, 0)             \
    X(handoff_bothways, BENCH_REMOTE, true, 0)           \
    X(mixed, BENCH_REMOTE, false, 0)                     \
    X(resolve1000, BENCH_LOOKUP, false, 0)               \
    X(resolve100000, BENCH_LOOKUP, false, 0)             \
    X(iterate_full, BENCH_LOOKUP, false, 0)              \
    X(iterate_sparse, BENCH_LOOKUP, false, 0)            \
    X(growth_worst, BENCH_GROWTH, false, 0)              \
    X(growth_median, BENCH_GROWTH, false, 0)             \
    X(growth_prefault_worst, BENCH_GROWTH, false, 0)     \
    X(growth_prefault_median, BENCH_GROWTH, false, 0)    \
    X(frame, BENCH_FRAME, false, 0)                      \
    X(frame_end_few, BENCH_FRAME_END, false, 0)          \
    X(frame_end_many, BENCH_FRAME_END, false, 0)         \
    X(frame_end_few_64lanes, BENCH_FRAME_END, false, 0)  \
    X(frame_end_many_64lanes, BENCH_FRAME_END, false, 0) \
    X(jobs_fib, BENCH_JOBS, false, 0)                    \
    X(jobs_empty, BENCH_JOBS, false, 0)                  \
    X(jobs_dispatch, BENCH_JOBS, false, 0)               \
    X(jobs_queens, BENCH_JOBS, false, 0)                 \
    X(jobs_tree, BENCH_JOBS, false, 0)                   \
    X(jobs_for, BENCH_JOBS, false, 0)

#define BENCH_RUNS(kind)      (1u << (kind))
#define BENCH_ALLOCATES       (BENCH_RUNS(BENCH_LOCAL) | BENCH_RUNS(BENCH_REMOTE))
#define BENCH_REPLACES_MALLOC (BENCH_ALLOCATES | BENCH_RUNS(BENCH_FRAME))

/* X(name, the kinds of workloads that it runs) */
#define BENCH_SUBJECT_LIST(X)                      \
    X(tarn, BENCH_ALLOCATES)                       \
    X(tarn_guest, BENCH_ALLOCATES)                 \
    X(tarn_handles, BENCH_ALLOCATES)               \
    X(tarn_handles_free, BENCH_ALLOCATES)          \
    X(glibc, BENCH_REPLACES_MALLOC)                \
    X(mimalloc, BENCH_REPLACES_MALLOC)             \
    X(jemalloc, BENCH_REPLACES_MALLOC)             \
    X(ck_stack, BENCH_ALLOCATES)                   \
    X(mutex, BENCH_ALLOCATES)                      \
    X(floor, BENCH_RUNS(BENCH_LOCAL))              \
    X(cas_floor, BENCH_RUNS(BENCH_LOCAL))          \
    X(tarn_objects, BENCH_RUNS(BENCH_LOOKUP))      \
    X(tarn_batches, BENCH_RUNS(BENCH_LOOKUP))      \
    X(array, BENCH_RUNS(BENCH_LOOKUP))             \
    X(unprepared, BENCH_RUNS(BENCH_GROWTH))        \
    X(prepared, BENCH_RUNS(BENCH_GROWTH))          \
    X(prepared_beside, BENCH_RUNS(BENCH_GROWTH))   \
    X(tarn_frame, BENCH_RUNS(BENCH_FRAME))         \
    X(tarn_frame_pool, BENCH_RUNS(BENCH_FRAME))    \
    X(bump, BENCH_RUNS(BENCH_FRAME))               \
    X(pmr, BENCH_RUNS(BENCH_FRAME))                \
    X(apr, BENCH_RUNS(BENCH_FRAME))                \
    X(obstack, BENCH_RUNS(BENCH_FRAME))            \
    X(tarn_frame_end, BENCH_RUNS(BENCH_FRAME_END)) \
    X(atomic_adds, BENCH_RUNS(BENCH_FRAME_END))    \
    X(jobs_tarn, BENCH_RUNS(BENCH_JOBS))           \
    X(jobs_tbb, BENCH_RUNS(BENCH_JOBS))            \
    X(jobs_libgomp, BENCH_RUNS(BENCH_JOBS))        \
    X(jobs_libomp, BENCH_RUNS(BENCH_JOBS))         \
    X(jobs_serial, BENCH_RUNS(BENCH_JOBS))

typedef enum bench_workload {
#define BENCH_WORKLOAD_ENUM_(name, kind, paired, burst) BENCH_WORKLOAD_##name,
    BENCH_WORKLOAD_LIST(BENCH_WORKLOAD_ENUM_)
#undef BENCH_WORKLOAD_ENUM_
        BENCH_WORKLOADS
} bench_workload;

typedef enum bench_subject {
#define BENCH_SUBJECT_ENUM_(name, kinds) BENCH_SUBJECT_##name,
    BENCH_SUBJECT_LIST(BENCH_SUBJECT_ENUM_)
#undef BENCH_SUBJECT_ENUM_
        BENCH_SUBJECTS
} bench_subject;

const char *bench_workload_name(bench_workload workload);
const char *bench_subject_name(bench_subject subject);
unsigned bench_burst_objects(bench_workload workload);

/* False when the name is none of the list's. */
bool bench_workload_find(const char *name, bench_workload *workload);
bool bench_subject_find(const char *name, bench_subject *subject);

bench_kind bench_workload_kind(bench_workload workload);

/* Whether the subject runs that kind of workload. */
bool bench_runs(bench_subject subject, bench_kind kind);

/* Hand-offs need an even number of threads, growth and frames' ends one; and not every subject runs
 * everything. */
bool bench_applies(bench_workload workload, unsigned threads, bench_subject subject);

#endif
