#include "jobs/idle.h"

#include "base/backoff.h"
#include "base/os.h"

static uint64_t bit_of(uint32_t index)
{
    return (uint64_t)1 << index;
}

void tarn_idle_wake_(tarn_jobs *jobs, uint32_t index)
{
    tarn_park_wake(&jobs->is.workers[index].park);
}

void tarn_idle_wake_all_(tarn_jobs *jobs)
{
    for (uint32_t i = 0; i < jobs->is.workers_max; i++)
        tarn_idle_wake_(jobs, i);
}

void tarn_idle_wake_tag_(tarn_jobs *jobs, uint32_t tag)
{
    if (tag == TARN_TEAM_MANY)
        tarn_idle_wake_all_(jobs);
    else if (tag != 0)
        tarn_idle_wake_(jobs, tag - 1);
}

/* Takes one of the bits out of parked. Returns false when there is none. */
static bool wake_one_of(tarn_jobs *jobs, uint64_t wanted)
{
    /* relaxed: nothing is read of a sleeper but its bits. */
    uint64_t parked = tarn_u64_load_relaxed(&jobs->parked);
    while ((parked & wanted) != 0) {
        uint32_t index = (uint32_t)__builtin_ctzll(parked & wanted);
        /* relaxed: who takes the bit wakes, and that is all. */
        if (tarn_u64_cas_weak_relaxed(&jobs->parked, &parked, parked & ~bit_of(index))) {
            tarn_idle_wake_(jobs, index);
            return true;
        }
    }
    return false;
}

void tarn_idle_wake_one_(tarn_jobs *jobs)
{
    if (jobs->is.has_barrier)
        tarn_fence_seq_cst(); /* who ends a search passes no barrier: see end_search */
    /* relaxed: the fence orders it after the push. */
    if (tarn_u32_load_relaxed(&jobs->searching) != 0)
        return;
    /* relaxed: which is better; the bit decides. */
    uint64_t picky = tarn_u64_load_relaxed(&jobs->picky);
    if (!wake_one_of(jobs, ~picky))
        wake_one_of(jobs, picky);
}

void tarn_idle_announce_(tarn_worker_ *worker, bool is_picky)
{
    tarn_jobs *jobs = tarn_worker_jobs_(worker);
    uint64_t bit = bit_of(worker->face.index);
    if (is_picky)
        /* relaxed: which is better to wake. */
        tarn_u64_fetch_or_relaxed(&jobs->picky, bit);
    /* relaxed: the barrier or the fence orders it before the last look. */
    tarn_u64_fetch_or_relaxed(&jobs->parked, bit);
    if (jobs->is.has_barrier)
        tarn_os_process_barrier();
    tarn_fence_seq_cst();
}

bool tarn_idle_renounce_(tarn_worker_ *worker)
{
    tarn_jobs *jobs = tarn_worker_jobs_(worker);
    uint64_t bit = bit_of(worker->face.index);
    /* relaxed: whose bit it is, it knows itself. */
    bool was_woken = (tarn_u64_fetch_and_relaxed(&jobs->parked, ~bit) & bit) == 0;
    /* relaxed: which is better. */
    if ((tarn_u64_load_relaxed(&jobs->picky) & bit) != 0)
        /* relaxed: as above. */
        tarn_u64_fetch_and_relaxed(&jobs->picky, ~bit);
    return was_woken;
}

void tarn_idle_pass_on_(tarn_worker_ *worker)
{
    tarn_jobs *jobs = tarn_worker_jobs_(worker);
    uint64_t up_to_here = bit_of(worker->face.index) | (bit_of(worker->face.index) - 1);
    wake_one_of(jobs, ~up_to_here);
}

void tarn_idle_begin_search_(tarn_jobs *jobs)
{
    /* relaxed: who sees it may leave a job to the searcher, see end_search. */
    tarn_u32_fetch_add_relaxed(&jobs->searching, 1);
}

static bool has_more(const tarn_jobs *jobs)
{
    for (uint32_t i = 0; i < jobs->is.workers_max; i++)
        for (uint32_t p = 0; p < TARN_PRIORITIES; p++)
            if (!tarn_deque_looks_empty(&jobs->is.workers[i].deques[p]))
                return true;
    for (uint32_t p = 0; p < TARN_PRIORITIES; p++)
        if (tarn_stack_top(&jobs->inboxes[p], &jobs->is.links) != TARN_INDEX_NONE)
            return true;
    return false;
}

void tarn_idle_end_search_(tarn_jobs *jobs, bool has_found)
{
    /* relaxed: the fence below, or that of announce, orders it before the next look. */
    bool was_last = tarn_u32_fetch_add_relaxed(&jobs->searching, UINT32_MAX) == 1;
    if (has_found && was_last)
        tarn_idle_hand_on_(jobs);
}

void tarn_idle_hand_on_(tarn_jobs *jobs)
{
    tarn_fence_seq_cst();
    /* relaxed: a job whose thread sees no searcher any more wakes somebody itself. */
    if (tarn_u64_load_relaxed(&jobs->parked) != 0 && has_more(jobs))
        tarn_idle_wake_one_(jobs);
}

void tarn_idle_sleep_(tarn_worker_ *worker, uint32_t ticket, uint64_t timeout_ns)
{
    tarn_jobs *jobs = tarn_worker_jobs_(worker);
    tarn_jobs_hook *hook = jobs->is.hook;
    if (hook)
        hook(jobs->is.hook_context, TARN_EVENT_PARK, worker->face.index, NULL);
    tarn_park_wait(&worker->park, ticket, timeout_ns);
    if (hook)
        hook(jobs->is.hook_context, TARN_EVENT_WAKE, worker->face.index, NULL);
}

/* Others may need the core to get on, so it is offered now and then. */
void tarn_idle_pause_(uint32_t round)
{
    tarn_backoff backoff = TARN_BACKOFF_INIT;
    if (round % 16 == 15)
        tarn_thread_yield();
    else
        tarn_backoff_wait(&backoff);
}
