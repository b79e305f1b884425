/* Jobs that start after others. For each group or job that one waits for, an edge, which is a task
 * of the pool too, lies in the chain of that group or job.
 *
 *   E49 an ended job's fetch_add of waits (release) -> that of the last one (acquire): what the
 *       jobs wrote, for the one that starts after them. */
#ifndef TARN_JOBS_AFTER_H
#define TARN_JOBS_AFTER_H

#include "jobs/state.h"

/* The task's edges, as many as the options ask for. */
typedef struct tarn_edges {
    void *tasks[2 * TARN_JOB_AFTER_MAX];
    uint32_t count;
} tarn_edges;

/* Ties the task to what it waits for. Returns whether it can start now. The edges are used up;
 * those of what was over already are given back. `worker` may be NULL. */
bool tarn_after_tie_(tarn_jobs *jobs, tarn_worker_ *worker, tarn_task *task,
                     const tarn_job_options *options, tarn_edges *edges);

/* What the edges of the chain lead to has one thing less to wait for. */
void tarn_after_release_(tarn_worker_ *worker, uint32_t chain);

#endif
