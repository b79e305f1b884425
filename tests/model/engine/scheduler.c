#define _GNU_SOURCE /* ucontext under strict C */

#include "engine/scheduler.h"

#include "engine/choice.h"
#include "engine/failure.h"
#include "engine/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define STACK_BYTES         (96u * 1024u)
#define TLS_BYTES_MAX       4096u
#define POINTS_MAX          3000u
#define TICKS_MAX           200000u
#define PRIORITY_CHANGES    3u
#define PRIORITY_STEPS_MAX  80u
#define PRIORITY_YIELD_BASE (-1000)

typedef enum thread_state { ENDED, READY, YIELDED, WAITING, STOPPED } thread_state;

typedef struct thread {
    ucontext_t context;
    thread_state state;
    const void *waits_for;
    uint32_t lets_first; /* after a yield: a bit for each thread that has not gone on since */
    int64_t priority;
    model_body *body;
    char tls[TLS_BYTES_MAX];
} thread;

static struct {
    ucontext_t outside;
    thread threads[MODEL_THREADS_MAX];
    uint32_t count, current;
    bool is_inside, is_running, has_stopped;
    uint32_t only_stops; /* 0: any */
    uint32_t points, ticks;
    uint64_t steps, steps_max;
    uint32_t change_at[PRIORITY_CHANGES];
    model_body *at_end;
} scheduler;

static _Alignas(64) char stacks[MODEL_THREADS_MAX][STACK_BYTES];

/* The bounds of the section that rename.h puts thread-locals into; absent where there are none. */
extern char __start_model_tls[] __attribute__((weak));
extern char __stop_model_tls[] __attribute__((weak));
static char tls_initial[TLS_BYTES_MAX];
static bool has_tls_initial;

static size_t tls_bytes(void)
{
    size_t bytes = (size_t)(__stop_model_tls - __start_model_tls);
    return bytes < TLS_BYTES_MAX ? bytes : TLS_BYTES_MAX;
}

uint32_t model_self(void)
{
    return scheduler.current;
}

uint32_t model_thread_count(void)
{
    return scheduler.count;
}

bool model_is_running(void)
{
    return scheduler.is_running;
}

bool model_has_stopped(void)
{
    return scheduler.has_stopped;
}

bool model_scheduler_is_inside(void)
{
    return scheduler.is_inside;
}

bool model_is_stack(const void *address)
{
    return (const char *)address >= stacks[0] && (const char *)address < stacks[0] + sizeof stacks;
}

void model_stops_only(uint32_t number)
{
    scheduler.only_stops = number;
}

void model_at_thread_end(model_body *function)
{
    scheduler.at_end = function;
}

void model_scheduler_abandon(void)
{
    if (!scheduler.is_inside)
        return;
    scheduler.is_inside = false;
    setcontext(&scheduler.outside);
}

static void exchange_tls(uint32_t from, uint32_t to)
{
    if (tls_bytes() == 0)
        return;
    memcpy(scheduler.threads[from].tls, __start_model_tls, tls_bytes());
    memcpy(__start_model_tls, scheduler.threads[to].tls, tls_bytes());
}

static void switch_to(uint32_t next)
{
    uint32_t previous = scheduler.current;
    if (next == previous)
        return;
    model_trace_switch(next);
    exchange_tls(previous, next);
    scheduler.current = next;
    swapcontext(&scheduler.threads[previous].context, &scheduler.threads[next].context);
}

/* Collects those that could go on instead of the running one. */
static uint32_t others(thread_state state, uint32_t *list, uint32_t count)
{
    for (uint32_t i = 1; i <= scheduler.count; i++)
        if (i != scheduler.current && scheduler.threads[i].state == state)
            list[count++] = i;
    return count;
}

static uint32_t highest(const uint32_t *list, uint32_t count)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < count; i++)
        if (scheduler.threads[list[i]].priority > scheduler.threads[list[best]].priority)
            best = i;
    return best;
}

static uint32_t pick(const uint32_t *list, uint32_t count, bool is_free)
{
    if (model_choice_mode() == MODEL_PCT)
        return list[model_choose_given(count, highest(list, count))];
    return list[model_choose(MODEL_CHOICE_THREAD, count, is_free)];
}

static void end_run(void)
{
    bool someone_waits = false;
    for (uint32_t i = 1; i <= scheduler.count; i++)
        someone_waits |= scheduler.threads[i].state == WAITING;
    if (someone_waits)
        model_fail("deadlock: every thread that has not ended sleeps");
    scheduler.is_inside = false;
    setcontext(&scheduler.outside);
}

/* The running thread cannot go on; goes back to it if all others wait for it to make a step. */
static void leave(void)
{
    uint32_t list[MODEL_THREADS_MAX];
    uint32_t count = others(READY, list, 0);
    if (count == 0)
        count = others(YIELDED, list, 0);
    thread *self = &scheduler.threads[scheduler.current];
    if (count == 0 && self->state == YIELDED)
        return;
    if (count == 0)
        end_run();
    switch_to(pick(list, count, true));
}

static void count_point(void)
{
    if (++scheduler.points > POINTS_MAX)
        model_fail("no end after %u steps: the threads wait for something that never comes",
                   POINTS_MAX);
    thread *self = &scheduler.threads[scheduler.current];
    for (uint32_t i = 0; i < PRIORITY_CHANGES; i++)
        if (scheduler.points == scheduler.change_at[i])
            self->priority = -1 - (int64_t)i;
}

/* A thread has made a step, or cannot: those that yielded to it owe it nothing any more. A yield
 * lets every thread that could go on do so first, so that no two that wait keep a third out:
 * after M. Musuvathi and S. Qadeer, "Fair Stateless Model Checking" (PLDI 2008). */
static void note_step(uint32_t number)
{
    for (uint32_t i = 1; i <= scheduler.count; i++) {
        thread *other = &scheduler.threads[i];
        other->lets_first &= ~(1u << number);
        if (other->state == YIELDED && other->lets_first == 0)
            other->state = READY;
    }
}

static void maybe_stop(void)
{
    if (scheduler.only_stops != 0 && scheduler.only_stops != scheduler.current)
        return;
    if (model_choose(MODEL_CHOICE_STOP, 2, false) == 0)
        return;
    model_trace_note("stops for ever");
    scheduler.has_stopped = true;
    scheduler.threads[scheduler.current].state = STOPPED;
    note_step(scheduler.current);
    leave();
}

void model_point(void)
{
    if (!scheduler.is_running)
        return;
    count_point();
    maybe_stop();
    uint32_t list[MODEL_THREADS_MAX] = {scheduler.current};
    uint32_t count = others(READY, list, 1);
    switch_to(pick(list, count, false));
    note_step(scheduler.current);
}

void model_yield(void)
{
    model_tick();
    if (!scheduler.is_running)
        return;
    count_point();
    maybe_stop();
    thread *self = &scheduler.threads[scheduler.current];
    note_step(scheduler.current);
    self->state = YIELDED;
    for (uint32_t i = 1; i <= scheduler.count; i++)
        if (scheduler.threads[i].state == READY)
            self->lets_first |= 1u << i;
    self->priority = PRIORITY_YIELD_BASE - (int64_t)scheduler.points;
    leave();
    self->state = READY;
}

void model_wait(const void *address)
{
    if (!scheduler.is_running)
        model_fail("a wait outside of the modelled threads");
    thread *self = &scheduler.threads[scheduler.current];
    self->state = WAITING;
    self->waits_for = address;
    model_trace_note("sleeps");
    note_step(scheduler.current);
    leave();
}

void model_wake(const void *address, uint32_t count_max)
{
    for (uint32_t i = 1; i <= scheduler.count && count_max > 0; i++) {
        thread *sleeper = &scheduler.threads[i];
        if (sleeper->state != WAITING || sleeper->waits_for != address)
            continue;
        sleeper->state = READY;
        count_max--;
    }
}

void model_limit_steps(uint64_t steps_max)
{
    scheduler.steps = 0;
    scheduler.steps_max = steps_max;
}

static void count_step(void)
{
    if (++scheduler.steps != scheduler.steps_max)
        return;
    printf(" FAILS: no end after %llu steps in all\n", (unsigned long long)scheduler.steps_max);
    fflush(stdout);
    _Exit(1);
}

void model_tick(void)
{
    count_step();
    if (++scheduler.ticks > TICKS_MAX)
        model_fail("no end after %u accesses: a loop that never ends", TICKS_MAX);
}

static void thread_main(int number)
{
    thread *self = &scheduler.threads[number];
    self->body();
    if (scheduler.at_end)
        scheduler.at_end();
    self->state = ENDED;
    note_step(scheduler.current);
    leave();
}

static void check_main(int unused)
{
    (void)unused;
    scheduler.threads[0].body();
    scheduler.is_inside = false;
    setcontext(&scheduler.outside);
}

static void prepare(uint32_t number, model_body *body, void (*entry)(int))
{
    thread *self = &scheduler.threads[number];
    getcontext(&self->context);
    self->context.uc_stack.ss_sp = stacks[number];
    self->context.uc_stack.ss_size = STACK_BYTES;
    self->context.uc_link = NULL;
    makecontext(&self->context, (void (*)(void))entry, 1, (int)number);
    self->body = body;
    self->state = number == 0 ? ENDED : READY;
    self->lets_first = 0;
    self->priority = (int64_t)(model_choice_random() % 1000);
    memcpy(self->tls, tls_initial, tls_bytes());
}

/* Runs coroutine `number` until the run ends or fails. */
static void enter(uint32_t number)
{
    scheduler.current = number;
    scheduler.is_inside = true;
    if (tls_bytes() > 0)
        memcpy(__start_model_tls, scheduler.threads[number].tls, tls_bytes());
    swapcontext(&scheduler.outside, &scheduler.threads[number].context);
    scheduler.current = 0;
}

static void begin(uint32_t count)
{
    if (!has_tls_initial && tls_bytes() > 0)
        memcpy(tls_initial, __start_model_tls, tls_bytes());
    has_tls_initial = true;
    scheduler.count = count;
    scheduler.points = scheduler.ticks = 0;
    scheduler.has_stopped = false;
    for (uint32_t i = 0; i < PRIORITY_CHANGES; i++)
        scheduler.change_at[i] = (uint32_t)(model_choice_random() % PRIORITY_STEPS_MAX);
}

void model_scheduler_run(model_body *const *bodies, uint32_t count, model_body *check)
{
    begin(count);
    uint32_t list[MODEL_THREADS_MAX];
    for (uint32_t i = 1; i <= count; i++) {
        prepare(i, bodies[i - 1], thread_main);
        list[i - 1] = i;
    }
    uint32_t first = pick(list, count, true);
    model_trace_switch(first);
    scheduler.is_running = true;
    enter(first);
    scheduler.is_running = false;
    if (model_failure())
        return;
    prepare(0, check, check_main);
    enter(0);
}
