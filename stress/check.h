/* What must hold of the whole pool: in every sample, and exactly when all threads are parked. */
#ifndef STRESS_CHECK_H
#define STRESS_CHECK_H

#include "run.h"

/* While the threads work: no figure is negative or out of range. Threads: main. */
void check_sample(run *r);

/* Conservation: the pool's count, the tickets, the stamps and the workers' own tallies agree.
 * Threads: main, all others parked, no reservation open. */
void check_quiet(run *r);

/* Capacity: beside what the workers own, main can allocate up to the capacity, each slot once,
 * whatever the parked caches hold; an exact pool refuses the next, any other one goes on until
 * nothing is free that main could reach. Then frees them. */
void check_fill(run *r);

/* Slots carved are at most `live_max` + what all caches may hold + one magazine for each. */
void check_carved(run *r, uint64_t live_max);

#endif
