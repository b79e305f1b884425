/* A worker: one subject, built for it alone (SUBJECT_HEADER). It prints one number for the driver.
 *
 *   WORKER run WORKLOAD THREADS OBJECT_BYTES MILLISECONDS [read]   nanoseconds per operation
 *   WORKER memory OBJECTS OBJECT_BYTES   resident bytes beyond the empty process */
#define _GNU_SOURCE /* alarm */

#include SUBJECT_HEADER

#include "worker/crew.h"
#include "worker/resident.h"
#include "worker/take.h"
#include "workloads/burst.h"
#include "workloads/handoff.h"
#include "workloads/mixed.h"
#include "workloads/pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A run that takes this much longer than asked for hangs: the alarm ends the process. */
#define HANG_SECONDS 120u

typedef struct template
{
    void (*prepare)(unsigned thread); /* with the thread's handle in place */
    void (*work)(unsigned thread, uint64_t operations);
    uint64_t operations_step;
    size_t live_per_thread_max;
}
template;

static const template templates[BENCH_WORKLOADS] = {
    [BENCH_WORKLOAD_pair] = {pair_prepare, pair_work, 1000, PAIR_LIVE_MAX},
    [BENCH_WORKLOAD_burst1000_lifo] = {burst_prepare_1000, burst_work_1000_lifo, 1000, 1000},
    [BENCH_WORKLOAD_burst1000_fifo] = {burst_prepare_1000, burst_work_1000_fifo, 1000, 1000},
    [BENCH_WORKLOAD_burst1000_random] = {burst_prepare_1000, burst_work_1000_random, 1000, 1000},
    [BENCH_WORKLOAD_burst100000_lifo] = {burst_prepare_100000, burst_work_100000_lifo, 100000,
                                         100000},
    [BENCH_WORKLOAD_burst100000_fifo] = {burst_prepare_100000, burst_work_100000_fifo, 100000,
                                         100000},
    [BENCH_WORKLOAD_burst100000_random] = {burst_prepare_100000, burst_work_100000_random, 100000,
                                           100000},
    [BENCH_WORKLOAD_handoff_oneway] = {handoff_prepare, handoff_work_oneway, RING_BATCH_OBJECTS,
                                       HANDOFF_LIVE_MAX},
    [BENCH_WORKLOAD_handoff_bothways] = {handoff_prepare, handoff_work_bothways, RING_BATCH_OBJECTS,
                                         HANDOFF_LIVE_MAX},
    [BENCH_WORKLOAD_mixed] = {mixed_prepare, mixed_work, MIXED_OPERATIONS_STEP, MIXED_LIVE_MAX},
};

static const template *running;

static void enter(unsigned thread)
{
    if (!subject_enter(thread, &handles[thread]))
        bench_fail("the subject refused a thread");
    running->prepare(thread);
}

static void leave(unsigned thread)
{
    subject_leave(handles[thread]);
}

static int run(bench_workload workload, unsigned threads, size_t object_bytes, unsigned stint_ms,
               bool reads)
{
    running = &templates[workload];
    subject_needs needs = {threads, object_bytes, running->live_per_thread_max};
    if (!subject_open(&needs))
        bench_fail("the subject could not be set up");
    handoff_open(threads, reads);
    mixed_open(threads);
    alarm(HANG_SECONDS + stint_ms / 100);
    crew_job job = {enter, running->work, leave, running->operations_step};
    printf("%.4f\n", crew_measure(&job, threads, stint_ms));
    return EXIT_SUCCESS;
}

/* The pointers' array is touched first: it is the program's, not the allocator's. */
static int memory(size_t objects_count, size_t object_bytes)
{
    void **objects = bench_pages(objects_count * sizeof *objects);
    memset(objects, 1, objects_count * sizeof *objects);
    uint64_t before = resident_bytes();
    subject_needs needs = {1, object_bytes, objects_count};
    subject_handle subject;
    if (!subject_open(&needs) || !subject_enter(0, &subject))
        bench_fail("the subject could not be set up");
    for (size_t i = 0; i < objects_count; i++)
        objects[i] = bench_take(subject, i);
    printf("%llu\n", (unsigned long long)(resident_bytes() - before));
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    bench_workload workload;
    if (argc >= 6 && strcmp(argv[1], "run") == 0 && bench_workload_find(argv[2], &workload)) {
        unsigned threads = (unsigned)strtoul(argv[3], NULL, 10);
        if (threads >= 1 && threads <= BENCH_THREADS_MAX)
            return run(workload, threads, strtoul(argv[4], NULL, 10),
                       (unsigned)strtoul(argv[5], NULL, 10), argc > 6);
    }
    if (argc == 4 && strcmp(argv[1], "memory") == 0)
        return memory(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
    fprintf(stderr, "%s: started by tarn-bench; see tarn-bench --help\n", argv[0]);
    return 2;
}
