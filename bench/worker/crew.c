/* clock_gettime is POSIX. The barriers are those of pthreads: a thread that waits
 * sleeps, also with more threads than cores. */
#define _GNU_SOURCE

#include "worker/crew.h"

#include "base/thread.h"
#include "lists.h"
#include "worker/core.h"
#include "worker/pages.h"

#include <pthread.h>
#include <stdbool.h>
#include <time.h>

typedef struct member {
    _Alignas(128) tarn_thread thread;
    unsigned index;
    uint64_t start_ns, end_ns;
    uint64_t waits_since_ns, waited_ns;
} member;

/* Written by the conductor while the members wait at the barrier. */
static const crew_job *current_job;
static uint64_t current_operations; /* 0: go home */
static pthread_barrier_t gate;
static member members[BENCH_THREADS_MAX];

static uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void crew_wait_begins(unsigned thread)
{
    members[thread].waits_since_ns = now_ns();
}

void crew_wait_ends(unsigned thread)
{
    members[thread].waited_ns += now_ns() - members[thread].waits_since_ns;
}

static int member_main(void *argument)
{
    member *self = argument;
    core_keep_to(self->index);
    current_job->enter(self->index);
    for (;;) {
        pthread_barrier_wait(&gate);
        uint64_t operations = current_operations;
        if (operations == 0)
            break;
        self->waited_ns = 0;
        self->start_ns = now_ns();
        current_job->work(self->index, operations);
        self->end_ns = now_ns();
        pthread_barrier_wait(&gate);
    }
    current_job->leave(self->index);
    return 0;
}

static uint64_t stint_ns(unsigned threads, uint64_t operations)
{
    current_operations = operations;
    pthread_barrier_wait(&gate);
    pthread_barrier_wait(&gate);
    uint64_t first = UINT64_MAX, last = 0;
    for (unsigned i = 0; i < threads; i++) {
        first = members[i].start_ns < first ? members[i].start_ns : first;
        uint64_t end = members[i].end_ns - members[i].waited_ns;
        last = end > last ? end : last;
    }
    return last > first ? last - first : 1;
}

/* The shorter of two: a pause that others caused must not pass for a slow subject, or the timed
 * stint would be too short to mean anything. */
static uint64_t pace_ns(unsigned threads, uint64_t operations)
{
    uint64_t first_ns = stint_ns(threads, operations);
    uint64_t second_ns = stint_ns(threads, operations);
    return first_ns < second_ns ? first_ns : second_ns;
}

/* The next stint: what would take target_ns at the pace just seen, between twice and eight times
 * as much, since the first paces are those of a cold start. */
static uint64_t next_operations(uint64_t operations, uint64_t took_ns, uint64_t target_ns,
                                uint64_t step)
{
    double factor = (double)target_ns / (double)took_ns;
    factor = factor < 2 ? 2 : factor > 8 ? 8 : factor;
    return (uint64_t)((double)operations * factor) / step * step;
}

static double measure(const crew_job *job, unsigned threads, uint64_t target_ns)
{
    uint64_t operations = job->operations_step;
    uint64_t took_ns = pace_ns(threads, operations);
    while (took_ns < target_ns / 4) {
        operations = next_operations(operations, took_ns, target_ns / 4, job->operations_step);
        took_ns = pace_ns(threads, operations);
    }
    uint64_t last = (uint64_t)((double)operations * (double)target_ns / (double)took_ns);
    last -= last % job->operations_step;
    operations = last > 0 ? last : job->operations_step;
    return (double)stint_ns(threads, operations) / (double)operations;
}

double crew_measure(const crew_job *job, unsigned threads, unsigned stint_ms)
{
    current_job = job;
    if (pthread_barrier_init(&gate, NULL, threads + 1) != 0)
        bench_fail("no barrier for the threads");
    for (unsigned i = 0; i < threads; i++) {
        members[i].index = i;
        if (!tarn_thread_create(&members[i].thread, member_main, &members[i]))
            bench_fail("the system refused a thread");
    }
    double ns = measure(job, threads, (uint64_t)stint_ms * 1000000u);
    current_operations = 0;
    pthread_barrier_wait(&gate);
    for (unsigned i = 0; i < threads; i++)
        tarn_thread_join(members[i].thread);
    return ns;
}
