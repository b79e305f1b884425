/* Jobs: a work-stealing scheduler whose jobs come from a pool, through each worker's cache.
 *
 *   may overlap                    run, wait, help, ...   submit, is_done, cancel   destroy
 *   calls on one worker            no: one thread each    yes                       see there
 *   submit, is_done, cancel        yes                    yes                       no
 *
 * A worker is what a thread works with: its deques, its caches, its number. Each job function gets
 * the worker that it runs on, and hands it to what it calls. Nothing is looked up by thread, so a
 * host may move its fibers from thread to thread: after a switch a fiber uses the worker of the
 * thread that it is on now. A wait of this header is no such switch: it returns where it began. The
 * group of the job that a fiber began a scoped group in must outlive that one.
 *
 * Waits nest as deep as jobs begin groups inside jobs. Every 1024 levels they go on in a thread
 * that is made for its stack; only pinned jobs run on the worker's own thread even then.
 *
 * Owners push and take at one end of their deque, thieves at the other: D. Chase and Y. Lev,
 * "Dynamic Circular Work-Stealing Deque" (SPAA 2005), with the memory orders of N. M. Le et al.,
 * "Correct and Efficient Work-Stealing for Weak Memory Models" (PPoPP 2013). Where many jobs lie,
 * an idle thread takes a few at once: D. Hendler and N. Shavit, "Non-Blocking Steal-Half Work
 * Queues" (PODC 2002). A wait looks first for its own jobs, then for those of the thread that took
 * them: D. B. Wagner and B. G. Calder, "Leapfrogging" (PPoPP 1993).
 *
 * Fork: a child has none of the workers' threads. It does not use the scheduler. */
#ifndef TARN_JOBS_H
#define TARN_JOBS_H

#include "tarn/cache.h"
#include "tarn/config.h"
#include "tarn/lane.h"
#include "tarn/memory.h"
#include "tarn/pool.h"
#include "tarn/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TARN_JOB_PAYLOAD_BYTES 64u /* that a job carries in itself */
#define TARN_JOBS_MAX          ((size_t)1 << 22)
#define TARN_WORKERS_MAX       64u
#define TARN_WORKER_POOLS_MAX  16u
#define TARN_JOB_AFTER_MAX     64u
#define TARN_WORKER_ANY        UINT32_MAX

typedef struct tarn_jobs tarn_jobs;

/* The context of everything that a job does. The fields are there to read. */
typedef struct tarn_worker {
    tarn_jobs *jobs;
    uint32_t index;            /* 0 is the creating thread's; no other worker has it now */
    uint32_t caches_count;     /* pools_count of the options */
    tarn_cache *const *caches; /* of the options' pools, in their order, for this worker alone */
    tarn_lane *lane;           /* of the options' frame, for this worker alone; outside, so that
                                  jobs enter and leave it. NULL without a frame */
} tarn_worker;

/* The payload is the job's own, aligned to 16, until the function returns. */
typedef void tarn_job_fn(tarn_worker *worker, void *payload);

typedef enum tarn_job_priority {
    TARN_PRIORITY_NORMAL, /* first, so that zero is the default */
    TARN_PRIORITY_HIGH,
    TARN_PRIORITY_LOW,
    TARN_PRIORITIES
} tarn_job_priority;

/* Counts jobs until they are done. Two kinds:
 *
 *   scoped (begin)   belongs to the job, or the stretch of host code, that begins it on a worker,
 *                    and is waited for there before that ends. Costs next to nothing
 *   shared (init)    any thread may add jobs to it and wait for it, and jobs may start after it
 *
 * The last job's count is the last access to a group: who waits may then drop its memory at once.
 * While somebody waits, jobs are added by jobs of the group only. */
typedef struct tarn_job_group {
    uint64_t words_[30]; /* mostly gaps: what several threads change lies apart */
} tarn_job_group;

/* The name of a job. Zero is never valid; a name never becomes another job's. */
typedef struct tarn_job_handle {
    uint64_t bits;
} tarn_job_handle;

/* Zero in any field means its default, in parentheses. */
typedef struct tarn_job_options {
    tarn_job_fn *function; /* required */
    const void *payload;   /* copied, if payload_bytes says so; else handed on as it is */
    size_t payload_bytes;  /* at most TARN_JOB_PAYLOAD_BYTES (0: payload is a pointer to pass) */
    tarn_job_group *group; /* counts the job from now on until it is done (none) */
    const char *name;      /* for the hooks; must live as long as the job (none) */
    tarn_job_priority priority;
    bool is_pinned; /* runs on the worker of index pinned_to only (false) */
    uint32_t pinned_to;
    tarn_job_group *const *after_groups; /* shared ones; starts when all are done (none) */
    uint32_t after_groups_count;         /* at most TARN_JOB_AFTER_MAX */
    const tarn_job_handle *after_jobs;   /* and when all of these are done (none) */
    uint32_t after_jobs_count;           /* at most TARN_JOB_AFTER_MAX */
} tarn_job_options;

/* What a profiler is told of, on the worker's thread. */
typedef enum tarn_jobs_event {
    TARN_EVENT_WORKER_START,
    TARN_EVENT_WORKER_STOP,
    TARN_EVENT_PARK,
    TARN_EVENT_WAKE,
    TARN_EVENT_JOB_BEGIN, /* name: the job's */
    TARN_EVENT_JOB_END
} tarn_jobs_event;

typedef void tarn_jobs_hook(void *context, tarn_jobs_event event, uint32_t worker,
                            const char *name);

/* Zero in any field means its default, in parentheses. Zero the whole struct first. */
typedef struct tarn_jobs_options {
    uint32_t workers;        /* the creating thread included, at most TARN_WORKERS_MAX (the
                                processors that this process may use, by its affinity and its
                                cgroup's quota) */
    bool host_threads_only;  /* start no threads: those that attach do the work (false) */
    uint32_t attached_max;   /* host threads attached at once, beside the workers; together at most
                                TARN_WORKERS_MAX (none) */
    size_t jobs_max;         /* that wait or run at once, at most TARN_JOBS_MAX (65,536) */
    uint32_t deque_jobs;     /* in one worker's deque of one priority, rounded up to a power of two,
                                2 to 2^20; more go to a list that all share (8192) */
    uint32_t help_depth_max; /* jobs of strangers that waits of one thread may be inside of at once,
                                see tarn_job_group_wait_any (16) */
    uint32_t stop_ms;        /* how long tarn_jobs_destroy waits for others (5000) */
    tarn_pool *const *pools; /* of which each worker gets a cache (none) */
    uint32_t pools_count;    /* at most TARN_WORKER_POOLS_MAX */
    tarn_frame *frame;       /* of which each worker gets a lane (none) */
    tarn_jobs_hook *hook;    /* (none) */
    void *hook_context;
    const tarn_memory *memory; /* copied (the operating system) */
} tarn_jobs_options;

/* Starts the workers' threads. On success *jobs is the caller's until tarn_jobs_destroy, and
 * *worker is the calling thread's worker; NULL with host_threads_only. On failure both are NULL and
 * nothing is held.
 * Returns TARN_OK; TARN_ERROR_INVALID (null, a field out of range); TARN_ERROR_TOO_LARGE;
 * TARN_ERROR_NO_MEMORY; TARN_ERROR_NO_CACHE (one of the pools has too few); TARN_ERROR_NO_LANE (the
 * frame has); TARN_ERROR_NO_THREAD. Threads: any. */
TARN_API tarn_status tarn_jobs_create(const tarn_jobs_options *options, tarn_jobs **jobs,
                                      tarn_worker **worker);

/* Stops the scheduler and gives back everything. Jobs that have not begun by then never do: they
 * count as done, so that waits for them end. It waits for jobs that have begun, and for threads
 * that are attached to detach, stop_ms at the most. NULL is accepted.
 * Returns TARN_OK; TARN_ERROR_BUSY (somebody did not end in time, and *late, unless late is NULL,
 * is the name under which that thread attached, or that of the job that it is in, or "job". All
 * stays stopped and nothing was given back: try again).
 * Threads: the creating thread, outside of all jobs; nothing else may use jobs but what works or is
 * attached. */
TARN_API tarn_status tarn_jobs_destroy(tarn_jobs *jobs, const char **late);

/* How many threads work or could: indices of workers are below it. Threads: any. */
TARN_API uint32_t tarn_jobs_workers_max(const tarn_jobs *jobs);

/* How many workers there are but for those that the host attaches. Threads: any. */
TARN_API uint32_t tarn_jobs_workers(const tarn_jobs *jobs);

/* Makes the calling thread a worker until tarn_worker_detach. The name is for tarn_jobs_destroy,
 * and must live as long.
 * Returns TARN_OK; TARN_ERROR_INVALID (null); TARN_ERROR_NO_WORKER (attached_max are);
 * TARN_ERROR_NO_CACHE (a pool has none left); TARN_ERROR_NO_LANE; TARN_ERROR_BUSY (being
 * destroyed). Threads: any. */
TARN_API tarn_status tarn_worker_attach(tarn_jobs *jobs, const char *name, tarn_worker **worker);

/* What the worker has not begun is left to the others, but for jobs that are pinned to it: they
 * wait for who attaches in its place. Returns TARN_OK; TARN_ERROR_INVALID (null, or a worker that
 * the host did not attach); TARN_ERROR_NOT_ATTACHED (a second detach). Threads: the worker's,
 * outside of all jobs and waits. */
TARN_API tarn_status tarn_worker_detach(tarn_worker *worker);

/* Runs one job, of whatever group, if there is one. Returns whether there was.
 * Threads: the worker's. */
TARN_API bool tarn_worker_help(tarn_worker *worker);

/* Runs jobs and sleeps while there are none, for so long. Returns false, and early, when the
 * scheduler is being destroyed. Threads: the worker's. */
TARN_API bool tarn_worker_work(tarn_worker *worker, uint32_t milliseconds);

/* Starts a job of normal priority, which may begin at once on another thread. Where no job is free
 * it runs here and now, before the call returns. payload_bytes as in the options; group may be
 * NULL. Returns TARN_OK or TARN_ERROR_INVALID (null, a payload too large). Threads: the worker's.
 */
TARN_API tarn_status tarn_job_run(tarn_worker *worker, tarn_job_group *group, tarn_job_fn *function,
                                  const void *payload, size_t payload_bytes);

/* The same with all that a job can have. Unless handle is NULL, *handle names the job; none where
 * it ran at once. Returns TARN_OK; TARN_ERROR_INVALID (null, a field out of range, a scoped group
 * to start after); TARN_ERROR_FULL (no job is free, and this one cannot run here and now: it is
 * pinned elsewhere or starts after others). On failure nothing was done. Threads: the worker's. */
TARN_API tarn_status tarn_job_start(tarn_worker *worker, const tarn_job_options *options,
                                    tarn_job_handle *handle);

/* The same for threads that are no worker. TARN_ERROR_FULL wherever no job is free.
 * Threads: any. */
TARN_API tarn_status tarn_job_submit(tarn_jobs *jobs, const tarn_job_options *options,
                                     tarn_job_handle *handle);

/* Whether the job has ended; what it wrote is visible then. True for the handle that is none. A
 * handle may be asked for ever. Threads: any. */
TARN_API bool tarn_job_is_done(const tarn_jobs *jobs, tarn_job_handle handle);

/* Begins a scoped group: see there. Threads: the worker's. */
TARN_API void tarn_job_group_begin(tarn_worker *worker, tarn_job_group *group);

/* Makes a shared group. Threads: any; publishing it is the caller's to order. */
TARN_API void tarn_job_group_init(tarn_job_group *group);

/* Returns when all jobs of the group are done; what they wrote is visible then. Meanwhile the
 * thread runs jobs of this group and of groups that its jobs began, and no others, so a caller that
 * holds a lock meets no stranger who wants it. But where a job of the group is pinned or starts
 * after others, it may wait for strangers, so the thread runs any. Threads: the worker's. */
TARN_API void tarn_job_group_wait(tarn_worker *worker, tarn_job_group *group);

/* The same, but runs strangers' jobs too while there are none of its own, as long as the thread is
 * inside fewer than help_depth_max of them. */
TARN_API void tarn_job_group_wait_any(tarn_worker *worker, tarn_job_group *group);

/* Whether all jobs of the group are done, as seen by its beginner's worker or, of a shared group,
 * by anyone; what they wrote is visible then. Threads: the worker's. */
TARN_API bool tarn_job_group_is_done(tarn_worker *worker, const tarn_job_group *group);

/* From now on, jobs of the group that have not begun never do, and count as done. Threads: any. */
TARN_API void tarn_job_group_cancel(tarn_job_group *group);
TARN_API bool tarn_job_group_is_cancelled(const tarn_job_group *group);

/* Works on the indices from begin up to end. */
typedef void tarn_range_fn(tarn_worker *worker, void *context, size_t begin, size_t end);

/* Calls the function for parts of [begin, end) that together are all of it, and returns when they
 * are done. Parts are split off when another thread looks for work: A. Tzannes et al., "Lazy Binary
 * Splitting" (PPoPP 2010). grain is the least that a thread should get at a time (0: 1/64 of each
 * worker's share). Threads: the worker's. */
TARN_API void tarn_parallel_for(tarn_worker *worker, size_t begin, size_t end, size_t grain,
                                tarn_range_fn *function, void *context);

#ifdef __cplusplus
}
#endif
#endif
