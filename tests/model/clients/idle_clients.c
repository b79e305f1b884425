/* The event count and what it is for: a job that is pushed while its only runner goes to sleep. The
 * one who pushes never looks at it again, so a lost wake-up is a sleep without end. Also names of
 * jobs, whose ends others look for. */
#include "clients/entry.h"
#include "clients/ledger.h"
#include "engine/failure.h"
#include "engine/region.h"
#include "engine/scheduler.h"
#include "engine/trace.h"
#include "jobs/idle.h"
#include "jobs/mark.h"

#include <stdio.h>

#define WORKERS 3u
#define PLACES  2u
#define SLOTS   2u

static struct {
    tarn_jobs jobs;
    tarn_worker_ workers[WORKERS];
    tarn_u64 places[WORKERS][TARN_PRIORITIES][PLACES];
    uint32_t payload[2]; /* plain */
    tarn_pool pool;      /* for index arithmetic only */
    tarn_task tasks[SLOTS];
    tarn_u64 marks[SLOTS];
    tarn_u32 next[SLOTS + 1];
    tarn_job_handle handle;
    uint32_t edge, started;
    uint32_t tickets[WORKERS], wakes_expected;
} world MODEL_STATE;

static void name(const void *address, char *text, uint32_t bytes)
{
    if (address == &world.jobs.parked)
        snprintf(text, bytes, "parked");
    if (address == &world.jobs.searching)
        snprintf(text, bytes, "searching");
    if (address == &world.workers[0].deques[0].bottom)
        snprintf(text, bytes, "bottom");
    if (address == &world.marks[0])
        snprintf(text, bytes, "mark");
}

static void set_up(void)
{
    tarn_jobs *jobs = &world.jobs;
    model_trace_set_namer(name);
    ledger_clear();
    jobs->is.workers = world.workers;
    jobs->is.workers_max = jobs->is.workers_count = WORKERS;
    jobs->is.fences_notify = true;
    for (uint32_t i = 0; i < WORKERS; i++) {
        world.workers[i].face.jobs = jobs;
        world.workers[i].face.index = i;
        world.workers[i].tag = i + 1;
        for (uint32_t p = 0; p < TARN_PRIORITIES; p++)
            tarn_deque_init(&world.workers[i].deques[p], world.places[i][p], PLACES);
    }
    tarn_links_init(&jobs->is.links, world.next, sizeof world.next[0], SLOTS);
    jobs->is.pool = &world.pool;
    jobs->is.marks = world.marks;
    world.pool.slots = (char *)world.tasks;
    world.pool.plan.stride_bytes = sizeof(tarn_task);
    world.pool.plan.slots_max = SLOTS;
    world.pool.stride_shift = 7;
    world.pool.stride_inverse = 1;
    ledger_keep();
}
static void set_up_barrier(void)
{
    set_up();
    world.jobs.is.fences_notify = false;
    world.jobs.is.has_barrier = true;
    ledger_keep();
}

static void push(uint32_t number)
{
    world.payload[number]++;
    tarn_deque_push(&world.workers[0].deques[TARN_PRIORITY_NORMAL], &world.payload[number]);
    tarn_idle_notify_(&world.jobs);
}
static void push_one(void)
{
    push(0);
}
static void push_two(void)
{
    push(0);
    push(1);
}

static uint32_t *look(void)
{
    void *item;
    tarn_steal result = TARN_STEAL_LOST;
    tarn_deque *deque = &world.workers[0].deques[TARN_PRIORITY_NORMAL];
    while (result == TARN_STEAL_LOST && !tarn_deque_looks_empty(deque))
        result = tarn_deque_steal(deque, &item);
    return result == TARN_STEAL_DONE ? item : NULL;
}

static uint32_t *search(void)
{
    tarn_idle_begin_search_(&world.jobs);
    uint32_t *found = look();
    tarn_idle_end_search_(&world.jobs, found != NULL);
    return found;
}

/* As a worker's thread does, see jobs/thread.c. */
static void run_one(tarn_worker_ *worker, bool is_picky)
{
    uint32_t *found = NULL;
    while (!found) {
        found = is_picky ? look() : search();
        if (found)
            break;
        uint32_t ticket = tarn_park_ticket(&worker->park);
        tarn_idle_announce_(worker, is_picky);
        found = look();
        if (!found)
            tarn_park_wait(&worker->park, ticket, TARN_PARK_FOR_EVER);
        tarn_idle_renounce_(worker);
        if (found)
            tarn_idle_hand_on_(&world.jobs);
    }
    if (++*found != 2)
        model_fail("a job ran twice");
}
static void run_on_second(void)
{
    run_one(&world.workers[1], false);
}
static void run_on_third(void)
{
    run_one(&world.workers[2], false);
}
static void run_on_second_picky(void)
{
    run_one(&world.workers[1], true);
}

static void no_check(void)
{
}

/* ---- the bare event count ---- */

static void say_and_wake(void)
{
    tarn_u32_store_release(&world.jobs.is_stopping, 1);
    tarn_park_wake(&world.workers[1].park);
}
static void sleep_until_said(void)
{
    for (;;) {
        uint32_t ticket = tarn_park_ticket(&world.workers[1].park);
        if (tarn_u32_load_acquire(&world.jobs.is_stopping) != 0)
            return;
        tarn_park_wait(&world.workers[1].park, ticket, TARN_PARK_FOR_EVER);
    }
}

/* ---- whose bit is taken is woken, and nobody else's goes with it ---- */

static void set_up_sleepers(uint64_t parked, uint32_t wakes_expected)
{
    set_up();
    tarn_u64_store_relaxed(&world.jobs.parked, parked);
    for (uint32_t i = 0; i < WORKERS; i++)
        world.tickets[i] = tarn_park_ticket(&world.workers[i].park);
    world.wakes_expected = wakes_expected;
    ledger_keep();
}
static void set_up_sleeper(void)
{
    set_up_sleepers(1u << 1, 1);
}
static void set_up_two_sleepers(void)
{
    set_up_sleepers(1u << 1 | 1u << 2, 2);
}

static void wake_one(void)
{
    tarn_idle_wake_one_(&world.jobs);
}
static void announce_third(void)
{
    tarn_idle_announce_(&world.workers[2], false);
}

static void all_bits_are_accounted_for(void)
{
    uint32_t wakes = 0;
    uint64_t parked = tarn_u64_load_relaxed(&world.jobs.parked);
    for (uint32_t i = 1; i < WORKERS; i++) {
        bool is_woken = tarn_park_ticket(&world.workers[i].park) != world.tickets[i];
        wakes += is_woken;
        if (is_woken == (parked >> i & 1) && !model_has_stopped())
            model_fail("worker %u has %s", i, is_woken ? "a bit, and was woken" : "neither");
    }
    if (wakes != world.wakes_expected && !model_has_stopped())
        model_fail("%u were woken", wakes);
}

/* ---- names of jobs ---- */

static void set_up_named(void)
{
    set_up();
    world.handle = tarn_mark_name_(&world.jobs, &world.tasks[0]);
    tarn_links_set(&world.jobs.is.links, 2, 2); /* as it was left by its last chain */
    ledger_keep();
}

static void end_named(void)
{
    bool is_spent;
    world.payload[0]++;
    uint32_t chain = tarn_mark_end_(&world.jobs, &world.tasks[0], &is_spent);
    if (chain == 0)
        return;
    world.started += world.edge;
    if (tarn_links_get(&world.jobs.is.links, chain) != 0)
        model_fail("a chain that does not end");
}
static void poll_named(void)
{
    if (tarn_mark_is_over_(&world.jobs, world.handle))
        world.payload[0]++;
}
static void depend_on_named(void)
{
    world.edge = 1;
    if (!tarn_mark_chain_(&world.jobs, world.handle, 2))
        world.started += world.payload[0];
}
static void started_once(void)
{
    if (world.started != 1 && !model_has_stopped())
        model_fail("started %u times", world.started);
}

#define CLIENT(name, begin, ...) CLIENT_ENTRY(name, CLIENT_LOCKING, begin, no_check, __VA_ARGS__)

static const client_entry clients[] = {
    CLIENT("idle_event_count", set_up, say_and_wake, sleep_until_said),
    CLIENT("idle_push_sleep", set_up, push_one, run_on_second),
    CLIENT("idle_push_sleep_picky", set_up, push_one, run_on_second_picky),
    CLIENT("idle_push_two", set_up, push_two, run_on_second, run_on_third),
    CLIENT("idle_barrier", set_up_barrier, push_one, run_on_second),
    CLIENT("idle_barrier_picky", set_up_barrier, push_one, run_on_second_picky),
    CLIENT("idle_barrier_two", set_up_barrier, push_two, run_on_second, run_on_third),
    CLIENT_ENTRY("idle_wake_announce", CLIENT_LOCK_FREE, set_up_sleeper, all_bits_are_accounted_for,
                 wake_one, announce_third),
    CLIENT_ENTRY("idle_wake_wake", CLIENT_LOCK_FREE, set_up_two_sleepers,
                 all_bits_are_accounted_for, wake_one, wake_one),
    CLIENT_ENTRY("mark_poll", CLIENT_LOCK_FREE, set_up_named, no_check, end_named, poll_named),
    CLIENT_ENTRY("mark_after", CLIENT_LOCK_FREE, set_up_named, started_once, end_named,
                 depend_on_named),
};

client_list idle_clients(void)
{
    return CLIENT_LIST(clients);
}
