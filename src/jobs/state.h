/* The structures behind tarn/jobs.h, and who may touch which part.
 *
 *   tarn_task      a job. Whoever started, found or runs it has it alone
 *   tarn_worker_   its thread's, and the next one's that gets its place. Others touch the deques
 *                  as thieves, `park`, `pinned` and `place`
 *   tarn_jobs      constant, then lines that any thread changes, each alone
 *
 * Of tasks that lie in a list only the links are touched by others: those are beside the pool, as
 * are the marks, since memory checkers hide what is free.
 *
 *   E45 a leaving thread's store of place (release) -> attach and destroy (acquire): all that is
 *       the worker's. */
#ifndef TARN_JOBS_STATE_H
#define TARN_JOBS_STATE_H

#include "base/atomic.h"
#include "base/line.h"
#include "base/park.h"
#include "base/thread.h"
#include "depot/stack.h"
#include "jobs/deque.h"
#include "jobs/team.h"
#include "pool/slots.h"
#include "tarn/jobs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TARN_TASK_PRIORITY_MASK 3u
#define TARN_TASK_BY_POINTER    4u
#define TARN_TASK_TRACKED       8u /* somebody has its handle */
#define TARN_TASK_PINNED        16u

typedef struct tarn_task {
    tarn_job_fn *function;
    tarn_team *team; /* or NULL */
    uint32_t flags;
    uint32_t pinned_to;
    const char *name;
    union {
        _Alignas(16) char bytes[TARN_JOB_PAYLOAD_BYTES];
        const void *pointer;
        struct tarn_task *after; /* of an edge: the task that waits */
    } payload;
    tarn_u32 waits; /* for so many others, before it starts */
} tarn_task;

_Static_assert(sizeof(tarn_task) <= 128, "two lines");

/* Values of place. */
#define TARN_PLACE_FREE     0u
#define TARN_PLACE_OWN      1u /* the creating thread's, or a thread of ours */
#define TARN_PLACE_ATTACHED 2u
#define TARN_PLACE_CHANGING 3u

typedef struct tarn_worker_ {
    TARN_ALIGNED_LINE tarn_worker face; /* first: the public pointer points here */
    tarn_cache *cache;                  /* of tasks */
    tarn_team *running;                 /* the team of the job that it is in, or NULL */
    uint32_t tag;                       /* index + 1 */
    uint32_t strangers;                 /* jobs that waits run here now for any_ */
    uint32_t levels;                    /* on the stack that it is on: see deep.h */
    uint32_t random;
    uint32_t pinned_first, pinned_last; /* pinned tasks that it has seen, oldest first */
    tarn_cache *caches[TARN_WORKER_POOLS_MAX];
    tarn_thread thread;
    bool has_thread;
    bool is_away;      /* it is in another thread than its own: see deep.h */
    tarn_task *handed; /* the pinned job that its own is to run meanwhile */

    tarn_deque deques[TARN_PRIORITIES];
    TARN_ALIGNED_LINE tarn_park park;
    tarn_park park_first, park_handed; /* see deep.h */
    tarn_u32 hand;
    tarn_stack pinned; /* pinned tasks that it has not seen */
    tarn_u32 place;
    tarn_u64 name; /* under which it attached, else of the job that it is in: see destroy.c */
} tarn_worker_;

/* Read by all, all the time; rarely or never written. */
typedef struct tarn_jobs_constants {
    tarn_worker_ *workers;
    uint32_t workers_count; /* without those for host threads */
    uint32_t workers_max;
    uint32_t help_depth_max;
    uint32_t stop_ms;
    bool is_alone;      /* there is one worker, and never another */
    bool fences_notify; /* see idle.h */
    bool has_barrier;
    bool has_creator;
    tarn_jobs_hook *hook;
    void *hook_context;
    tarn_pool *pool; /* of tasks */
    tarn_links links;
    tarn_u64 *marks; /* one per slot: see mark.h */
    tarn_pool *pools[TARN_WORKER_POOLS_MAX];
    uint32_t pools_count;
    tarn_frame *frame;
    tarn_memory memory;
    size_t bytes;
} tarn_jobs_constants;

struct tarn_jobs {
    tarn_jobs_constants is;
    TARN_ALIGNED_LINE tarn_u32 is_stopping;
    tarn_u32 priorities;               /* a bit for each that was ever used */
    TARN_ALIGNED_LINE tarn_u64 parked; /* a bit for each worker that may be woken: see idle.h */
    tarn_u64 picky;                    /* of them, those that run jobs of their team only */
    TARN_ALIGNED_LINE tarn_u32 searching;
    TARN_ALIGNED_LINE tarn_stack inboxes[TARN_PRIORITIES]; /* foreign jobs, those put aside */
};

static inline tarn_worker_ *tarn_worker_of_(tarn_worker *worker)
{
    return (tarn_worker_ *)(void *)worker;
}

static inline tarn_jobs *tarn_worker_jobs_(const tarn_worker_ *worker)
{
    return worker->face.jobs;
}

static inline uint32_t tarn_task_index_(const tarn_jobs *jobs, const tarn_task *task)
{
    return tarn_slot_index_(jobs->is.pool, task);
}

static inline tarn_task *tarn_task_at_(const tarn_jobs *jobs, uint32_t index)
{
    return tarn_slot_index_object_(jobs->is.pool, index);
}

static inline bool tarn_jobs_is_stopping_(const tarn_jobs *jobs)
{
    /* relaxed: a request, which may be seen late. */
    return tarn_u32_load_relaxed(&jobs->is_stopping) != 0;
}

#endif
