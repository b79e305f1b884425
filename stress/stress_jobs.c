/* Claim: jobs that start jobs, wait for them, run inline when no job is free and go from thread to
 * thread run once each, before the wait for their group ends, and not after it; and the pool's
 * objects are allocated and freed in them, by whatever thread they are on, without loss.
 *
 * The crew's threads attach as workers. With one pool there are few jobs and tiny deques, so that
 * places run out; with another, enough of both that thieves take several jobs at once. Each step is
 * a tree of jobs, or a flat crowd, with a count of those that are still to come: in the group's own
 * scope, it is written by nobody once the wait is over. */
#include "scenarios.h"

#include <stdlib.h>

#define FEW_JOBS        96u
#define TINY_DEQUE_JOBS 4u
#define MANY_JOBS       4096u
#define DEQUE_JOBS      1024u
#define CROWD_MIN       200u
#define DEPTH_MAX       4u
#define WIDTH_MAX       5u
#define WALKS           24u /* pool calls in each job, so that threads meet in them */

typedef struct scheduler {
    tarn_jobs *jobs;
    bool is_roomy;
    tarn_worker *faces[STRESS_THREADS_MAX]; /* by the worker's number - 1; each its thread's */
    worker *workers[TARN_WORKERS_MAX];      /* by the face's index; the same */
} scheduler;

typedef struct branch {
    scheduler *scheduler;
    _Atomic uint64_t *left; /* jobs of the tree that have not run */
    uint64_t dice;
    uint32_t depth;
} branch;

static void shape(run *r, tarn_pool_options *options)
{
    options->caches_max = r->options->threads + 1; /* main's */
}

/* Threads beyond that only use the pool. */
static uint32_t workers_of(const run *r)
{
    return r->options->threads < TARN_WORKERS_MAX ? r->options->threads : TARN_WORKERS_MAX;
}

static bool open(run *r)
{
    scheduler *s = calloc(1, sizeof *s);
    r->state = s;
    bool is_roomy = dice_one_in(&r->dice, 2);
    tarn_jobs_options options = {.host_threads_only = true,
                                 .attached_max = workers_of(r),
                                 .jobs_max = is_roomy ? MANY_JOBS : FEW_JOBS,
                                 .deque_jobs = is_roomy ? DEQUE_JOBS : TINY_DEQUE_JOBS};
    tarn_worker *none;
    if (s)
        s->is_roomy = is_roomy;
    if (s && tarn_jobs_create(&options, &s->jobs, &none) == TARN_OK)
        return true;
    failure_report(&r->failure, "the scheduler could not be created");
    return false;
}

static void close(run *r)
{
    scheduler *s = r->state;
    const char *late;
    if (tarn_jobs_destroy(s->jobs, &late) != TARN_OK)
        failure_report(&r->failure, "'%s' is still in the scheduler", late);
    free(s);
    r->state = NULL;
}

static void begin(worker *w)
{
    scheduler *s = w->run->state;
    tarn_worker *face;
    worker_attach(w);
    tarn_status status = tarn_worker_attach(s->jobs, "stress", &face);
    s->faces[w->number - 1] = face;
    if (status == TARN_OK)
        s->workers[face->index] = w;
    else if (status != TARN_ERROR_NO_WORKER || w->run->options->threads <= TARN_WORKERS_MAX)
        failure_report(&w->run->failure, "thread %u could not attach as a worker", w->number);
}

static void end(worker *w)
{
    scheduler *s = w->run->state;
    tarn_worker *face = s->faces[w->number - 1];
    if (face && tarn_worker_detach(face) != TARN_OK)
        failure_report(&w->run->failure, "thread %u could not detach", w->number);
    worker_free_down_to(w, 0);
    worker_detach(w);
}

static void grow(tarn_worker *face, branch *self);

static void run_branch(tarn_worker *face, void *payload)
{
    branch self = *(branch *)payload;
    uint64_t before = atomic_fetch_sub_explicit(self.left, 1, memory_order_relaxed);
    worker *w = self.scheduler->workers[face->index];
    if (before == 0)
        failure_report(&w->run->failure, "a job ran twice, or after its group's end");
    for (uint32_t i = 0; i < WALKS && worker_goes_on(w); i++)
        worker_walk(w);
    if (self.depth > 0)
        grow(face, &self);
}

static void start(tarn_worker *face, tarn_job_group *group, const branch *job, dice *d)
{
    tarn_job_options options = {.function = run_branch,
                                .payload = job,
                                .payload_bytes = sizeof *job,
                                .group = group,
                                .priority = (tarn_job_priority)dice_below(d, TARN_PRIORITIES)};
    tarn_job_handle handle;
    atomic_fetch_add_explicit(job->left, 1, memory_order_relaxed);
    if (dice_one_in(d, 3))
        tarn_job_run(face, group, run_branch, job, sizeof *job);
    else if (dice_one_in(d, 3) && tarn_job_submit(face->jobs, &options, NULL) == TARN_OK)
        return;
    else
        tarn_job_start(face, &options, dice_one_in(d, 2) ? &handle : NULL);
}

/* Some children in a group of their own, scoped or shared, which is done before this ends. */
static void grow(tarn_worker *face, branch *self)
{
    dice d = {self->dice | 1};
    tarn_job_group group;
    bool is_shared = dice_one_in(&d, 3);
    uint32_t count = 1 + (uint32_t)dice_below(&d, WIDTH_MAX);
    if (is_shared)
        tarn_job_group_init(&group);
    else
        tarn_job_group_begin(face, &group);
    for (uint32_t i = 0; i < count; i++) {
        branch child = *self;
        child.depth = (uint32_t)dice_below(&d, self->depth);
        child.dice = dice_next(&d);
        start(face, &group, &child, &d);
    }
    if (is_shared || dice_one_in(&d, 2))
        tarn_job_group_wait_any(face, &group);
    else
        tarn_job_group_wait(face, &group);
}

/* More than a thief leaves alone. */
static void crowd(tarn_worker *face, const branch *self)
{
    dice d = {self->dice | 1};
    tarn_job_group group;
    uint32_t count = CROWD_MIN + (uint32_t)dice_below(&d, CROWD_MIN);
    tarn_job_group_begin(face, &group);
    for (uint32_t i = 0; i < count; i++) {
        branch child = *self;
        child.depth = 0;
        atomic_fetch_add_explicit(child.left, 1, memory_order_relaxed);
        tarn_job_run(face, &group, run_branch, &child, sizeof child);
    }
    tarn_job_group_wait(face, &group);
}

static bool step(worker *w)
{
    scheduler *s = w->run->state;
    tarn_worker *face = s->faces[w->number - 1];
    _Atomic uint64_t left = 0;
    if (!face) {
        worker_walk(w);
        return true;
    }
    branch root = {s, &left, dice_next(&w->dice), DEPTH_MAX};
    if (s->is_roomy && dice_one_in(&w->dice, 4))
        crowd(face, &root);
    else
        grow(face, &root);
    uint64_t never_ran = atomic_load_explicit(&left, memory_order_relaxed);
    if (never_ran != 0)
        failure_report(&w->run->failure, "%llu jobs never ran", (unsigned long long)never_ran);
    return true;
}

const scenario scenario_jobs = {
    .name = "jobs",
    .claim =
        "jobs run once each, before their group's wait ends, with the pool in use on any thread",
    .crews_per_pool = 2,
    .rounds_per_crew = 4,
    .round_ms = 100,
    .shape = shape,
    .open = open,
    .begin = begin,
    .step = step,
    .end = end,
    .close = close,
};
