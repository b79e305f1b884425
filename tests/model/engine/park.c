/* base/park.h and what else of base/os.h jobs need, for modelled threads. The event count keeps its
 * contract and no more: a wake after the ticket was drawn ends the wait, and who draws a ticket
 * after a wake reads nothing older than what came before it. No happens-before comes of it, so that
 * a race shows where the library would rely on that. (The library's own is Concurrency Kit's, in
 * assembly that no model can look into.) */
#include "base/park.h"

#include "base/os.h"
#include "engine/memory.h"
#include "engine/region.h"
#include "engine/scheduler.h"

uint32_t tarn_park_ticket(const tarn_park *park)
{
    model_point();
    model_memory_look_up();
    return (uint32_t)region_read(&park->count, sizeof park->count);
}

void tarn_park_wait(tarn_park *park, uint32_t ticket, uint64_t timeout_ns)
{
    model_point();
    if (region_read(&park->count, sizeof park->count) != ticket)
        return;
    if (timeout_ns == TARN_PARK_FOR_EVER)
        model_wait(park);
    else
        model_yield();
}

void tarn_park_wake(tarn_park *park)
{
    model_point();
    model_memory_look_up();
    region_write(&park->count, sizeof park->count,
                 region_read(&park->count, sizeof park->count) + 1);
    model_wake(park, UINT32_MAX);
}

uint32_t tarn_os_processors(void)
{
    return 1;
}

bool tarn_os_process_barrier_init(void)
{
    return false;
}

void tarn_os_process_barrier(void)
{
    model_memory_process_barrier();
}
