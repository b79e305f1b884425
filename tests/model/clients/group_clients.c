/* A group's completion: who waits sees what the jobs wrote, and nobody touches the group then. */
#include "base/park.h"
#include "clients/entry.h"
#include "clients/ledger.h"
#include "depot/stack.h"
#include "engine/failure.h"
#include "engine/region.h"
#include "engine/scheduler.h"
#include "engine/trace.h"
#include "jobs/team.h"

#include <stdio.h>
#include <string.h>

#define OWNER 1u
#define OTHER 2u
#define EDGE  1u

static struct {
    tarn_team team;
    tarn_park park;
    tarn_u32 offered;    /* a job that a finisher added */
    tarn_u32 over;       /* the waiter has dropped the group */
    uint32_t written[4]; /* plain: by each job */
    tarn_links links;
    tarn_u32 next[EDGE + 1];
    uint32_t edge; /* plain: what the dependent wrote */
    uint32_t started;
} world MODEL_STATE;

static void name(const void *address, char *text, uint32_t bytes)
{
    if (address == &world.team.shared)
        snprintf(text, bytes, "shared");
    if (address == &world.team.own)
        snprintf(text, bytes, "own");
}

static void begin(uint32_t owner, uint32_t jobs)
{
    model_trace_set_namer(name);
    ledger_clear();
    world.team.owner = owner;
    for (uint32_t i = 0; i < jobs; i++)
        tarn_team_add(&world.team, owner);
    tarn_links_init(&world.links, world.next, sizeof world.next[0], EDGE);
    tarn_links_set(&world.links, EDGE, EDGE); /* as it was left by its last chain */
    ledger_keep();
}
static void set_up_one(void)
{
    begin(OWNER, 1);
}
static void set_up_two(void)
{
    begin(OWNER, 2);
}
static void set_up_shared(void)
{
    begin(0, 2);
}

static void finish(uint32_t job)
{
    world.written[job]++;
    tarn_team_end end = tarn_team_finish_(&world.team);
    if (end.wakes != 0)
        tarn_park_wake(&world.park);
    if (end.chain == 0)
        return;
    world.started += world.edge;
    if (tarn_links_get(&world.links, end.chain) != 0)
        model_fail("a chain that does not end");
}
static void finish_first(void)
{
    finish(0);
}
static void finish_second(void)
{
    finish(1);
}
static void finish_both(void)
{
    finish(0);
    finish(1);
}

/* Runs the first job, which adds another; that one's end comes from elsewhere, or from here. */
static void add_and_finish(void)
{
    tarn_team_add(&world.team, OTHER);
    tarn_u32_store_release(&world.offered, 1);
    finish(0);
}
static void add_finish_both(void)
{
    tarn_team_add(&world.team, OTHER);
    finish(0);
    finish(2);
}

/* The group's memory is the waiter's again: any later access is a race. */
static void drop(uint32_t jobs)
{
    memset(&world.team, 0xEE, sizeof world.team);
    for (uint32_t i = 0; i < jobs; i++)
        if (world.written[i] != 1)
            model_fail("job %u is not done", i);
}

static void sleep_until_done(uint32_t tag, uint32_t jobs)
{
    while (!tarn_team_is_done(&world.team, tag)) {
        uint32_t ticket = tarn_park_ticket(&world.park);
        if (!tarn_team_announce_(&world.team, tag))
            break;
        if (!tarn_team_is_done(&world.team, tag))
            tarn_park_wait(&world.park, ticket, TARN_PARK_FOR_EVER);
        tarn_team_renounce_(&world.team, tag);
    }
    drop(jobs);
}
static void owner_sleeps_for_one(void)
{
    sleep_until_done(OWNER, 1);
}
static void owner_sleeps_for_two(void)
{
    sleep_until_done(OWNER, 2);
}
static void other_sleeps_for_two(void)
{
    sleep_until_done(OTHER, 2);
}
static void other_sleeps_for_one(void)
{
    sleep_until_done(OTHER, 1);
}

/* The owner runs one itself, then sleeps. */
static void owner_runs_one_and_sleeps(void)
{
    world.written[1]++;
    tarn_team_own_add(&world.team, -1);
    sleep_until_done(OWNER, 2);
}

/* Runs what a job added, on the owner's side, if it came here. */
static void owner_runs_what_was_added(void)
{
    while (tarn_u32_load_acquire(&world.offered) == 0)
        model_yield();
    world.written[1]++;
    tarn_team_own_add(&world.team, -1);
    sleep_until_done(OWNER, 2);
}

/* A fiber began the group here, added a job, and went elsewhere: not with what it knows, so that
 * its new thread has to find out. */
static void owner_counts(void)
{
    tarn_team_own_add(&world.team, 1);
    world.written[2]++;
    tarn_team_own_add(&world.team, -1);
}
static void other_looks(void)
{
    if (tarn_team_is_done(&world.team, OTHER) && world.written[0] != 1)
        model_fail("done before its job");
}

/* The owner runs what another worker added, while the first job is not done. */
static void owner_counts_down(void)
{
    while (tarn_u32_load_acquire(&world.offered) == 0)
        model_yield();
    tarn_team_own_add(&world.team, -1);
}

static void yield_until_done(void)
{
    while (!tarn_team_is_done(&world.team, OWNER))
        model_yield();
    drop(2);
}

/* ---- what starts after it ---- */

static void depend(void)
{
    world.edge = 1;
    if (!tarn_team_chain_(&world.team, &world.links, EDGE))
        world.started += world.written[0] * world.written[1];
}

static void started_once(void)
{
    if (world.started != 1 && !model_has_stopped())
        model_fail("started %u times", world.started);
}
static void no_check(void)
{
}

#define CLIENT(name, begin, ...) \
    CLIENT_ENTRY("group_" name, CLIENT_LOCKING, begin, no_check, __VA_ARGS__)

static const client_entry clients[] = {
    CLIENT("wait", set_up_two, yield_until_done, finish_both),
    CLIENT("sleep", set_up_one, owner_sleeps_for_one, finish_first),
    CLIENT("sleep_two", set_up_two, owner_sleeps_for_two, finish_both),
    CLIENT("sleep_two_3", set_up_two, owner_sleeps_for_two, finish_first, finish_second),
    CLIENT("run_and_sleep", set_up_two, owner_runs_one_and_sleeps, finish_first),
    CLIENT("added", set_up_one, owner_sleeps_for_one, add_finish_both),
    CLIENT("added_and_run_by_owner", set_up_one, owner_runs_what_was_added, add_and_finish),
    CLIENT("shared", set_up_shared, other_sleeps_for_two, finish_both),
    CLIENT("shared_3", set_up_shared, other_sleeps_for_two, finish_first, finish_second),
    CLIENT("elsewhere", set_up_one, other_sleeps_for_one, finish_first),
    CLIENT("elsewhere_counted", set_up_one, owner_counts, other_looks, finish_first),
    CLIENT("elsewhere_added", set_up_one, owner_counts_down, other_looks, add_and_finish),
    CLIENT_ENTRY("group_after", CLIENT_LOCK_FREE, set_up_shared, started_once, depend, finish_both),
    CLIENT_ENTRY("group_after_3", CLIENT_LOCK_FREE, set_up_shared, started_once, depend,
                 finish_first, finish_second),
};

client_list group_clients(void)
{
    return CLIENT_LIST(clients);
}
