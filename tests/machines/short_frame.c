#include "short.h"

#include "base/thread.h"
#include "tarn/frame.h"
#include "tarn/frame_pool.h"
#include "tarn/guest.h"
#include "tarn/lane.h"

#include <stdint.h>
#include <string.h>

#define FRAMES     40u
#define PIECES     200u
#define OBJECTS    300u
#define LARGE      200000u
#define SECOND_NS  1000000000u
#define IN_FLIGHT  2u
#define ALIGNMENTS 12u

typedef struct thing {
    double weight;
    uint32_t number;
} thing;

TARN_FRAME_POOL_DEFINE(things, thing);

static unsigned finalized;

static void finalize(void *object)
{
    CHECK(strcmp(object, "frame 1") == 0);
    finalized++;
}

static bool add(void *sum, thing *t)
{
    *(uint64_t *)sum += t->number;
    return true;
}

static void fill_lane(tarn_lane *lane, tarn_frame_pool *pool, uint64_t number)
{
    char *text = tarn_frame_printf(lane, "frame %u", (unsigned)number);
    CHECK(text && text[0] == 'f');
    if (number == 1)
        CHECK(tarn_frame_finalize(lane, finalize, text) == TARN_OK);
    for (uint32_t i = 0; i < PIECES; i++) {
        size_t alignment = (size_t)16 << i % ALIGNMENTS;
        char *piece = tarn_frame_alloc_aligned(lane, 1 + i * 7, alignment);
        CHECK(piece && (uintptr_t)piece % alignment == 0);
        memset(piece, (int)i, 1 + i * 7);
    }
    tarn_mark mark = tarn_lane_mark(lane);
    char *large = tarn_frame_alloc(lane, LARGE);
    CHECK(large != NULL);
    memset(large, 1, LARGE);
    CHECK(tarn_lane_rewind(lane, mark) == TARN_OK);
    for (uint32_t i = 0; i < OBJECTS; i++) {
        thing *t = things_alloc(pool, lane);
        CHECK(t != NULL);
        *t = (thing){0.5, i};
    }
}

static void defer(tarn_lane *lane, tarn_pool *objects)
{
    void *object = tarn_guest_alloc(objects);
    CHECK(object != NULL);
    CHECK(tarn_frame_defer_free(lane, objects, object) == TARN_OK);
}

static void one_thread(tarn_frame *frame, tarn_frame_pool *pool, tarn_pool *objects)
{
    tarn_lane *lane = NULL;
    tarn_late late;
    CHECK(tarn_lane_attach(frame, "short", &lane) == TARN_OK);
    for (uint64_t number = 1; number <= FRAMES; number++) {
        CHECK(tarn_lane_enter(lane) == TARN_OK);
        fill_lane(lane, pool, number);
        defer(lane, objects);
        CHECK(tarn_frame_end(frame, 0, &late) == TARN_ERROR_LATE);
        CHECK(strcmp(late.label, "short") == 0);
        CHECK(tarn_lane_leave(lane) == TARN_OK);
        CHECK(tarn_frame_alloc(lane, 1) == NULL);
        CHECK(tarn_frame_end(frame, SECOND_NS, &late) == TARN_OK);
        uint64_t sum = 0;
        CHECK(things_each(pool, number, add, &sum) == OBJECTS);
        CHECK(sum == (uint64_t)OBJECTS * (OBJECTS - 1) / 2);
    }
    CHECK(finalized == 1);
    CHECK(tarn_lane_detach(lane) == TARN_OK);
}

static int enter_often(void *argument)
{
    tarn_frame *frame = argument;
    tarn_lane *lane = tarn_guest_lane(frame);
    for (uint32_t i = 0; lane && i < FRAMES; i++) {
        if (tarn_lane_enter(lane) != TARN_OK)
            continue;
        uint32_t *words = tarn_frame_array(lane, uint32_t, PIECES);
        CHECK(words != NULL);
        for (uint32_t w = 0; w < PIECES; w++)
            words[w] = i + w;
        for (uint32_t w = 0; w < PIECES; w++)
            CHECK(words[w] == i + w);
        tarn_lane_leave(lane);
    }
    return lane ? 0 : 1;
}

static void two_threads(tarn_frame *frame)
{
    tarn_thread thread;
    CHECK(tarn_thread_create(&thread, enter_often, frame));
    for (uint32_t i = 0; i < FRAMES; i++)
        CHECK(tarn_frame_end(frame, SECOND_NS, NULL) == TARN_OK);
    CHECK(tarn_thread_join(thread) == 0);
}

/* Of the allocation outside, where the library is built to check. */
static void ignore(void *context, const tarn_report *report)
{
    (void)context;
    CHECK(report->misuse == TARN_MISUSE_OUTSIDE);
}

void short_frame(void)
{
    tarn_frame_options options = {.frames_in_flight = IN_FLIGHT, .lanes_max = 4, .report = ignore};
    tarn_pool_options object_options = {.object_bytes = 24, .capacity = 8, .exact = true};
    tarn_frame *frame = NULL;
    tarn_frame_pool *pool = NULL;
    tarn_pool *objects = NULL;
    CHECK(tarn_frame_create(&options, &frame) == TARN_OK);
    CHECK(things_create(frame, (tarn_frame_pool_options){0}, &pool) == TARN_OK);
    CHECK(tarn_pool_create(&object_options, &objects) == TARN_OK);
    one_thread(frame, pool, objects);
    two_threads(frame);
    CHECK(tarn_frame_trim(frame, NULL) == TARN_OK);
    CHECK(tarn_frame_destroy(frame) == TARN_OK);
    CHECK(tarn_pool_destroy(objects) == TARN_OK);
}
