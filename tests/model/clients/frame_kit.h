/* What clients of frames share: a small frame in the modelled memory, a lane for each thread, and
 * calls that check what every user may rely on. */
#ifndef TARN_MODEL_FRAME_KIT_H
#define TARN_MODEL_FRAME_KIT_H

#include "engine/knowledge.h"
#include "tarn/tarn.h"

#include <stdbool.h>
#include <stdint.h>

#define FRAME_KIT_FINALIZED_MAX 16u

/* In frame memory: who wrote it, and when. Plain. */
typedef struct frame_stamp {
    uint64_t thread, frame;
} frame_stamp;

typedef struct frame_world {
    tarn_frame *frame;
    tarn_lane *lanes[MODEL_THREADS_MAX];          /* by thread; NULL: none */
    uint32_t in_flight;                           /* frames */
    const frame_stamp *stamps[MODEL_THREADS_MAX]; /* written while setting up, by thread */
    uint64_t first;                               /* the open frame when runs begin */
    uint32_t ended[MODEL_THREADS_MAX];            /* by thread: how many frames it ended */
    /* Read by who is inside, written by finalizers, which run while nobody is. */
    uint64_t inside_only;
    uint32_t finalized[FRAME_KIT_FINALIZED_MAX]; /* in the order of their runs */
    uint32_t finalized_count;
    uint32_t registered[MODEL_THREADS_MAX]; /* by thread */
} frame_world;

extern frame_world frame_kit;

/* A frame with blocks of 4096 bytes that are all there, and a lane for each of threads 1..lanes;
 * options' other fields as they are. */
void frame_kit_make(tarn_frame_options options, uint32_t lanes);

/* The same, and every lane has written a stamp to the open frame, so that it needs no new block. */
void frame_kit_make_used(tarn_frame_options options, uint32_t lanes);

/* The present state is what each run begins with. */
void frame_kit_ready(void);

/* Of the running thread's lane, or another's while setting up. */
tarn_lane *frame_kit_lane(void);
void frame_kit_use_lane_of(uint32_t thread);

/* False when the frame is being ended, or closed. What follows needs true. */
bool frame_kit_enter(void);
void frame_kit_leave(void);

/* A stamp in the open frame's memory, and the look at it. */
frame_stamp *frame_kit_write(void);
void frame_kit_expect(const frame_stamp *stamp, uint32_t thread, uint64_t frame);

/* Registers a finalizer with a number of its own, which it notes in `finalized`. */
void frame_kit_finalize(void);

/* Ends the open frame without waiting. What it answers is checked as far as one thread can. */
tarn_status frame_kit_end(void);

/* Whole threads: in and out; the same, writing two stamps; ending a frame, or two. */
void frame_kit_pass(void);
void frame_kit_write_once(void);
void frame_kit_end_once(void);
void frame_kit_end_twice(void);

/* Ends frames until nothing is in flight, by a thread that is alone, and counts: frames ended,
 * finalizers, blocks, batches. Nothing after a run in which a thread stopped. */
void frame_kit_check(void);

#endif
