/* Times one job scheduler: see jobs.h. It prints one number for the driver.
 *
 *   WORKER run WORKLOAD THREADS OBJECT_BYTES MILLISECONDS   nanoseconds per operation, of wall time
 *
 * Rounds of always the same size are repeated until the milliseconds are over, after one that does
 * not count. Each round's result is checked. The objects' size is of no meaning. */
#define _GNU_SOURCE /* clock_gettime, alarm */

#include "worker/jobs.h"

#include "lists.h"
#include "worker/pages.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HANG_SECONDS  120u
#define FIB_N         25u
#define FIB_RESULT    75025u
#define FIB_JOBS      121392u
#define EMPTY_JOBS    10000u
#define DISPATCHES    1000u
#define QUEENS_RESULT 724u
#define QUEENS_JOBS   34815u
#define TREE_ROOT     19u
#define FOR_ELEMENTS  1000000u

static struct {
    bench_workload workload;
    unsigned threads, stint_ms;
    _Atomic unsigned chunks;
    double *elements;
    uint64_t tree_nodes;
} run;

static uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void expect(uint64_t result, uint64_t expected)
{
    if (result != expected)
        bench_fail("a wrong result");
}

static void count_chunk(unsigned number)
{
    atomic_fetch_add_explicit(&run.chunks, number, memory_order_relaxed);
}

static void work_on(size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        run.elements[i] = run.elements[i] * 0.5 + 1.0;
}

static void dispatch_many(void)
{
    atomic_store_explicit(&run.chunks, 0, memory_order_relaxed);
    for (unsigned i = 0; i < DISPATCHES; i++)
        subject_dispatch(count_chunk);
    expect(run.chunks, DISPATCHES * (JOBS_CHUNKS * (JOBS_CHUNKS - 1) / 2));
}

static uint64_t count_nodes(uint64_t node, unsigned depth)
{
    uint64_t nodes = 1;
    unsigned count = jobs_children(node, depth);
    for (unsigned i = 0; i < count; i++)
        nodes += count_nodes(jobs_child(node, i), depth + 1);
    return nodes;
}

/* Returns how many operations it was. */
static uint64_t run_round(void)
{
    static const jobs_board empty;
    switch (run.workload) {
    case BENCH_WORKLOAD_jobs_fib:
        expect(subject_fib(FIB_N), FIB_RESULT);
        return FIB_JOBS;
    case BENCH_WORKLOAD_jobs_empty:
        subject_empty(EMPTY_JOBS);
        return EMPTY_JOBS;
    case BENCH_WORKLOAD_jobs_dispatch:
        dispatch_many();
        return DISPATCHES;
    case BENCH_WORKLOAD_jobs_queens:
        expect(subject_queens(empty, 0), QUEENS_RESULT);
        return QUEENS_JOBS;
    case BENCH_WORKLOAD_jobs_tree:
        expect(subject_tree(TREE_ROOT, 0), run.tree_nodes);
        return run.tree_nodes;
    default:
        subject_for(FOR_ELEMENTS, work_on);
        return FOR_ELEMENTS;
    }
}

static void prepare(void)
{
    run.tree_nodes = count_nodes(TREE_ROOT, 0);
    run.elements = bench_pages(FOR_ELEMENTS * sizeof *run.elements);
    for (size_t i = 0; i < FOR_ELEMENTS; i++)
        run.elements[i] = (double)i;
}

static void measure(void)
{
    uint64_t operations = 0, end_ns, start_ns;
    run_round();
    start_ns = now_ns();
    do {
        operations += run_round();
        end_ns = now_ns();
    } while (end_ns - start_ns < (uint64_t)run.stint_ms * 1000000u);
    printf("%.4f\n", (double)(end_ns - start_ns) / (double)operations);
}

int main(int argc, char **argv)
{
    if (argc < 6 || strcmp(argv[1], "run") != 0 || !bench_workload_find(argv[2], &run.workload)) {
        fprintf(stderr, "%s: started by tarn-bench; see tarn-bench --help\n", argv[0]);
        return 2;
    }
    run.threads = (unsigned)strtoul(argv[3], NULL, 10);
    run.stint_ms = (unsigned)strtoul(argv[5], NULL, 10);
    alarm(HANG_SECONDS);
    prepare();
    subject_enter(run.threads, measure);
    return EXIT_SUCCESS;
}
