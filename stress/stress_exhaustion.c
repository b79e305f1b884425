/* Claim: when all threads together ask for more than there is, at least `capacity` objects are
 * handed out whoever frees and hoards (exactly so many by an exact pool), the rest is refused with
 * NULL, and a refusal loses nothing, however many there are.
 *
 * The rounds go in threes: fill (each thread allocates until it is refused), thrash at the edge,
 * drain to a few. */
#include "scenarios.h"

#include <inttypes.h>

#define REFUSALS_TO_BE_FULL 3u
#define FREED_AT_ONCE_MAX   40u

static bool fill(worker *w)
{
    uint64_t before = w->tally.refusals;
    while (worker_goes_on(w) && w->tally.refusals - before < REFUSALS_TO_BE_FULL)
        worker_alloc_over(w);
    return w->tally.refusals - before < REFUSALS_TO_BE_FULL;
}

static bool thrash(worker *w)
{
    uint64_t freed = dice_below(&w->dice, FREED_AT_ONCE_MAX);
    worker_free_down_to(w, w->held_count > freed ? w->held_count - (size_t)freed : 0);
    uint64_t attempts = freed + 2;
    while (attempts-- > 0 && worker_goes_on(w))
        worker_alloc_over(w);
    return true;
}

static bool drain(worker *w)
{
    size_t keep = (size_t)dice_below(&w->dice, 4);
    worker_free_down_to(w, w->held_count < keep ? w->held_count : keep);
    return false;
}

static bool step(worker *w)
{
    switch (w->run->round % 3) {
    case 0:
        return fill(w);
    case 1:
        return thrash(w);
    default:
        return drain(w);
    }
}

/* A fill that every thread ended for itself has used the pool up. */
static void parked(run *r)
{
    tarn_pool_statistics s;
    if (r->round % 3 != 0 || !r->all_done)
        return;
    tarn_pool_sample(r->pool, &s);
    bool enough = s.live >= r->info.capacity;
    bool too_many = s.live > (r->info.exact ? r->info.capacity : r->info.slots);
    if (!enough || too_many)
        failure_report(&r->failure,
                       "all threads were refused at %" PRIu64 " live objects of %zu (%zu slots)",
                       s.live, r->info.capacity, r->info.slots);
}

const scenario scenario_exhaustion = {
    .name = "exhaustion",
    .claim = "a pool that is asked for too much serves its capacity and refuses the rest",
    .over = true,
    .crews_per_pool = 2,
    .rounds_per_crew = 9,
    .round_ms = 100,
    .step = step,
    .parked = parked,
};
