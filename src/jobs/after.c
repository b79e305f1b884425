#include "jobs/after.h"

#include "jobs/find.h"
#include "jobs/mark.h"
#include "tarn/guest.h"

static void give_back(tarn_jobs *jobs, tarn_worker_ *worker, void *edge)
{
    if (worker)
        tarn_free(worker->cache, edge);
    else
        tarn_guest_free(jobs->is.pool, edge);
}

/* Returns whether the task has nothing to wait for any more. */
static bool count_down(tarn_task *task, uint32_t count)
{
    /* E49: releases what the calling thread's job wrote, acquires what the others' did. */
    return tarn_u32_fetch_add_acq_rel(&task->waits, 0u - count) == count;
}

bool tarn_after_tie_(tarn_jobs *jobs, tarn_worker_ *worker, tarn_task *task,
                     const tarn_job_options *options, tarn_edges *edges)
{
    /* One more, so that it does not start while it is being tied.
     * relaxed: the chains publish it. */
    tarn_u32_store_relaxed(&task->waits, edges->count + 1);
    uint32_t over = 1;
    for (uint32_t i = 0; i < edges->count; i++) {
        tarn_task *edge = edges->tasks[i];
        edge->payload.after = task;
        uint32_t index = tarn_task_index_(jobs, edge);
        bool is_tied;
        if (i < options->after_groups_count)
            is_tied = tarn_team_chain_((tarn_team *)(void *)options->after_groups[i],
                                       &jobs->is.links, index);
        else
            is_tied =
                tarn_mark_chain_(jobs, options->after_jobs[i - options->after_groups_count], index);
        if (is_tied)
            continue;
        give_back(jobs, worker, edge);
        over++;
    }
    return count_down(task, over);
}

void tarn_after_release_(tarn_worker_ *worker, uint32_t chain)
{
    tarn_jobs *jobs = tarn_worker_jobs_(worker);
    while (chain != TARN_INDEX_NONE) {
        tarn_task *edge = tarn_task_at_(jobs, chain);
        chain = tarn_links_get(&jobs->is.links, chain);
        tarn_task *task = edge->payload.after;
        tarn_free(worker->cache, edge);
        if (count_down(task, 1))
            tarn_find_put_(jobs, worker, task);
    }
}
