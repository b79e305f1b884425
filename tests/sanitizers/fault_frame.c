/* The faulty program's part that uses frame memory. */
#include "fault.h"

#include <stdlib.h>
#include <string.h>

static tarn_frame *frame;
static tarn_lane *lane;
static tarn_frame_pool *frame_pool;

static void start_frame(void)
{
    tarn_frame_options options = {.name = "matrix", .frames_in_flight = 2, .lanes_max = 2};
    tarn_frame_pool_options of_objects = {.object_bytes = OBJECT_BYTES};
    if (tarn_frame_create(&options, &frame) != TARN_OK ||
        tarn_lane_attach(frame, "matrix", &lane) != TARN_OK ||
        tarn_frame_pool_create(frame, &of_objects, &frame_pool) != TARN_OK ||
        tarn_lane_enter(lane) != TARN_OK)
        exit(2);
}

static void end_frames(int count)
{
    for (int i = 0; i < count; i++)
        if (tarn_lane_leave(lane) != TARN_OK || tarn_frame_end(frame, 0, NULL) != TARN_OK ||
            tarn_lane_enter(lane) != TARN_OK)
            exit(2);
}

static void finish_frame(void)
{
    tarn_lane_leave(lane);
    if (tarn_frame_destroy(frame) != TARN_OK)
        exit(2);
}

static char *written_scratch(size_t bytes)
{
    char *memory = tarn_frame_alloc(lane, bytes);
    if (!memory)
        exit(2);
    memset(memory, 1, bytes);
    return memory;
}

static char *written_frame_object(void)
{
    char *object = tarn_frame_pool_alloc(frame_pool, lane);
    if (!object)
        exit(2);
    memset(object, 1, OBJECT_BYTES);
    return object;
}

static bool read_object(void *context, void *object)
{
    (void)context;
    read_byte((const char *)object + OBJECT_BYTES - 1);
    return true;
}

/* What it wrote is read in the next frame too, and so is what it rewinds and defers. */
static void clean_frame(void)
{
    char *before[3] = {NULL, NULL, NULL};
    start_frame();
    for (uint64_t number = 1; number < 8; number++) {
        for (int i = 0; before[0] && i < 3; i++)
            read_byte(before[i]);
        tarn_mark mark = tarn_lane_mark(lane);
        for (size_t i = 0; i < CAPACITY; i++) {
            read_byte(written_scratch(i % 100 ? 1 + i % 77 : 100000 + i));
            read_byte(written_frame_object());
        }
        read_byte(tarn_frame_printf(lane, "%d of %s", 5, "seven"));
        tarn_lane_rewind(lane, mark);
        tarn_frame_defer_free(lane, pool, written_object());
        before[0] = written_scratch(13);
        before[1] = written_scratch(100000) + 99999;
        before[2] = written_frame_object() + OBJECT_BYTES - 1;
        end_frames(1);
        if (tarn_frame_pool_each(frame_pool, number, read_object, NULL) != CAPACITY + 1)
            exit(2);
    }
    finish_frame();
}

static void read_dropped_scratch(void)
{
    start_frame();
    char *memory = written_scratch(100);
    end_frames(2);
    read_byte(memory + 50);
    finish_frame();
}

static void read_dropped_span(void)
{
    start_frame();
    char *memory = written_scratch(200000);
    end_frames(2);
    read_byte(memory + 150000);
    finish_frame();
}

static void read_rewound_scratch(void)
{
    start_frame();
    tarn_mark mark = tarn_lane_mark(lane);
    char *memory = written_scratch(100);
    tarn_lane_rewind(lane, mark);
    read_byte(memory + 50);
    finish_frame();
}

static void read_dropped_frame_object(void)
{
    start_frame();
    char *object = written_frame_object();
    end_frames(2);
    read_byte(object + 8);
    finish_frame();
}

static void write_dropped_scratch(void)
{
    start_frame();
    char *memory = written_scratch(100);
    end_frames(2);
    memory[50] = 2;
    end_frames(4);
    written_scratch(100);
    finish_frame();
}

static void overrun_scratch(void)
{
    start_frame();
    char *memory = written_scratch(100);
    memory[100] = 2;
    end_frames(2);
    finish_frame();
}

static void overrun_span(void)
{
    start_frame();
    char *memory = written_scratch(200000);
    memory[200000] = 2;
    end_frames(2);
    finish_frame();
}

static void overrun_frame_object(void)
{
    start_frame();
    written_frame_object()[OBJECT_BYTES] = 2;
    finish_frame();
}

static void uninitialised_scratch(void)
{
    start_frame();
    written_scratch(100);
    end_frames(2);
    read_byte((const char *)tarn_frame_alloc(lane, 100) + 50);
    finish_frame();
}

static void read_deferred_object_after_its_frame(void)
{
    start_frame();
    char *object = written_object();
    tarn_frame_defer_free(lane, pool, object);
    end_frames(1);
    read_byte(object + 8); /* in the next frame it is still there */
    end_frames(1);
    read_byte(object + 8);
    finish_frame();
}

static void alloc_outside(void)
{
    start_frame();
    tarn_lane_leave(lane);
    (void)tarn_frame_alloc(lane, 1);
    finish_frame();
}

const fault frame_faults[] = {
    {"clean_frame", clean_frame, NULL},
    {"read_dropped_scratch", read_dropped_scratch, NULL},
    {"read_dropped_span", read_dropped_span, NULL},
    {"read_rewound_scratch", read_rewound_scratch, NULL},
    {"read_dropped_frame_object", read_dropped_frame_object, NULL},
    {"write_dropped_scratch", write_dropped_scratch, NULL},
    {"overrun_scratch", overrun_scratch, NULL},
    {"overrun_span", overrun_span, NULL},
    {"overrun_frame_object", overrun_frame_object, NULL},
    {"uninitialised_scratch", uninitialised_scratch, NULL},
    {"read_deferred_object_after_its_frame", read_deferred_object_after_its_frame, NULL},
    {"alloc_outside", alloc_outside, NULL},
};
const size_t frame_faults_count = sizeof frame_faults / sizeof frame_faults[0];
