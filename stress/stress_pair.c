/* Claim: threads that allocate and free on their own, one object or a burst of up to their share
 * at a time, each find their objects unowned and as the last owner left them, and none is refused
 * below the capacity.
 *
 * Nothing but the pool passes between the threads within a round, so TSan sees the pool's own
 * edges and no others. */
#include "scenarios.h"

#define BURST_MAX 65536u

static size_t burst_length(worker *w)
{
    size_t share = worker_share(w);
    if (!dice_one_in(&w->dice, 8))
        return 1;
    return 1 + (size_t)dice_below(&w->dice, share < BURST_MAX ? share : BURST_MAX);
}

static bool step(worker *w)
{
    size_t burst = burst_length(w);
    while (w->held_count < burst && worker_alloc(w))
        ;
    if (w->held_count == 0)
        tarn_thread_yield();
    worker_free_down_to(w, 0);
    return true;
}

const scenario scenario_pair = {
    .name = "pair",
    .claim = "private alloc/free pairs and bursts keep every object and its content apart",
    .crews_per_pool = 2,
    .rounds_per_crew = 4,
    .round_ms = 100,
    .step = step,
};
