/* Prints the resident bytes after 10,000 frames of alternating load over the warm-up's. */
#include "tarn/frame_pool.h"
#include "tarn/lane.h"
#include "worker/pages.h"
#include "worker/resident.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LANES         2u
#define WARM_UP       100u
#define FRAMES        10000u
#define OBJECTS_MOST  10000u
#define OBJECTS_LEAST 1000u
#define OBJECT_BYTES  64u
#define LARGE_BYTES   200000u /* more than a block holds */

static tarn_frame *frame;
static tarn_frame_pool *pool;
static tarn_lane *lanes[LANES];

static void check(tarn_status status)
{
    if (status != TARN_OK)
        bench_fail(tarn_status_text(status));
}

static void create(void)
{
    tarn_frame_options options = {.name = "bench", .frames_in_flight = 2, .lanes_max = LANES};
    tarn_frame_pool_options objects = {.name = "bench", .object_bytes = OBJECT_BYTES};
    check(tarn_frame_create(&options, &frame));
    check(tarn_frame_pool_create(frame, &objects, &pool));
    for (unsigned i = 0; i < LANES; i++)
        check(tarn_lane_attach(frame, "bench", &lanes[i]));
}

static void fill(void *memory, size_t bytes)
{
    if (!memory)
        bench_fail("the frame ran out of memory");
    memset(memory, 1, bytes);
}

static void fill_lane(tarn_lane *lane, unsigned objects)
{
    check(tarn_lane_enter(lane));
    for (unsigned i = 0; i < objects; i++) {
        fill(tarn_frame_alloc(lane, OBJECT_BYTES), OBJECT_BYTES);
        fill(tarn_frame_pool_alloc(pool, lane), OBJECT_BYTES);
    }
    fill(tarn_frame_alloc(lane, LARGE_BYTES), LARGE_BYTES);
    check(tarn_lane_leave(lane));
}

/* What one lane has much of in this frame, it has little of in the next. */
static void run_frames(unsigned frames)
{
    for (unsigned n = 0; n < frames; n++) {
        for (unsigned i = 0; i < LANES; i++)
            fill_lane(lanes[i], (n + i) % 2 == 0 ? OBJECTS_MOST : OBJECTS_LEAST);
        check(tarn_frame_end(frame, 0, NULL));
    }
}

int main(int argc, char **argv)
{
    if (argc != 1) {
        fprintf(stderr, "%s: started by tarn-bench; see tarn-bench --help\n", argv[0]);
        return 2;
    }
    create();
    run_frames(WARM_UP);
    resident_bytes();
    uint64_t before = resident_bytes();
    run_frames(FRAMES);
    printf("%.4f\n", (double)resident_bytes() / (double)before);
    return tarn_frame_destroy(frame) == TARN_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
