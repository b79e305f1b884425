#include "jobs/thread.h"

#include "base/os.h"
#include "jobs/deep.h"
#include "jobs/find.h"
#include "jobs/idle.h"
#include "jobs/run.h"

#include <stdio.h>

static void tell(const tarn_worker_ *worker, tarn_jobs_event event)
{
    const tarn_jobs *jobs = tarn_worker_jobs_(worker);
    if (jobs->is.hook)
        jobs->is.hook(jobs->is.hook_context, event, worker->face.index, NULL);
}

static void detach_first(tarn_worker_ *worker, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        tarn_cache_detach(worker->caches[i]);
    tarn_cache_detach(worker->cache);
    worker->cache = NULL;
}

/* Its name is what a late lane is reported by. */
static tarn_status attach_lane(tarn_worker_ *worker, const char *name)
{
    const tarn_jobs *jobs = tarn_worker_jobs_(worker);
    char own_name[TARN_LANE_LABEL_BYTES_MAX];
    if (!jobs->is.frame)
        return TARN_OK;
    snprintf(own_name, sizeof own_name, "worker %u", (unsigned)worker->face.index);
    return tarn_lane_attach(jobs->is.frame, name ? name : own_name, &worker->face.lane);
}

static tarn_status attach_first(tarn_worker_ *worker, uint32_t *count)
{
    const tarn_jobs *jobs = tarn_worker_jobs_(worker);
    for (*count = 0; *count < jobs->is.pools_count; ++*count) {
        tarn_status status = tarn_cache_attach(jobs->is.pools[*count], &worker->caches[*count]);
        if (status != TARN_OK)
            return status;
    }
    return TARN_OK;
}

tarn_status tarn_thread_attach_caches_(tarn_worker_ *worker, const char *name)
{
    uint32_t count = 0;
    tarn_status status = tarn_cache_attach(tarn_worker_jobs_(worker)->is.pool, &worker->cache);
    if (status != TARN_OK)
        return status;
    status = attach_first(worker, &count);
    if (status == TARN_OK)
        status = attach_lane(worker, name);
    if (status != TARN_OK)
        detach_first(worker, count);
    return status;
}

void tarn_thread_detach_caches_(tarn_worker_ *worker)
{
    if (!worker->cache)
        return;
    tarn_lane_detach(worker->face.lane); /* NULL without a frame */
    worker->face.lane = NULL;
    detach_first(worker, tarn_worker_jobs_(worker)->is.pools_count);
}

uint32_t tarn_thread_place_(const tarn_worker_ *worker)
{
    /* E45 acquire: all that the thread left there. */
    return tarn_u32_load_acquire(&worker->place);
}

void tarn_thread_leave_(tarn_worker_ *worker)
{
    /* E45 release: all that is the worker's. The last access: who destroys may wait for it. */
    tarn_u32_store_release(&worker->place, TARN_PLACE_FREE);
}

/* Any job that comes within the time that searching is worth. */
static tarn_task *search(tarn_worker_ *worker)
{
    tarn_jobs *jobs = tarn_worker_jobs_(worker);
    tarn_task *task = NULL;
    tarn_idle_begin_search_(jobs);
    for (uint32_t round = 0; !task && round < TARN_IDLE_ROUNDS; round++) {
        tarn_idle_pause_(round);
        task = tarn_find_any_(worker);
    }
    tarn_idle_end_search_(jobs, task != NULL);
    return task;
}

/* Sleeps, having looked once more after it said so. Returns a job that it found instead. */
static tarn_task *sleep_unless_found(tarn_worker_ *worker, uint64_t timeout_ns)
{
    uint32_t ticket = tarn_park_ticket(&worker->park);
    tarn_idle_announce_(worker, false);
    tarn_task *task = tarn_find_any_(worker);
    if (!task && !tarn_jobs_is_stopping_(tarn_worker_jobs_(worker)))
        tarn_idle_sleep_(worker, ticket, timeout_ns);
    tarn_idle_renounce_(worker);
    if (task)
        tarn_idle_hand_on_(tarn_worker_jobs_(worker));
    return task;
}

static void run(tarn_worker_ *worker, tarn_task *task)
{
    if (tarn_deep_is_for_first_(worker, task))
        tarn_deep_hand_down_(worker, task);
    else
        tarn_run_(worker, task);
}

static uint64_t left_until(uint64_t end_ns)
{
    if (end_ns == UINT64_MAX)
        return TARN_PARK_FOR_EVER;
    uint64_t now = tarn_os_time_ns();
    return end_ns > now ? end_ns - now : 0;
}

bool tarn_thread_work_(tarn_worker_ *worker, uint64_t end_ns)
{
    for (;;) {
        uint64_t left_ns = left_until(end_ns);
        tarn_task *task = tarn_find_any_(worker);
        if (!task && tarn_jobs_is_stopping_(tarn_worker_jobs_(worker)))
            return false;
        if (!task && left_ns > 0)
            task = search(worker);
        if (!task && left_ns > 0)
            task = sleep_unless_found(worker, left_ns);
        if (task)
            run(worker, task);
        if (left_ns == 0)
            return true;
    }
}

static int thread_main(void *argument)
{
    tarn_worker_ *worker = argument;
    tell(worker, TARN_EVENT_WORKER_START);
    while (tarn_thread_work_(worker, UINT64_MAX))
        ;
    tell(worker, TARN_EVENT_WORKER_STOP);
    tarn_thread_leave_(worker);
    return 0;
}

bool tarn_thread_start_worker_(tarn_worker_ *worker)
{
    worker->has_thread = tarn_thread_create(&worker->thread, thread_main, worker);
    return worker->has_thread;
}

/* ---- the host's threads ---- */

static tarn_worker_ *claim(tarn_jobs *jobs)
{
    for (uint32_t i = jobs->is.workers_count; i < jobs->is.workers_max; i++) {
        uint32_t place = TARN_PLACE_FREE;
        /* E45 acquire: all that the last thread left there. */
        if (tarn_u32_cas_strong_acquire(&jobs->is.workers[i].place, &place, TARN_PLACE_CHANGING))
            return &jobs->is.workers[i];
    }
    return NULL;
}

tarn_status tarn_worker_attach(tarn_jobs *jobs, const char *name, tarn_worker **face)
{
    if (face)
        *face = NULL;
    if (!jobs || !face)
        return TARN_ERROR_INVALID;
    if (tarn_jobs_is_stopping_(jobs))
        return TARN_ERROR_BUSY;
    tarn_worker_ *worker = claim(jobs);
    if (!worker)
        return TARN_ERROR_NO_WORKER;
    tarn_status status = tarn_thread_attach_caches_(worker, name);
    if (status != TARN_OK) {
        tarn_thread_leave_(worker);
        return status;
    }
    /* relaxed: for a report, as in run.c. */
    tarn_u64_store_relaxed(&worker->name, (uintptr_t)name);
    /* E45 release: for symmetry with leave; nobody reads through it. */
    tarn_u32_store_release(&worker->place, TARN_PLACE_ATTACHED);
    tell(worker, TARN_EVENT_WORKER_START);
    *face = &worker->face;
    return TARN_OK;
}

tarn_status tarn_worker_detach(tarn_worker *face)
{
    if (!face || face->index < face->jobs->is.workers_count)
        return TARN_ERROR_INVALID;
    tarn_worker_ *worker = tarn_worker_of_(face);
    if (tarn_thread_place_(worker) != TARN_PLACE_ATTACHED)
        return TARN_ERROR_NOT_ATTACHED;
    tell(worker, TARN_EVENT_WORKER_STOP);
    tarn_thread_detach_caches_(worker);
    /* relaxed: as above. */
    tarn_u64_store_relaxed(&worker->name, 0);
    tarn_thread_leave_(worker);
    return TARN_OK;
}

bool tarn_worker_help(tarn_worker *face)
{
    tarn_worker_ *worker = tarn_worker_of_(face);
    tarn_task *task = tarn_find_any_(worker);
    if (task)
        run(worker, task);
    return task != NULL;
}

bool tarn_worker_work(tarn_worker *face, uint32_t milliseconds)
{
    uint64_t end_ns = tarn_os_time_ns() + (uint64_t)milliseconds * 1000000u;
    return tarn_thread_work_(tarn_worker_of_(face), end_ns);
}
