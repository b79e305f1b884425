#include "base/park.h"

#include "base/os.h"

/* The lowest bit says that somebody sleeps, the others count wakes. */
#define SLEEPS 1u
#define WAKE   2u

uint32_t tarn_park_ticket(const tarn_park *park)
{
    return __atomic_load_n(&park->count, __ATOMIC_SEQ_CST) & ~SLEEPS;
}

void tarn_park_wait(tarn_park *park, uint32_t ticket, uint64_t timeout_ns)
{
    uint32_t seen = ticket;
    __atomic_compare_exchange_n(&park->count, &seen, ticket | SLEEPS, false, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    if ((seen & ~SLEEPS) == ticket)
        tarn_os_sleep(&park->count, ticket | SLEEPS, timeout_ns);
}

void tarn_park_wake(tarn_park *park)
{
    uint32_t seen = __atomic_load_n(&park->count, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n(&park->count, &seen, (seen & ~SLEEPS) + WAKE, true,
                                        __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        ;
    if (seen & SLEEPS)
        tarn_os_wake(&park->count);
}
