/* A thread that tells once per second how far a run is, and ends the program when it hangs: when
 * no pool call of any thread has returned for options->watchdog_seconds, it says which thread is
 * in which call, and aborts. */
#ifndef STRESS_WATCHDOG_H
#define STRESS_WATCHDOG_H

#include "run.h"

typedef struct watchdog {
    tarn_thread thread;
    const run *run;
    _Atomic bool stop;
} watchdog;

bool watchdog_start(watchdog *dog, const run *r);
void watchdog_stop(watchdog *dog);

#endif
