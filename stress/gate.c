#include "gate.h"

#include "base/thread.h"
#include "clock.h"

#define YIELDS_BEFORE_SLEEP 1000u
#define SLEEP_US            50u

void gate_init(gate *g, uint32_t parties)
{
    g->parties = parties;
    atomic_init(&g->waiting, 0);
    atomic_init(&g->opened, 0);
}

static void wait_until_opened(const gate *g, uint32_t opened)
{
    uint32_t yields = 0;
    while (atomic_load_explicit(&g->opened, memory_order_acquire) == opened) {
        if (yields++ < YIELDS_BEFORE_SLEEP)
            tarn_thread_yield();
        else
            clock_sleep_us(SLEEP_US);
    }
}

/* Edges: each arrival (acq_rel) -> the last arrival -> opened (release) -> all others (acquire). */
void gate_wait(gate *g)
{
    uint32_t opened = atomic_load_explicit(&g->opened, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&g->waiting, 1, memory_order_acq_rel) + 1 < g->parties) {
        wait_until_opened(g, opened);
        return;
    }
    atomic_store_explicit(&g->waiting, 0, memory_order_relaxed);
    atomic_store_explicit(&g->opened, opened + 1, memory_order_release);
}

uint32_t gate_waiting(const gate *g)
{
    return atomic_load_explicit(&g->waiting, memory_order_relaxed);
}
