#include "jobs/find.h"

#include "jobs/idle.h"

#define INBOX_TAKES_MAX 32u

/* Most urgent first. */
static const tarn_job_priority order[TARN_PRIORITIES] = {TARN_PRIORITY_HIGH, TARN_PRIORITY_NORMAL,
                                                         TARN_PRIORITY_LOW};

static tarn_job_priority priority_of(const tarn_task *task)
{
    return (tarn_job_priority)(task->flags & TARN_TASK_PRIORITY_MASK);
}

/* Which priorities are worth a look. */
static uint32_t priorities_of(const tarn_jobs *jobs)
{
    /* relaxed: a job of another one is found by its own thread at least, which knows. */
    return tarn_u32_load_relaxed(&jobs->priorities) | 1u << TARN_PRIORITY_NORMAL;
}

/* Once it is pushed, the job may be run, and gone. */
static void put_pinned(tarn_jobs *jobs, tarn_task *task)
{
    uint32_t index = task->pinned_to;
    tarn_stack_push(&jobs->is.workers[index].pinned, &jobs->is.links, tarn_task_index_(jobs, task));
    tarn_idle_wake_(jobs, index);
}

static void put_inbox(tarn_jobs *jobs, tarn_task *task)
{
    tarn_stack_push(&jobs->inboxes[priority_of(task)], &jobs->is.links,
                    tarn_task_index_(jobs, task));
}

static void put_own(tarn_worker_ *worker, tarn_task *task)
{
    tarn_find_lower_floor_(worker, task->team, priority_of(task));
    if (!tarn_deque_push(&worker->deques[priority_of(task)], task))
        put_inbox(tarn_worker_jobs_(worker), task);
}

void tarn_find_put_(tarn_jobs *jobs, tarn_worker_ *worker, tarn_task *task)
{
    if (task->flags & TARN_TASK_PINNED) {
        put_pinned(jobs, task);
        return;
    }
    uint32_t bit = 1u << priority_of(task);
    if ((priorities_of(jobs) & bit) == 0)
        /* relaxed: see priorities_of. */
        tarn_u32_fetch_or_relaxed(&jobs->priorities, bit);
    if (worker)
        put_own(worker, task);
    else
        put_inbox(jobs, task);
    tarn_idle_notify_(jobs);
}

void tarn_find_put_aside_(tarn_jobs *jobs, tarn_task *task)
{
    put_inbox(jobs, task);
    tarn_idle_notify_(jobs);
}

/* ---- pinned ---- */

/* Appends what others pushed, the newest of which comes first, to the worker's own list. */
static void see_pinned(tarn_worker_ *worker)
{
    const tarn_links *links = &tarn_worker_jobs_(worker)->is.links;
    if (tarn_stack_top(&worker->pinned, links) == TARN_INDEX_NONE)
        return;
    uint32_t newest = tarn_stack_take_all(&worker->pinned, links);
    uint32_t first = TARN_INDEX_NONE;
    for (uint32_t index = newest; index != TARN_INDEX_NONE;) {
        uint32_t older = tarn_links_get(links, index);
        tarn_links_set(links, index, first);
        first = index;
        index = older;
    }
    if (worker->pinned_first == TARN_INDEX_NONE)
        worker->pinned_first = first;
    else
        tarn_links_set(links, worker->pinned_last, first);
    worker->pinned_last = newest;
}

/* The oldest that is of the team; of any for NULL. */
static tarn_task *take_pinned(tarn_worker_ *worker, const tarn_team *team)
{
    see_pinned(worker);
    tarn_jobs *jobs = tarn_worker_jobs_(worker);
    const tarn_links *links = &jobs->is.links;
    uint32_t before = TARN_INDEX_NONE;
    for (uint32_t index = worker->pinned_first; index != TARN_INDEX_NONE;
         index = tarn_links_get(links, index)) {
        tarn_task *task = tarn_task_at_(jobs, index);
        if (!team || tarn_team_descends(task->team, team)) {
            uint32_t after = tarn_links_get(links, index);
            if (before == TARN_INDEX_NONE)
                worker->pinned_first = after;
            else
                tarn_links_set(links, before, after);
            if (worker->pinned_last == index)
                worker->pinned_last = before;
            return task;
        }
        before = index;
    }
    return NULL;
}

tarn_task *tarn_find_pinned_(tarn_worker_ *worker)
{
    return take_pinned(worker, NULL);
}

/* ---- other workers ---- */

static uint32_t random_next(tarn_worker_ *worker)
{
    worker->random ^= worker->random << 13;
    worker->random ^= worker->random >> 17;
    worker->random ^= worker->random << 5;
    return worker->random;
}

/* Tells a wait of the team's owner where to look for what its jobs began. */
static void note_thief(const tarn_worker_ *thief, const tarn_task *task)
{
    /* relaxed: a hint. */
    if (task->team && tarn_u32_load_relaxed(&task->team->thief) != thief->tag)
        /* relaxed: as above. */
        tarn_u32_store_relaxed(&task->team->thief, thief->tag);
}

typedef struct loot {
    void *tasks[TARN_DEQUE_STEALS_MAX]; /* oldest first */
    uint32_t count;                     /* at the most, then of them */
    uint32_t victim;
} loot;

static tarn_steal steal_from(const tarn_worker_ *thief, tarn_job_priority priority, loot *taken)
{
    tarn_deque *deque = &tarn_worker_jobs_(thief)->is.workers[taken->victim].deques[priority];
    if (tarn_deque_looks_empty(deque))
        return TARN_STEAL_EMPTY;
    tarn_steal result = tarn_deque_steal_some(deque, taken->tasks, &taken->count);
    for (uint32_t i = 0; result == TARN_STEAL_DONE && i < taken->count; i++)
        note_thief(thief, taken->tasks[i]);
    return result;
}

/* From the workers that are not in `avoided`. A steal that is lost was won by another thread, and
 * says nothing about what is left. */
static bool steal_any(tarn_worker_ *worker, tarn_job_priority priority, uint64_t avoided,
                      loot *taken)
{
    uint32_t workers_max = tarn_worker_jobs_(worker)->is.workers_max;
    bool has_lost = true;
    avoided |= (uint64_t)1 << worker->face.index;
    while (has_lost) {
        uint32_t start = random_next(worker) % workers_max;
        has_lost = false;
        for (uint32_t i = 0; i < workers_max; i++) {
            taken->victim = start + i < workers_max ? start + i : start + i - workers_max;
            if (avoided >> taken->victim & 1)
                continue;
            tarn_steal result = steal_from(worker, priority, taken);
            if (result == TARN_STEAL_DONE)
                return true;
            has_lost |= result == TARN_STEAL_LOST;
        }
    }
    return false;
}

/* ---- any job ---- */

/* Takes a few, so that their list or deque is not everyone's bottleneck: the oldest of them to run,
 * the others into its own deque, from where they can be stolen. */
static tarn_task *steal_some(tarn_worker_ *worker, tarn_job_priority priority, uint32_t count_max)
{
    loot taken = {.count = count_max};
    if (!steal_any(worker, priority, 0, &taken))
        return NULL;
    for (uint32_t i = taken.count; i-- > 1;)
        put_own(worker, taken.tasks[i]);
    if (taken.count > 1)
        tarn_idle_notify_(tarn_worker_jobs_(worker));
    return taken.tasks[0];
}

/* The same. */
static tarn_task *take_inbox(tarn_worker_ *worker, tarn_job_priority priority, uint32_t count_max)
{
    tarn_jobs *jobs = tarn_worker_jobs_(worker);
    tarn_stack *inbox = &jobs->inboxes[priority];
    if (tarn_stack_top(inbox, &jobs->is.links) == TARN_INDEX_NONE)
        return NULL;
    uint32_t indices[INBOX_TAKES_MAX];
    uint32_t count = tarn_stack_pop_some(inbox, &jobs->is.links, count_max, indices);
    if (count == 0)
        return NULL;
    for (uint32_t i = 0; i + 1 < count; i++)
        put_own(worker, tarn_task_at_(jobs, indices[i]));
    if (count > 1)
        tarn_idle_notify_(jobs);
    return tarn_task_at_(jobs, indices[count - 1]);
}

static tarn_task *find_any(tarn_worker_ *worker, uint32_t takes_max, uint32_t steals_max)
{
    tarn_task *task = take_pinned(worker, NULL);
    uint32_t used = priorities_of(tarn_worker_jobs_(worker));
    for (uint32_t i = 0; i < TARN_PRIORITIES && !task; i++) {
        tarn_job_priority priority = order[i];
        if ((used >> priority & 1) == 0)
            continue;
        if (!tarn_deque_is_bare(&worker->deques[priority]))
            task = tarn_find_take_(worker, &worker->deques[priority]);
        if (!task)
            task = take_inbox(worker, priority, takes_max);
        if (!task)
            task = steal_some(worker, priority, steals_max);
    }
    return task;
}

tarn_task *tarn_find_any_(tarn_worker_ *worker)
{
    return find_any(worker, INBOX_TAKES_MAX, TARN_DEQUE_STEALS_MAX);
}

tarn_task *tarn_find_one_(tarn_worker_ *worker)
{
    return find_any(worker, 1, 1);
}

/* ---- jobs of a team ---- */

/* From its own deque, what lies above the team's floor. What is not the team's was pushed after the
 * team began, and would hide the rest: others may run it. */
static tarn_task *take_own(tarn_worker_ *worker, const tarn_team *team, tarn_job_priority priority)
{
    tarn_deque *deque = &worker->deques[priority];
    uint64_t floor = team->owner == worker->tag ? team->floor[priority] : 0;
    while (tarn_deque_bottom(deque) > floor && !tarn_deque_is_bare(deque)) {
        tarn_task *task = tarn_find_take_(worker, deque);
        if (!task || tarn_team_descends(task->team, team))
            return task;
        tarn_find_put_aside_(tarn_worker_jobs_(worker), task);
    }
    return NULL;
}

static bool is_strange(const tarn_search *search, uint32_t index)
{
    return (search->strange >> index & 1) != 0;
}

/* First from the thread that stole from the team: what lies there is most likely what it began. */
static bool steal_likely(tarn_worker_ *worker, const tarn_search *search,
                         tarn_job_priority priority, loot *taken)
{
    /* relaxed: a hint. */
    uint32_t thief = tarn_u32_load_relaxed(&search->team->thief);
    taken->victim = thief - 1;
    if (thief != 0 && thief != worker->tag && !is_strange(search, taken->victim) &&
        steal_from(worker, priority, taken) == TARN_STEAL_DONE)
        return true;
    return steal_any(worker, priority, search->strange, taken);
}

/* Puts aside at most one stranger of each worker, until the wait begins its search anew. */
static tarn_task *steal_of_team(tarn_worker_ *worker, tarn_search *search,
                                tarn_job_priority priority)
{
    loot taken = {.count = 1};
    while (steal_likely(worker, search, priority, &taken)) {
        tarn_task *task = taken.tasks[0];
        if (tarn_team_descends(task->team, search->team))
            return task;
        search->strange |= (uint64_t)1 << taken.victim;
        tarn_find_put_aside_(tarn_worker_jobs_(worker), task);
    }
    return NULL;
}

/* Looks through the whole inbox, unless it has not changed since it did so in vain. The team's
 * jobs go into its own deque, but for one; the others go back in one piece. */
static tarn_task *dig(tarn_worker_ *worker, tarn_search *search, tarn_job_priority priority)
{
    tarn_jobs *jobs = tarn_worker_jobs_(worker);
    const tarn_links *links = &jobs->is.links;
    tarn_stack *inbox = &jobs->inboxes[priority];
    uint64_t head = tarn_stack_peek(inbox);
    if (head == search->inboxes_seen[priority] || tarn_stack_head_is_empty(links, head))
        return NULL;
    tarn_task *found = NULL;
    uint32_t first = TARN_INDEX_NONE, last = TARN_INDEX_NONE;
    for (uint32_t index = tarn_stack_take_all(inbox, links); index != TARN_INDEX_NONE;) {
        uint32_t next = tarn_links_get(links, index);
        tarn_task *task = tarn_task_at_(jobs, index);
        if (tarn_team_descends(task->team, search->team)) {
            tarn_find_lower_floor_(worker, search->team, priority);
            if (found)
                put_own(worker, found);
            found = task;
        } else {
            if (first == TARN_INDEX_NONE)
                first = index;
            else
                tarn_links_set(links, last, index);
            last = index;
        }
        index = next;
    }
    search->inboxes_seen[priority] = 0;
    if (first != TARN_INDEX_NONE) {
        uint64_t made = tarn_stack_push_chain(inbox, links, first, last);
        /* What came meanwhile, and was not seen, lies below last. */
        if (!found && tarn_links_get(links, last) == TARN_INDEX_NONE)
            search->inboxes_seen[priority] = made;
    }
    tarn_idle_notify_(jobs);
    return found;
}

tarn_task *tarn_find_of_team_(tarn_worker_ *worker, tarn_search *search)
{
    uint32_t used = priorities_of(tarn_worker_jobs_(worker));
    tarn_task *task = NULL;
    for (uint32_t i = 0; i < TARN_PRIORITIES && !task; i++)
        if (used >> order[i] & 1)
            task = take_own(worker, search->team, order[i]);
    if (!task)
        task = take_pinned(worker, search->team);
    for (uint32_t i = 0; i < TARN_PRIORITIES && !task; i++) {
        if ((used >> order[i] & 1) == 0)
            continue;
        task = steal_of_team(worker, search, order[i]);
        if (!task)
            task = dig(worker, search, order[i]);
    }
    return task;
}
