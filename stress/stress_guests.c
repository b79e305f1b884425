/* Claim: any number of threads, also more than there are caches, can use the guest calls without
 * set-up, free each other's objects, and end at any time; the capacity is theirs in full, and what
 * the caches of ended threads hold goes to their successors.
 *
 * Half as many caches as threads; the threads end and are replaced several times on each pool. */
#include "mailbox.h"
#include "scenarios.h"

static void shape(run *r, tarn_pool_options *options)
{
    options->caches_max = r->options->threads / 2;
}

static void nothing(worker *w)
{
    (void)w;
}

static bool step(worker *w)
{
    worker_walk(w);
    if (dice_one_in(&w->dice, 8))
        mailbox_put(w->run->state, w);
    if (dice_one_in(&w->dice, 8))
        mailbox_take(w->run->state, w);
    return true;
}

static void end(worker *w)
{
    worker_free_down_to(w, 0);
}

const scenario scenario_guests = {
    .name = "guests",
    .claim = "more threads than caches use the pool without set-up and without loss",
    .guests = true,
    .crews_per_pool = 6,
    .rounds_per_crew = 2,
    .round_ms = 60,
    .shape = shape,
    .open = mailbox_open,
    .begin = nothing,
    .step = step,
    .end = end,
    .ended = mailbox_end,
    .close = mailbox_close,
};
