#define _POSIX_C_SOURCE 200809L /* clock_gettime, nanosleep */
#include "worker_wait.h"

#include <time.h>

#define TRIES_SPINNING 32u
#define TRIES_YIELDING 256u

uint64_t thread_time_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The first tries cost less than the clock would, and count as work. */
typedef struct patience {
    uint32_t tries;
    uint64_t since_ns;
} patience;

static void lose_time(patience *waiting)
{
    uint32_t tries = waiting->tries++;
    if (tries < TRIES_SPINNING)
        return;
    if (tries == TRIES_SPINNING)
        waiting->since_ns = thread_time_ns();
    if (tries < TRIES_YIELDING)
        tarn_thread_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

static void end_waiting(worker *me, const patience *waiting)
{
    if (waiting->tries > TRIES_SPINNING)
        me->waited_ns += thread_time_ns() - waiting->since_ns;
}

/* Relaxed: the ranks only pace the threads; what one hands to another goes through steps. */
static uint32_t slowest(const replay *run)
{
    uint32_t lowest = WORKER_DONE;
    for (uint32_t i = 0; i < run->what->threads_count; i++) {
        uint32_t rank = atomic_load_explicit(&run->workers[i].next_rank, memory_order_relaxed);
        lowest = rank < lowest ? rank : lowest;
    }
    return lowest;
}

static bool is_stopped(const worker *me)
{
    return atomic_load_explicit(me->stop, memory_order_relaxed);
}

/* Publishing the exact rank first keeps two waiting threads from waiting for each other. */
uint64_t wait_for_window(worker *me, uint32_t rank)
{
    patience waiting = {0};
    atomic_store_explicit(&me->next_rank, rank, memory_order_relaxed);
    uint64_t limit = (uint64_t)slowest(me->run) + me->run->window;
    while (rank >= limit && !is_stopped(me)) {
        lose_time(&waiting);
        limit = (uint64_t)slowest(me->run) + me->run->window;
    }
    end_waiting(me, &waiting);
    return rank < limit ? limit : 0;
}

bool wait_for_step(worker *me, const plan_operation *operation)
{
    patience waiting = {0};
    const replay_block *block = &me->run->blocks[operation->block];
    if (atomic_load_explicit(&block->step, memory_order_acquire) == operation->step)
        return true;
    atomic_store_explicit(&me->next_rank, operation->rank, memory_order_relaxed);
    while (atomic_load_explicit(&block->step, memory_order_acquire) != operation->step) {
        if (is_stopped(me))
            return false;
        lose_time(&waiting);
    }
    end_waiting(me, &waiting);
    return true;
}
