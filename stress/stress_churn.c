/* Claim: caches that come and go, by attach and detach and by threads that end, with any number of
 * objects left in them, lose none: the next taker gets them all, and an attach never fails while
 * fewer than caches_max are in use.
 *
 * Each worker attaches a cache, works for a moment, detaches it, keeps what it holds over to the
 * next cache, and at times starts a short-lived thread that uses the guest calls and ends with its
 * cache as it is; the worker frees what that thread still held. */
#include "mailbox.h"
#include "scenarios.h"

#define STAY_STEPS_MAX 300u

static void nothing(worker *w)
{
    (void)w;
}

static int visit(void *argument)
{
    worker *visitor = argument;
    uint64_t steps = dice_below(&visitor->dice, STAY_STEPS_MAX);
    while (steps-- > 0 && !failure_found(&visitor->run->failure))
        worker_walk(visitor);
    if (dice_one_in(&visitor->dice, 2))
        worker_free_down_to(visitor, 0);
    return 0;
}

/* The partner's thread is over when the worker frees for it, with its own cache or as a guest. */
static void host_visitor(worker *w)
{
    worker *visitor = run_partner(w);
    tarn_thread thread;
    visitor->cache = NULL;
    if (!tarn_thread_create(&thread, visit, visitor)) {
        failure_report(&w->run->failure, "the system gave no thread");
        return;
    }
    tarn_thread_join(thread);
    visitor->cache = w->cache;
    worker_free_down_to(visitor, 0);
}

static void stay(worker *w)
{
    uint64_t steps = dice_below(&w->dice, STAY_STEPS_MAX);
    while (steps-- > 0 && worker_goes_on(w)) {
        worker_walk(w);
        if (dice_one_in(&w->dice, 8))
            mailbox_put(w->run->state, w);
        if (dice_one_in(&w->dice, 8))
            mailbox_take(w->run->state, w);
    }
}

static bool step(worker *w)
{
    worker_attach(w);
    if (!worker_goes_on(w)) {
        worker_detach(w);
        return true;
    }
    stay(w);
    if (dice_one_in(&w->dice, 16))
        host_visitor(w);
    if (dice_one_in(&w->dice, 4))
        worker_free_down_to(w, w->held_count / 2);
    worker_detach(w);
    return true;
}

/* The last visitor's cache is found by nobody but main, when it looks for the last object. */
static void end(worker *w)
{
    worker_attach(w);
    if (w->cache)
        worker_free_down_to(w, 0);
    worker_detach(w);
    if (!failure_found(&w->run->failure))
        host_visitor(w);
}

const scenario scenario_churn = {
    .name = "churn",
    .claim = "caches left behind by detach and by ended threads keep and pass on every object",
    .crews_per_pool = 2,
    .rounds_per_crew = 4,
    .round_ms = 100,
    .open = mailbox_open,
    .begin = nothing,
    .step = step,
    .end = end,
    .ended = mailbox_end,
    .close = mailbox_close,
};
