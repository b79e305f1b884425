/* Waits for groups. */
#include "jobs/deep.h"
#include "jobs/find.h"
#include "jobs/idle.h"
#include "jobs/run.h"

#include <string.h>

/* How long a worker that was woken in vain is not to be woken for jobs, doubled each time. */
#define DEAF_NS        ((uint64_t)100000)
#define LAST_RESORT_NS ((uint64_t)1000000)
#define DEAF_DOUBLINGS 7u

#define STRANGERS_MAX 32u /* to be put aside before a sleep, doubled with the sleeps */

typedef struct wait_state {
    tarn_worker_ *worker;
    tarn_search search;
    bool any;
    bool is_deaf;
    uint32_t vain; /* wakes in a row */
} wait_state;

static bool is_done(const wait_state *wait)
{
    return tarn_team_is_done(wait->search.team, wait->worker->tag);
}

static bool is_full_of_strangers(const wait_state *wait)
{
    return wait->worker->strangers >= tarn_worker_jobs_(wait->worker)->is.help_depth_max;
}

static bool may_run_strangers(const wait_state *wait)
{
    return !is_full_of_strangers(wait) && (wait->any || tarn_team_is_tied(wait->search.team));
}

/* Its team may wait for strangers whom only this thread could run: after a while it does. */
static bool must_run_strangers(const wait_state *wait)
{
    return is_full_of_strangers(wait) && tarn_team_is_tied(wait->search.team);
}

static tarn_task *find(wait_state *wait)
{
    tarn_task *task = tarn_find_of_team_(wait->worker, &wait->search);
    return task || !may_run_strangers(wait) ? task : tarn_find_one_(wait->worker);
}

static void run(wait_state *wait, tarn_task *task)
{
    tarn_worker_ *worker = wait->worker;
    bool is_stranger = !tarn_team_descends(task->team, wait->search.team);
    wait->vain = 0;
    worker->strangers += is_stranger;
    if (tarn_deep_is_for_first_(worker, task))
        tarn_deep_hand_down_(worker, task);
    else
        tarn_run_in_wait_(worker, task, wait->search.team);
    worker->strangers -= is_stranger;
}

static uint32_t doublings(const wait_state *wait)
{
    return wait->vain < DEAF_DOUBLINGS ? wait->vain : DEAF_DOUBLINGS;
}

/* What the team waits for may lie behind strangers in the deque of a thread that is busy. */
static tarn_task *find_behind_strangers(wait_state *wait)
{
    for (uint32_t i = 0; i < STRANGERS_MAX << doublings(wait); i++) {
        wait->search.strange = 0;
        tarn_task *task = find(wait);
        if (task || wait->search.strange == 0)
            return task;
    }
    return NULL;
}

/* Sleeps, having looked once more after it said so. Returns a job that it found instead. */
static tarn_task *sleep_unless_found(wait_state *wait)
{
    tarn_worker_ *worker = wait->worker;
    uint32_t ticket = tarn_park_ticket(&worker->park);
    if (!tarn_team_announce_(wait->search.team, worker->tag))
        return NULL;
    bool is_last_resort = must_run_strangers(wait);
    uint64_t timeout_ns = is_last_resort ? LAST_RESORT_NS : TARN_PARK_FOR_EVER;
    if (wait->is_deaf)
        timeout_ns = DEAF_NS << doublings(wait);
    else
        tarn_idle_announce_(worker, !may_run_strangers(wait));
    tarn_task *task = find(wait);
    if (!task && !is_done(wait))
        tarn_idle_sleep_(worker, ticket, timeout_ns);
    bool was_woken = !wait->is_deaf && tarn_idle_renounce_(worker);
    tarn_team_renounce_(wait->search.team, worker->tag);
    wait->is_deaf = false;
    if (task)
        tarn_idle_hand_on_(tarn_worker_jobs_(worker));
    if (!task && is_last_resort && !is_done(wait))
        return tarn_find_one_(worker);
    if (task || !was_woken)
        return task;
    task = find(wait);
    if (!task) {
        wait->is_deaf = true;
        wait->vain++;
        tarn_idle_pass_on_(worker);
    }
    return task;
}

static void wait_slowly(tarn_worker_ *worker, tarn_team *team, bool any)
{
    wait_state wait = {.worker = worker, .search = {.team = team}, .any = any};
    for (uint32_t round = 0; !is_done(&wait);) {
        tarn_task *task = find(&wait);
        if (!task && (round >= TARN_IDLE_ROUNDS || wait.is_deaf)) {
            task = find_behind_strangers(&wait);
            wait.search.strange = 0;
            if (!task)
                task = sleep_unless_found(&wait);
            round = 0;
        } else if (!task) {
            tarn_idle_pause_(round++);
        }
        if (task) {
            run(&wait, task);
            round = 0;
        }
    }
}

/* The team's jobs that lie on top of its owner's deque. Whether the team is done is not asked for
 * between them: the others count in that word, and it would come from their caches each time. */
static inline void run_own(tarn_worker_ *worker, tarn_team *team)
{
    tarn_deque *deque = &worker->deques[TARN_PRIORITY_NORMAL];
    while (tarn_deque_bottom(deque) > team->floor[TARN_PRIORITY_NORMAL]) {
        tarn_task *task = tarn_find_take_(worker, deque);
        if (!task)
            return;
        if (TARN_UNLIKELY(task->team != team)) {
            tarn_find_put_(tarn_worker_jobs_(worker), worker, task);
            return;
        }
        tarn_run_in_wait_(worker, task, team);
    }
}

/* Without a look around. Returns whether the team is done. */
static inline bool wait_quickly(tarn_worker_ *worker, tarn_team *team)
{
    if (team->owner == worker->tag)
        run_own(worker, team);
    return tarn_team_is_done(team, worker->tag);
}

typedef struct deep_wait {
    tarn_team *team;
    bool any;
} deep_wait;

static void wait_deep(tarn_worker_ *worker, void *argument)
{
    const deep_wait *wait = argument;
    if (!wait_quickly(worker, wait->team))
        wait_slowly(worker, wait->team, wait->any);
}

static inline void wait_for(tarn_worker *face, tarn_job_group *group, bool any)
{
    tarn_worker_ *worker = tarn_worker_of_(face);
    tarn_team *team = (tarn_team *)(void *)group;
    if (tarn_deep_is_due_(worker)) {
        deep_wait wait = {team, any};
        tarn_deep_call_(worker, wait_deep, &wait);
        return;
    }
    worker->levels++;
    if (!wait_quickly(worker, team))
        wait_slowly(worker, team, any);
    worker->levels--;
}

void tarn_job_group_wait(tarn_worker *face, tarn_job_group *group)
{
    wait_for(face, group, false);
}

void tarn_job_group_wait_any(tarn_worker *face, tarn_job_group *group)
{
    wait_for(face, group, true);
}

bool tarn_job_group_is_done(tarn_worker *face, const tarn_job_group *group)
{
    return tarn_team_is_done((const tarn_team *)(const void *)group,
                             face ? tarn_worker_of_(face)->tag : 0);
}

void tarn_job_group_begin(tarn_worker *face, tarn_job_group *group)
{
    const tarn_worker_ *worker = tarn_worker_of_(face);
    tarn_team *team = (tarn_team *)(void *)group;
    /* relaxed: the group is the caller's alone until a job of it is pushed. */
    tarn_u64_store_relaxed(&team->shared, 0);
    tarn_u64_store_relaxed(&team->own, 0);
    tarn_u32_store_relaxed(&team->thief, 0);
    tarn_u32_store_relaxed(&team->cancelled, 0);
    for (uint32_t p = 0; p < TARN_PRIORITIES; p++)
        team->floor[p] = TARN_TEAM_FLOOR_ABOVE;
    team->owner = worker->tag;
    team->parent = worker->running;
    team->depth = worker->running ? worker->running->depth + 1 : 0;
}

void tarn_job_group_init(tarn_job_group *group)
{
    memset(group, 0, sizeof *group);
}

void tarn_job_group_cancel(tarn_job_group *group)
{
    /* relaxed: a request. */
    tarn_u32_store_relaxed(&((tarn_team *)(void *)group)->cancelled, 1);
}

bool tarn_job_group_is_cancelled(const tarn_job_group *group)
{
    return tarn_team_is_cancelled((const tarn_team *)(const void *)group);
}
