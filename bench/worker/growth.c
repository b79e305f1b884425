/* A frame loop that fills a growing pool, and what each allocation and its first write takes; who
 * prepares the pool is the subject's (SUBJECT_HEADER). It prints one number for the driver.
 *
 *   WORKER run WORKLOAD 1 OBJECT_BYTES MILLISECONDS [trace FILE]   nanoseconds
 *
 * The work is always the same, so the milliseconds go unused. Into the trace's FILE goes, for each
 * frame, the time of its slowest allocation and of its median one. */
#define _GNU_SOURCE /* clock_gettime, nanosleep, alarm */

#include SUBJECT_HEADER
#include WORKLOADS_HEADER

#include "base/os.h"
#include "lists.h"
#include "worker/core.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HANG_SECONDS 120u
#define TOUCH_BYTES  4096u

static uint32_t *times_ns; /* of each allocation */
static tarn_memory system_memory;

static uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void growing_pause(void)
{
    struct timespec time = {0, 20000};
    nanosleep(&time, NULL);
}

/* A host whose memory is there once it is committed: consoles, and whoever locks pages. */
static bool commit_and_touch(void *context, void *address, size_t bytes)
{
    if (!system_memory.commit(context, address, bytes))
        return false;
    for (size_t i = 0; i < bytes; i += TOUCH_BYTES)
        ((volatile char *)address)[i] = 0;
    return true;
}

static bool is_prefault(bench_workload workload)
{
    return workload == BENCH_WORKLOAD_growth_prefault_worst ||
           workload == BENCH_WORKLOAD_growth_prefault_median;
}

static tarn_pool *create(bench_workload workload, size_t object_bytes)
{
    system_memory = tarn_os_memory();
    tarn_memory prefault = system_memory;
    prefault.commit = commit_and_touch;
    tarn_pool_options options = {
        .name = "bench",
        .object_bytes = object_bytes,
        .capacity = GROWING_START_OBJECTS,
        .capacity_max = GROWING_OBJECTS,
        .memory = is_prefault(workload) ? &prefault : NULL,
    };
    tarn_pool *pool = NULL;
    tarn_status status = tarn_pool_create(&options, &pool);
    if (status != TARN_OK)
        bench_fail(tarn_status_text(status));
    return pool;
}

static void allocate(tarn_cache *cache, uint32_t *time_ns)
{
    uint64_t start_ns = now_ns();
    uint64_t *object = tarn_alloc(cache);
    if (!object)
        bench_fail("the pool ran out of objects");
    *(volatile uint64_t *)object = start_ns;
    *time_ns = (uint32_t)(now_ns() - start_ns);
}

/* The rest of a frame's time passes on the processor: a sleep would measure the scheduler. */
static void run_frame(tarn_pool *pool, tarn_cache *cache, uint32_t frame)
{
    uint64_t end_ns = now_ns() + GROWING_FRAME_NS;
    for (uint32_t i = 0; i < GROWING_FRAME_OBJECTS; i++)
        allocate(cache, &times_ns[frame * GROWING_FRAME_OBJECTS + i]);
    subject_end_frame(pool);
    while (now_ns() < end_ns)
        continue;
}

static void run_frames(bench_workload workload, size_t object_bytes)
{
    tarn_pool *pool = create(workload, object_bytes);
    tarn_cache *cache = NULL;
    if (tarn_cache_attach(pool, &cache) != TARN_OK)
        bench_fail("the pool refused a cache");
    subject_begin(pool);
    core_keep_to(0); /* after a thread was created, which would inherit the one core */
    for (uint32_t frame = 0; frame < BENCH_GROWTH_FRAMES; frame++)
        run_frame(pool, cache, frame);
    subject_end();
}

static int compare(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static void sort(uint32_t *times, size_t count)
{
    qsort(times, count, sizeof *times, compare);
}

/* Sorts each frame's times. */
static void write_trace(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        bench_fail("the trace cannot be written");
    for (uint32_t frame = 0; frame < BENCH_GROWTH_FRAMES; frame++) {
        uint32_t *times = times_ns + frame * GROWING_FRAME_OBJECTS;
        sort(times, GROWING_FRAME_OBJECTS);
        fprintf(file, "%u %u %u\n", frame + 1, times[GROWING_FRAME_OBJECTS - 1],
                times[GROWING_FRAME_OBJECTS / 2]);
    }
    if (fclose(file) != 0)
        bench_fail("the trace cannot be written");
}

static void print_number(bench_workload workload)
{
    sort(times_ns, GROWING_OBJECTS);
    bool is_worst =
        workload == BENCH_WORKLOAD_growth_worst || workload == BENCH_WORKLOAD_growth_prefault_worst;
    printf("%u\n", times_ns[is_worst ? GROWING_OBJECTS - 1 : GROWING_OBJECTS / 2]);
}

int main(int argc, char **argv)
{
    bench_workload workload;
    if (argc < 6 || strcmp(argv[1], "run") != 0 || !bench_workload_find(argv[2], &workload)) {
        fprintf(stderr, "%s: started by tarn-bench; see tarn-bench --help\n", argv[0]);
        return 2;
    }
    alarm(HANG_SECONDS);
    times_ns = bench_pages(GROWING_OBJECTS * sizeof *times_ns);
    memset(times_ns, 1, GROWING_OBJECTS * sizeof *times_ns); /* touched before they are needed */
    run_frames(workload, strtoul(argv[4], NULL, 10));
    if (argc > 7 && strcmp(argv[6], "trace") == 0)
        write_trace(argv[7]);
    print_number(workload);
    return EXIT_SUCCESS;
}
