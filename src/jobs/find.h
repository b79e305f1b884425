/* Where a worker looks for jobs: its pinned ones, then for each priority its own deque, what other
 * threads submitted, and what other workers have. */
#ifndef TARN_JOBS_FIND_H
#define TARN_JOBS_FIND_H

#include "jobs/state.h"

/* Makes the job known to those that may run it. `worker` is the calling thread's, or NULL. */
void tarn_find_put_(tarn_jobs *jobs, tarn_worker_ *worker, tarn_task *task);

/* Where its own deque is full, and for jobs that it may not run now. */
void tarn_find_put_aside_(tarn_jobs *jobs, tarn_task *task);

/* Before a job of the team goes into the worker's own deque: the owner's lie at the floor or above.
 * Others do not even look at it, since the owner may change it for what it steals, while a fiber
 * has the team elsewhere. */
static inline void tarn_find_lower_floor_(const tarn_worker_ *worker, tarn_team *team,
                                          tarn_job_priority priority)
{
    uint64_t bottom = tarn_deque_bottom(&worker->deques[priority]);
    if (team && team->owner == worker->tag && bottom < team->floor[priority])
        team->floor[priority] = bottom;
}

/* From the worker's own deque. */
static inline tarn_task *tarn_find_take_(tarn_worker_ *worker, tarn_deque *deque)
{
    return tarn_worker_jobs_(worker)->is.is_alone ? tarn_deque_take_alone(deque)
                                                  : tarn_deque_take(deque);
}

/* Any job, or NULL. The worker is going to look for more: it may get some into its own deque. */
tarn_task *tarn_find_any_(tarn_worker_ *worker);

/* The same for waits, which may end before they get to run more. */
tarn_task *tarn_find_one_(tarn_worker_ *worker);

/* What a wait knows about where it looked. */
typedef struct tarn_search {
    tarn_team *team;
    uint64_t strange; /* a bit for each worker whose oldest job was not of the team */
    uint64_t inboxes_seen[TARN_PRIORITIES]; /* heads when it looked there in vain */
} tarn_search;

/* A job of the team or of a team that descends from it, or NULL. */
tarn_task *tarn_find_of_team_(tarn_worker_ *worker, tarn_search *search);

/* One of its pinned jobs, oldest first, or NULL. Threads: the worker's, or, once its place is free,
 * who destroys. */
tarn_task *tarn_find_pinned_(tarn_worker_ *worker);

#endif
