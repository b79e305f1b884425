#include "jobs/destroy.h"

#include "base/os.h"
#include "jobs/find.h"
#include "jobs/idle.h"
#include "jobs/run.h"
#include "jobs/thread.h"

#define LATE_LOOK_NS ((uint64_t)1000000)

void tarn_destroy_stop_(tarn_jobs *jobs)
{
    /* relaxed: a request; the wakes that follow have it seen soon. */
    tarn_u32_store_relaxed(&jobs->is_stopping, 1);
    tarn_fence_seq_cst();
    tarn_idle_wake_all_(jobs);
}

/* All threads are gone. What is left in lists was never begun, by workers that never came. */
void tarn_destroy_give_back_(tarn_jobs *jobs)
{
    tarn_jobs_constants is = jobs->is;
    for (uint32_t i = 0; i < is.workers_max; i++) {
        if (is.workers[i].has_thread)
            tarn_thread_join(is.workers[i].thread);
        tarn_thread_detach_caches_(&is.workers[i]);
    }
    is.memory.release(is.memory.context, jobs, is.bytes);
    tarn_pool_clear(is.pool);
    tarn_pool_destroy(is.pool);
}

static bool is_out(const tarn_jobs *jobs, uint32_t index)
{
    bool is_creator = jobs->is.has_creator && index == 0;
    return is_creator || tarn_thread_place_(&jobs->is.workers[index]) == TARN_PLACE_FREE;
}

/* Ends, unrun, what lies in the lists of workers that nobody has any more, and whatever else there
 * is. What is left of others' is found by themselves. */
static void end_leftovers(tarn_jobs *jobs, tarn_worker_ *worker)
{
    tarn_task *task;
    for (uint32_t i = 0; i < jobs->is.workers_max; i++)
        while (is_out(jobs, i) && (task = tarn_find_pinned_(&jobs->is.workers[i])) != NULL)
            tarn_run_(worker, task);
    while ((task = tarn_find_any_(worker)) != NULL)
        tarn_run_(worker, task);
}

/* The first worker whose thread is still there, or NULL. */
static tarn_worker_ *late_one(const tarn_jobs *jobs)
{
    for (uint32_t i = 0; i < jobs->is.workers_max; i++)
        if (!is_out(jobs, i))
            return &jobs->is.workers[i];
    return NULL;
}

static const char *name_of(const tarn_worker_ *worker)
{
    /* relaxed: for a report, as in run.c. */
    const char *name = (const char *)(uintptr_t)tarn_u64_load_relaxed(&worker->name);
    return name ? name : "job";
}

/* Sleeps a little at a time, since others may put jobs aside until they are out. */
static tarn_worker_ *wait_for_others(tarn_jobs *jobs, tarn_worker_ *worker)
{
    uint64_t end_ns = tarn_os_time_ns() + (uint64_t)jobs->is.stop_ms * 1000000u;
    for (;;) {
        uint32_t ticket = tarn_park_ticket(&jobs->is.workers[0].park);
        if (worker)
            end_leftovers(jobs, worker);
        tarn_worker_ *late = late_one(jobs);
        if (!late || tarn_os_time_ns() >= end_ns)
            return late;
        tarn_park_wait(&jobs->is.workers[0].park, ticket, LATE_LOOK_NS);
    }
}

/* Where no worker is the caller's, all places are free by now. */
static void end_rest(tarn_jobs *jobs)
{
    tarn_worker_ *worker = &jobs->is.workers[0];
    if (jobs->is.has_creator || tarn_thread_attach_caches_(worker, NULL) == TARN_OK)
        end_leftovers(jobs, worker);
}

tarn_status tarn_jobs_destroy(tarn_jobs *jobs, const char **late)
{
    if (late)
        *late = NULL;
    if (!jobs)
        return TARN_OK;
    tarn_destroy_stop_(jobs);
    tarn_worker_ *late_worker =
        wait_for_others(jobs, jobs->is.has_creator ? jobs->is.workers : NULL);
    if (late_worker) {
        if (late)
            *late = name_of(late_worker);
        return TARN_ERROR_BUSY;
    }
    end_rest(jobs);
    tarn_destroy_give_back_(jobs);
    return TARN_OK;
}
