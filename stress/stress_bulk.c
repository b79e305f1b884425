/* Claim: a bulk alloc gives all of its objects or none and takes nothing when refused; after a
 * reservation of n the next n allocations succeed although all other threads ask for more than
 * there is; single calls and bulk calls mix freely.
 *
 * Some attempts go beyond the capacity, so that refusals happen under way. */
#include "scenarios.h"

#define BULK_MAX 300u

static size_t bulk_length(worker *w)
{
    uint64_t bound = worker_share(w) < BULK_MAX ? worker_share(w) : BULK_MAX;
    return 1 + (size_t)dice_below(&w->dice, bound);
}

/* Frees go between, which must not use the reservation up. */
static void work_reserved(worker *w)
{
    size_t count = bulk_length(w), left = count;
    if (!worker_reserve(w, count))
        return;
    uint64_t stop_at = dice_below(&w->dice, 4) ? 0 : dice_below(&w->dice, count);
    while (left > stop_at && worker_alloc_reserved(w)) {
        left--;
        if (w->held_count > 1 && dice_one_in(&w->dice, 4))
            worker_free_at(w, 0);
    }
    worker_unreserve(w, left);
}

static void free_some(worker *w)
{
    size_t count = bulk_length(w);
    worker_free_bulk(w, count < w->held_count ? count : w->held_count);
}

static bool step(worker *w)
{
    switch (dice_below(&w->dice, 6)) {
    case 0:
        worker_alloc_bulk(w, bulk_length(w), dice_one_in(&w->dice, 4));
        break;
    case 1:
        work_reserved(w);
        break;
    case 2:
        worker_walk(w);
        break;
    case 3:
        if (dice_one_in(&w->dice, 4))
            worker_alloc_over(w);
        break;
    default:
        free_some(w);
    }
    return true;
}

const scenario scenario_bulk = {
    .name = "bulk",
    .claim = "bulk calls are all or nothing, and a reservation holds against everybody",
    .over = true,
    .crews_per_pool = 2,
    .rounds_per_crew = 4,
    .round_ms = 100,
    .step = step,
};
