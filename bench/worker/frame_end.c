/* Frames of a number of objects, and what their end takes, or what a subject (SUBJECT_HEADER) does
 * at that place. It prints one number for the driver: the median, with the clock's own time.
 *
 *   WORKER run WORKLOAD 1 OBJECT_BYTES MILLISECONDS   nanoseconds
 *
 * The objects have FRAME_END_OBJECT_BYTES, so that OBJECT_BYTES goes unused. */
#define _GNU_SOURCE /* clock_gettime, alarm */

#include SUBJECT_HEADER
#include WORKLOADS_HEADER

#include "tarn/lane.h"
#include "worker/core.h"
#include "worker/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HANG_SECONDS 120u
#define FRAMES_MIN   9u
#define FRAMES_MAX   10000u
#define MEMORY_BYTES ((size_t)512 << 20)

static tarn_frame *frame, *other_frame;
static tarn_lane *lanes[BENCH_THREADS_MAX], *other_lane;
static uint32_t times_ns[FRAMES_MAX];

static uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void check(tarn_status status)
{
    if (status != TARN_OK)
        bench_fail(tarn_status_text(status));
}

static tarn_frame *open_frame(size_t lanes_max)
{
    tarn_frame *made;
    tarn_frame_options options = {
        .name = "bench",
        .lanes_max = (uint32_t)lanes_max,
        .memory_bytes_max = MEMORY_BYTES,
    };
    check(tarn_frame_create(&options, &made));
    return made;
}

static void open_lanes(const frame_end_kind *kind)
{
    frame = open_frame(kind->lanes);
    for (size_t i = 0; i < kind->lanes; i++)
        check(tarn_lane_attach(frame, "bench", &lanes[i]));
    other_frame = open_frame(1);
    check(tarn_lane_attach(other_frame, "other", &other_lane));
}

static void allocate(tarn_lane *lane, size_t objects)
{
    for (size_t i = 0; i < objects; i++)
        if (!tarn_frame_alloc(lane, FRAME_END_OBJECT_BYTES))
            bench_fail("a frame ran out of memory");
}

static void fill_lane(tarn_lane *lane, const frame_end_kind *kind)
{
    check(tarn_lane_enter(lane));
    allocate(lane, kind->lane_objects);
    allocate(other_lane, kind->lane_others);
    check(tarn_lane_leave(lane));
}

static uint32_t run_frame(const frame_end_kind *kind)
{
    check(tarn_lane_enter(other_lane));
    for (size_t i = 0; i < kind->lanes; i++)
        fill_lane(lanes[i], kind);
    check(tarn_lane_leave(other_lane));
    check(tarn_frame_end(other_frame, 0, NULL));
    uint64_t start_ns = now_ns();
    subject_timed(frame);
    uint64_t took_ns = now_ns() - start_ns;
    subject_rest(frame);
    return (uint32_t)took_ns;
}

static int compare(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* The first frame takes the memory from the system. */
static uint32_t median_ns(const frame_end_kind *kind, uint64_t milliseconds)
{
    run_frame(kind);
    uint64_t end_ns = now_ns() + milliseconds * 1000000u;
    size_t frames = 0;
    while (frames < FRAMES_MIN || (frames < FRAMES_MAX && now_ns() < end_ns))
        times_ns[frames++] = run_frame(kind);
    qsort(times_ns, frames, sizeof *times_ns, compare);
    return times_ns[frames / 2];
}

int main(int argc, char **argv)
{
    bench_workload workload;
    if (argc < 6 || strcmp(argv[1], "run") != 0 || !bench_workload_find(argv[2], &workload)) {
        fprintf(stderr, "%s: started by tarn-bench; see tarn-bench --help\n", argv[0]);
        return 2;
    }
    const frame_end_kind *kind = &frame_end_kinds[workload];
    uint64_t milliseconds = strtoull(argv[5], NULL, 10);
    if (kind->lanes == 0)
        bench_fail("the subject does not run that workload");
    alarm(HANG_SECONDS + (unsigned)(milliseconds / 100));
    core_keep_to(0);
    open_lanes(kind);
    printf("%u\n", median_ns(kind, milliseconds));
    return EXIT_SUCCESS;
}
