#include "crew.h"

#include "check.h"
#include "clock.h"

#include <stdio.h>
#include <stdlib.h>

#define SAMPLE_US 1000u

static void begin(worker *w)
{
    if (w->run->scenario->begin)
        w->run->scenario->begin(w);
    else
        worker_attach(w);
}

static void end(worker *w)
{
    if (failure_found(&w->run->failure))
        return;
    if (w->run->scenario->end) {
        w->run->scenario->end(w);
        return;
    }
    worker_free_down_to(w, 0);
    worker_detach(w);
}

/* With PLANT_SERIAL one thread takes all its steps before another may start. */
static void play_round(worker *w)
{
    run *r = w->run;
    bool serial = r->options->plant == PLANT_SERIAL;
    if (serial)
        tarn_mutex_lock(&r->serial);
    w->playing = true;
    w->done = false;
    while (worker_goes_on(w) && !w->done)
        w->done = !r->scenario->step(w);
    w->playing = false;
    if (serial)
        tarn_mutex_unlock(&r->serial);
}

static int thread_main(void *argument)
{
    worker *w = argument;
    begin(w);
    for (;;) {
        gate_wait(&w->run->gate);
        if (w->run->crew_over)
            break;
        play_round(w);
        gate_wait(&w->run->gate);
    }
    end(w);
    return 0;
}

/* Until the time is up or every worker has ended the round by itself. */
static void watch_round(run *r)
{
    uint32_t spread_ms = r->scenario->round_ms;
    uint64_t until_ms = clock_now_ms() + spread_ms / 2 + dice_below(&r->dice, spread_ms);
    while (clock_now_ms() < until_ms && !failure_found(&r->failure) &&
           gate_waiting(&r->gate) < r->options->threads) {
        check_sample(r);
        clock_sleep_us(SAMPLE_US);
    }
    atomic_store_explicit(&r->round_over, true, memory_order_relaxed);
}

static void count_round(run *r)
{
    r->all_done = true;
    for (uint32_t i = 0; i < r->options->threads; i++)
        r->all_done &= r->workers[i].done;
    r->rounds_total++;
    check_quiet(r);
    if (!failure_found(&r->failure) && r->scenario->parked)
        r->scenario->parked(r);
    if (!failure_found(&r->failure) && !r->scenario->lean && dice_one_in(&r->dice, 4))
        check_fill(r);
}

static void play_rounds(run *r)
{
    for (r->round = 0; r->round < r->scenario->rounds_per_crew; r->round++) {
        if (failure_found(&r->failure) || clock_now_ms() >= r->deadline_ms)
            break;
        atomic_store_explicit(&r->round_over, false, memory_order_relaxed);
        gate_wait(&r->gate);
        watch_round(r);
        gate_wait(&r->gate);
        if (!failure_found(&r->failure))
            count_round(r);
    }
}

void crew_work(run *r)
{
    tarn_thread threads[STRESS_THREADS_MAX];
    gate_init(&r->gate, r->options->threads + 1);
    r->crew_over = false;
    for (uint32_t i = 0; i < r->options->threads; i++) {
        if (!tarn_thread_create(&threads[i], thread_main, &r->workers[i])) {
            /* The others wait at the gate for a thread that never comes. */
            fprintf(stderr, "tarn-stress: the system gave no thread %u\n", i + 1);
            exit(EXIT_FAILURE);
        }
    }
    play_rounds(r);
    r->crew_over = true;
    gate_wait(&r->gate);
    for (uint32_t i = 0; i < r->options->threads; i++)
        tarn_thread_join(threads[i]);
}
