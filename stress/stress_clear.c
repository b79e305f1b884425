/* Claim: clear makes every object free at once, whatever was live or cached; the caches stay
 * attached and work on; nothing from before comes back (no object twice, no lost one), and the
 * contents stay as they were left.
 *
 * Half of the threads use attached caches, half the guest calls. All are parked while main clears
 * the pool, or does not, between two rounds. */
#include "check.h"
#include "mailbox.h"
#include "scenarios.h"

static void begin(worker *w)
{
    if (w->number % 2 == 0)
        worker_attach(w);
}

static bool step(worker *w)
{
    worker_walk(w);
    if (dice_one_in(&w->dice, 16))
        mailbox_put(w->run->state, w);
    if (dice_one_in(&w->dice, 16))
        mailbox_take(w->run->state, w);
    return true;
}

static void forget_all(run *r, const tarn_pool_info *before, uint64_t live)
{
    mailbox *m = r->state;
    for (size_t i = 0; i < MAILBOX_SLOTS; i++)
        atomic_store_explicit(&m->slots[i], NULL, memory_order_relaxed);
    for (size_t i = 0; i < r->workers_count; i++) {
        r->workers[i].held_count = 0;
        r->workers[i].purse.spare = 0;
    }
    oracle_forget(&r->oracle, before->slots_carved);
    run_main_worker(r)->tally.frees += live;
}

static void parked(run *r)
{
    tarn_pool_statistics s;
    tarn_pool_info before;
    if (dice_one_in(&r->dice, 3))
        return;
    tarn_pool_sample(r->pool, &s);
    tarn_pool_describe(r->pool, &before);
    tarn_status status = tarn_pool_clear(r->pool);
    if (status != TARN_OK)
        failure_report(&r->failure, "clear answered %s", tarn_status_name(status));
    forget_all(r, &before, s.live);
    check_quiet(r);
}

const scenario scenario_clear = {
    .name = "clear",
    .claim = "a cleared pool has everything free once, and its caches go on",
    .crews_per_pool = 2,
    .rounds_per_crew = 12,
    .round_ms = 30,
    .open = mailbox_open,
    .begin = begin,
    .step = step,
    .parked = parked,
    .ended = mailbox_end,
    .close = mailbox_close,
};
