/* How a job is run and ends. */
#ifndef TARN_JOBS_RUN_H
#define TARN_JOBS_RUN_H

#include "jobs/state.h"

/* A job that is not counted by its team's owner, or has a handle. */
void tarn_run_finish_(tarn_worker_ *worker, tarn_task *task);

/* Jobs with names, and all where there is a hook. */
void tarn_run_shown_(tarn_worker_ *worker, tarn_job_fn *function, void *payload, const char *name);

static inline void *tarn_run_payload_(tarn_task *task)
{
    return task->flags & TARN_TASK_BY_POINTER ? (void *)(uintptr_t)task->payload.pointer
                                              : task->payload.bytes;
}

/* Calls the job's function, unless it is to be skipped. */
static inline void tarn_run_call_(tarn_worker_ *worker, tarn_task *task)
{
    const tarn_jobs *jobs = tarn_worker_jobs_(worker);
    tarn_team *team = task->team;
    if (TARN_UNLIKELY(tarn_jobs_is_stopping_(jobs) || (team && tarn_team_is_cancelled(team))))
        return;
    tarn_team *outer = worker->running;
    worker->running = team;
    if (TARN_UNLIKELY(task->name || jobs->is.hook))
        tarn_run_shown_(worker, task->function, tarn_run_payload_(task), task->name);
    else
        task->function(&worker->face, tarn_run_payload_(task));
    worker->running = outer;
}

static inline void tarn_run_(tarn_worker_ *worker, tarn_task *task)
{
    tarn_run_call_(worker, task);
    tarn_run_finish_(worker, task);
}

/* In a wait for that team. */
static inline void tarn_run_in_wait_(tarn_worker_ *worker, tarn_task *task, tarn_team *team)
{
    tarn_run_call_(worker, task);
    if (TARN_UNLIKELY(task->team != team || team->owner != worker->tag ||
                      (task->flags & TARN_TASK_TRACKED))) {
        tarn_run_finish_(worker, task);
        return;
    }
    tarn_free(worker->cache, task);
    tarn_team_own_add(team, -1);
}

#endif
