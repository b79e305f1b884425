#include "jobs/run.h"

#include "jobs/after.h"
#include "jobs/deep.h"
#include "jobs/find.h"
#include "jobs/idle.h"
#include "jobs/mark.h"
#include "tarn/guest.h"

#include <string.h>

static void tell(const tarn_worker_ *worker, tarn_jobs_event event, const char *name)
{
    const tarn_jobs *jobs = tarn_worker_jobs_(worker);
    if (jobs->is.hook)
        jobs->is.hook(jobs->is.hook_context, event, worker->face.index, name);
}

void tarn_run_shown_(tarn_worker_ *worker, tarn_job_fn *function, void *payload, const char *name)
{
    /* relaxed: for a report of who is late, which may be wrong by a job. */
    uint64_t outer = tarn_u64_load_relaxed(&worker->name);
    /* relaxed: as above. */
    uint32_t place = tarn_u32_load_relaxed(&worker->place);
    if (place != TARN_PLACE_ATTACHED)
        /* relaxed: as above. */
        tarn_u64_store_relaxed(&worker->name, (uintptr_t)name);
    tell(worker, TARN_EVENT_JOB_BEGIN, name);
    function(&worker->face, payload);
    tell(worker, TARN_EVENT_JOB_END, name);
    /* relaxed: as above. */
    tarn_u64_store_relaxed(&worker->name, outer);
}

/* The team's count comes last: its memory may be gone then. */
void tarn_run_finish_(tarn_worker_ *worker, tarn_task *task)
{
    tarn_jobs *jobs = tarn_worker_jobs_(worker);
    tarn_team *team = task->team;
    uint32_t chain = TARN_INDEX_NONE;
    bool is_spent = false;
    if (task->flags & TARN_TASK_TRACKED)
        chain = tarn_mark_end_(jobs, task, &is_spent);
    if (!is_spent)
        tarn_free(worker->cache, task);
    if (chain != TARN_INDEX_NONE)
        tarn_after_release_(worker, chain);
    if (!team)
        return;
    tarn_team_end end = tarn_team_finish_(team);
    if (TARN_UNLIKELY(end.wakes != 0))
        tarn_idle_wake_tag_(jobs, end.wakes);
    if (TARN_UNLIKELY(end.chain != TARN_INDEX_NONE))
        tarn_after_release_(worker, end.chain);
}

/* No task is free: the function is called on the spot, with a copy as it would have got. */
static void call_here(tarn_worker_ *worker, void *argument)
{
    const tarn_job_options *options = argument;
    _Alignas(16) char copy[TARN_JOB_PAYLOAD_BYTES];
    void *payload = (void *)(uintptr_t)options->payload;
    if (options->payload_bytes > 0)
        payload = memcpy(copy, options->payload, options->payload_bytes);
    tarn_team *outer = worker->running;
    worker->running = (tarn_team *)(void *)options->group;
    tarn_run_shown_(worker, options->function, payload, options->name);
    worker->running = outer;
}

static void run_here(tarn_worker_ *worker, tarn_job_options options)
{
    const tarn_team *team = (const tarn_team *)(const void *)options.group;
    if (tarn_jobs_is_stopping_(tarn_worker_jobs_(worker)) || (team && tarn_team_is_cancelled(team)))
        return;
    if (tarn_deep_is_due_(worker)) {
        tarn_deep_call_(worker, call_here, &options);
        return;
    }
    worker->levels++;
    call_here(worker, &options);
    worker->levels--;
}

/* Most payloads are two words; a copy of known size needs no call. */
static inline void set_payload(tarn_task *task, const void *payload, size_t bytes)
{
    if (bytes == 16)
        memcpy(task->payload.bytes, payload, 16);
    else if (bytes == 0)
        task->payload.pointer = payload;
    else
        memcpy(task->payload.bytes, payload, bytes);
}

static tarn_status run_without_task(tarn_worker_ *worker, tarn_job_group *group,
                                    tarn_job_fn *function, const void *payload, size_t bytes)
{
    run_here(worker,
             (tarn_job_options){
                 .function = function, .payload = payload, .payload_bytes = bytes, .group = group});
    return TARN_OK;
}

tarn_status tarn_job_run(tarn_worker *face, tarn_job_group *group, tarn_job_fn *function,
                         const void *payload, size_t payload_bytes)
{
    if (TARN_UNLIKELY(!face || !function || payload_bytes > TARN_JOB_PAYLOAD_BYTES ||
                      (payload_bytes > 0 && !payload)))
        return TARN_ERROR_INVALID;
    tarn_worker_ *worker = tarn_worker_of_(face);
    tarn_task *task = tarn_alloc(worker->cache);
    if (TARN_UNLIKELY(!task))
        return run_without_task(worker, group, function, payload, payload_bytes);
    tarn_team *team = (tarn_team *)(void *)group;
    task->function = function;
    task->team = team;
    task->flags = payload_bytes == 0 ? TARN_TASK_BY_POINTER : 0;
    task->name = NULL;
    set_payload(task, payload, payload_bytes);
    if (team)
        tarn_team_add(team, worker->tag);
    tarn_find_lower_floor_(worker, team, TARN_PRIORITY_NORMAL);
    if (TARN_UNLIKELY(!tarn_deque_push(&worker->deques[TARN_PRIORITY_NORMAL], task)))
        tarn_find_put_aside_(face->jobs, task);
    else
        tarn_idle_notify_(face->jobs);
    return TARN_OK;
}

/* ---- with all options ---- */

static bool are_groups_valid(const tarn_job_options *options)
{
    if (options->after_groups_count > 0 && !options->after_groups)
        return false;
    for (uint32_t i = 0; i < options->after_groups_count; i++)
        if (!options->after_groups[i] ||
            ((tarn_team *)(void *)options->after_groups[i])->owner != 0)
            return false;
    return true;
}

static bool are_valid(const tarn_jobs *jobs, const tarn_job_options *options)
{
    return options && options->function && options->payload_bytes <= TARN_JOB_PAYLOAD_BYTES &&
           (options->payload_bytes == 0 || options->payload) &&
           (uint32_t)options->priority < TARN_PRIORITIES &&
           (!options->is_pinned || options->pinned_to < jobs->is.workers_max) &&
           options->after_groups_count <= TARN_JOB_AFTER_MAX &&
           options->after_jobs_count <= TARN_JOB_AFTER_MAX &&
           (options->after_jobs_count == 0 || options->after_jobs) && are_groups_valid(options);
}

/* The task and its edges, or nothing. */
static tarn_task *take(tarn_jobs *jobs, tarn_worker_ *worker, const tarn_job_options *options,
                       tarn_edges *edges)
{
    void *tasks[2 * TARN_JOB_AFTER_MAX + 1];
    edges->count = options->after_groups_count + options->after_jobs_count;
    for (uint32_t i = 0; i <= edges->count; i++) {
        tasks[i] = worker ? tarn_alloc(worker->cache) : tarn_guest_alloc(jobs->is.pool);
        if (tasks[i])
            continue;
        while (i-- > 0) {
            if (worker)
                tarn_free(worker->cache, tasks[i]);
            else
                tarn_guest_free(jobs->is.pool, tasks[i]);
        }
        return NULL;
    }
    memcpy(edges->tasks, tasks + 1, edges->count * sizeof tasks[0]);
    return tasks[0];
}

static void set_up(tarn_task *task, const tarn_job_options *options)
{
    task->function = options->function;
    task->team = (tarn_team *)(void *)options->group;
    task->name = options->name;
    task->flags = (uint32_t)options->priority | (options->is_pinned ? TARN_TASK_PINNED : 0) |
                  (options->payload_bytes == 0 ? TARN_TASK_BY_POINTER : 0);
    task->pinned_to = options->pinned_to;
    set_payload(task, options->payload, options->payload_bytes);
}

/* Returns the task's name, if it is to have one. */
static tarn_job_handle start(tarn_jobs *jobs, tarn_worker_ *worker, tarn_task *task,
                             const tarn_job_options *options, tarn_edges *edges, bool is_named)
{
    tarn_job_handle name = {0};
    set_up(task, options);
    if (is_named)
        name = tarn_mark_name_(jobs, task);
    if (task->team)
        tarn_team_add(task->team, worker ? worker->tag : 0);
    if (task->team && (edges->count > 0 || options->is_pinned))
        tarn_team_tie(task->team);
    if (edges->count == 0 || tarn_after_tie_(jobs, worker, task, options, edges))
        tarn_find_put_(jobs, worker, task);
    return name;
}

/* Last, since it may lie among the handles to start after. */
static tarn_status answer(tarn_job_handle *handle, tarn_job_handle name, tarn_status status)
{
    if (handle)
        *handle = name;
    return status;
}

static bool can_run_here(const tarn_worker_ *worker, const tarn_job_options *options)
{
    return options->after_groups_count + options->after_jobs_count == 0 &&
           (!options->is_pinned || (options->pinned_to == worker->face.index && !worker->is_away));
}

tarn_status tarn_job_start(tarn_worker *face, const tarn_job_options *options,
                           tarn_job_handle *handle)
{
    tarn_job_handle name = {0};
    if (!face || !are_valid(face->jobs, options))
        return answer(handle, name, TARN_ERROR_INVALID);
    tarn_worker_ *worker = tarn_worker_of_(face);
    tarn_edges edges;
    tarn_task *task = take(face->jobs, worker, options, &edges);
    if (task)
        name = start(face->jobs, worker, task, options, &edges, handle != NULL);
    else if (can_run_here(worker, options))
        run_here(worker, *options);
    else
        return answer(handle, name, TARN_ERROR_FULL);
    return answer(handle, name, TARN_OK);
}

tarn_status tarn_job_submit(tarn_jobs *jobs, const tarn_job_options *options,
                            tarn_job_handle *handle)
{
    tarn_job_handle name = {0};
    if (!jobs || !are_valid(jobs, options))
        return answer(handle, name, TARN_ERROR_INVALID);
    tarn_edges edges;
    tarn_task *task = take(jobs, NULL, options, &edges);
    if (!task)
        return answer(handle, name, TARN_ERROR_FULL);
    name = start(jobs, NULL, task, options, &edges, handle != NULL);
    return answer(handle, name, TARN_OK);
}

bool tarn_job_is_done(const tarn_jobs *jobs, tarn_job_handle handle)
{
    return tarn_mark_is_over_(jobs, handle);
}
