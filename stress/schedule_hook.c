#include "schedule_hook.h"

#include "base/thread.h"
#include "dice.h"

#include <stdatomic.h>

#define SPINS_MAX 400u

/* Relaxed throughout: the hook must not order what the library leaves unordered. */
static _Atomic uint32_t yields_permille = SCHEDULE_YIELD_PERMILLE_DEFAULT;
static _Atomic uint64_t schedule_seed = 1;
static _Atomic uint64_t streams;
static _Thread_local dice own_dice;

void schedule_configure(uint32_t yield_permille, uint64_t seed)
{
    atomic_store_explicit(&yields_permille, yield_permille, memory_order_relaxed);
    atomic_store_explicit(&schedule_seed, seed, memory_order_relaxed);
}

static dice fresh_dice(void)
{
    uint64_t stream = atomic_fetch_add_explicit(&streams, 1, memory_order_relaxed);
    return dice_seeded(atomic_load_explicit(&schedule_seed, memory_order_relaxed), ~stream);
}

/* Short pauses move two running threads against each other; a yield lets a third one in. */
static void pause_here(dice *d)
{
    if (dice_one_in(d, 2)) {
        tarn_thread_yield();
        return;
    }
    uint64_t spins = dice_below(d, SPINS_MAX);
    while (spins-- > 0)
        atomic_signal_fence(memory_order_seq_cst);
}

void tarn_schedule_point_(void)
{
    if (own_dice.state == 0)
        own_dice = fresh_dice();
    uint32_t permille = atomic_load_explicit(&yields_permille, memory_order_relaxed);
    if (dice_below(&own_dice, 1000) < permille)
        pause_here(&own_dice);
}
