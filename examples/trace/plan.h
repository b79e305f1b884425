/* What a trace means: per thread, which operation on which block, after which other one. Plain
 * numbers take the place of addresses; nothing here allocates from a pool. */
#ifndef TARN_TRACE_PLAN_H
#define TARN_TRACE_PLAN_H

#include "classes.h"
#include "read.h"

typedef enum plan_kind { PLAN_ALLOC, PLAN_FREE, PLAN_RESIZE } plan_kind;

/* The operations on one block are numbered by `step`. Only where two successive ones are by
 * different threads, the later waits until the earlier is announced. */
#define PLAN_WAITS     1u
#define PLAN_ANNOUNCES 2u

typedef struct plan_operation {
    uint64_t bytes; /* asked for */
    uint32_t block;
    uint32_t rank; /* place among all operations of the trace */
    uint32_t step;
    uint8_t kind;
    uint8_t size_class; /* CLASS_LARGE: malloc's */
    uint8_t flags;
    uint8_t alignment_log2;
} plan_operation;

/* A lane is a sequence of recorded threads none of which began before the one in front ended: as
 * many lanes as threads were busy at once. */
#define PLAN_NO_THREAD UINT32_MAX

typedef struct plan_thread {
    const plan_operation *operations;
    uint32_t count;
    uint32_t before; /* the thread in front in its lane, or PLAN_NO_THREAD */
} plan_thread;

typedef struct plan_class {
    uint64_t allocs;     /* reallocs that moved a block here included */
    uint64_t bytes;      /* asked for by them */
    uint32_t live, peak; /* objects at once */
    uint32_t swing;      /* most objects by which one thread's stock goes up and down */
    uint32_t alignment;  /* largest asked for, at least CLASS_ALIGNMENT_MIN */
} plan_class;

typedef struct plan_totals {
    uint64_t given, taken, resized; /* calls that were replayed */
    uint64_t bytes;                 /* asked for by given and resized */
    uint64_t unmatched;   /* frees and reallocs of blocks from before the recording: skipped */
    uint64_t vanished;    /* blocks whose address was given again without a free in between */
    uint64_t never_freed; /* blocks alive at the end, the vanished included */
    uint64_t remote;      /* of taken: by another thread than the one that allocated */
    uint64_t large;       /* of given and resized: beyond the classes */
    uint64_t live_bytes, peak_bytes; /* asked for, alive at once */
} plan_totals;

typedef struct plan {
    plan_operation *operations;
    plan_thread *threads; /* in the order of their first operations; none is empty */
    uint32_t threads_count, lanes;
    uint32_t blocks; /* numbers below it are in use */
    plan_class classes[CLASS_COUNT + 1];
    plan_totals totals;
} plan;

/* False when there is no memory; nothing is held then. Otherwise end with plan_release. */
bool plan_make(const trace *from, plan *result);

void plan_release(plan *done);

#endif
