/* The threads of one run, each on its own core as far as there are cores. All start each stint at a
 * barrier; a stint's time is the wall time from the first start to the last end, so a thread that
 * the others starve counts in full. */
#ifndef TARN_BENCH_CREW_H
#define TARN_BENCH_CREW_H

#include <stdint.h>

typedef struct crew_job {
    void (*enter)(unsigned thread); /* on the thread, before its first stint */
    void (*work)(unsigned thread, uint64_t operations);
    void (*leave)(unsigned thread);
    uint64_t operations_step; /* each stint is a multiple of it */
} crew_job;

/* Around what a thread waits for others by the workload's own rules, within a stint: that time does
 * not count. */
void crew_wait_begins(unsigned thread);
void crew_wait_ends(unsigned thread);

/* Works until one stint takes about stint_ms, the shorter ones before it being the warm-up, and
 * returns that stint's nanoseconds per operation of one thread. */
double crew_measure(const crew_job *job, unsigned threads, unsigned stint_ms);

#endif
