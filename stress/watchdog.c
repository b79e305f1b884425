#include "watchdog.h"

#include "clock.h"
#include "overlap.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define POLL_US     50000u
#define PROGRESS_MS 1000u

static uint64_t operations_all(const run *r)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < r->workers_count; i++)
        sum += atomic_load_explicit(&r->workers[i].operations, memory_order_relaxed);
    return sum;
}

static void bark(const run *r)
{
    fprintf(stderr, "stress %s: HANG  no call returned for %u s, seed %" PRIu64 "\n",
            r->scenario->name, r->options->watchdog_seconds, r->options->seed);
    for (size_t i = 0; i < r->workers_count; i++) {
        const worker *w = &r->workers[i];
        const char *doing = atomic_load_explicit(&w->doing, memory_order_relaxed);
        if (doing)
            fprintf(stderr, "stress %s: thread %u hangs in %s after %" PRIu64 " calls\n",
                    r->scenario->name, w->number, doing,
                    atomic_load_explicit(&w->operations, memory_order_relaxed));
    }
    fflush(stderr);
    abort();
}

static void tell_progress(const run *r, uint64_t began_ms, uint64_t operations)
{
    overlap met = overlap_measure(r);
    fprintf(stderr, "stress %s: %" PRIu64 " s, %" PRIu64 " calls, overlap %.2f %%\n",
            r->scenario->name, (clock_now_ms() - began_ms) / 1000, operations,
            overlap_percent(&met));
}

static int watch(void *argument)
{
    watchdog *dog = argument;
    const run *r = dog->run;
    uint64_t began_ms = clock_now_ms(), moved_ms = began_ms, told_ms = began_ms, seen = 0;
    while (!atomic_load_explicit(&dog->stop, memory_order_relaxed)) {
        clock_sleep_us(POLL_US);
        uint64_t now_ms = clock_now_ms(), operations = operations_all(r);
        if (operations != seen)
            moved_ms = now_ms;
        else if (now_ms - moved_ms >= 1000 * (uint64_t)r->options->watchdog_seconds)
            bark(r);
        seen = operations;
        if (now_ms - told_ms >= PROGRESS_MS) {
            tell_progress(r, began_ms, operations);
            told_ms = now_ms;
        }
    }
    return 0;
}

bool watchdog_start(watchdog *dog, const run *r)
{
    dog->run = r;
    atomic_init(&dog->stop, false);
    return tarn_thread_create(&dog->thread, watch, dog);
}

void watchdog_stop(watchdog *dog)
{
    atomic_store_explicit(&dog->stop, true, memory_order_relaxed);
    tarn_thread_join(dog->thread);
}
