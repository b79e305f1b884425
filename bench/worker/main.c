/* A worker: one subject, built for it alone (SUBJECT_HEADER), with the workloads that it can run
 * (WORKLOADS_HEADER). It prints one number for the driver.
 *
 *   WORKER run WORKLOAD THREADS OBJECT_BYTES MILLISECONDS [read]   nanoseconds per operation
 *   WORKER memory OBJECTS OBJECT_BYTES   resident bytes beyond the empty process */
#define _GNU_SOURCE /* alarm */

#include SUBJECT_HEADER
#include WORKLOADS_HEADER

#include "worker/crew.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A run that takes this much longer than asked for hangs: the alarm ends the process. */
#define HANG_SECONDS 120u

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
    if (!running->work)
        bench_fail("the subject does not run that workload");
    subject_needs needs = {threads, object_bytes, running->live_per_thread_max};
    if (!subject_open(&needs))
        bench_fail("the subject could not be set up");
    workloads_open(threads, reads);
    alarm(HANG_SECONDS + stint_ms / 100);
    crew_job job = {enter, running->work, leave, running->operations_step};
    printf("%.4f\n", crew_measure(&job, threads, stint_ms));
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
    if (argc == 4 && strcmp(argv[1], "memory") == 0) {
        printf("%llu\n", (unsigned long long)workloads_memory(strtoul(argv[2], NULL, 10),
                                                              strtoul(argv[3], NULL, 10)));
        return EXIT_SUCCESS;
    }
    fprintf(stderr, "%s: started by tarn-bench; see tarn-bench --help\n", argv[0]);
    return 2;
}
