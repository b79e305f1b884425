/* Where objects come from: one struct per allocator, backend_tarn.c and backend_malloc.c.
 *
 * Each of these files defines inline functions for objects,
 *     static inline void *world_alloc(tarn_worker *w, kind which);
 *     static inline void world_free(tarn_worker *w, kind which, void *object);
 * with frame_tarn.h or frame_malloc.h those for what goes with its frame (transient.h),
 *     static inline bool world_enter(tarn_worker *w);     to allocate and read
 *     static inline void world_leave(tarn_worker *w);
 *     static inline contact *world_contacts(tarn_worker *w, sector *s, uint32_t count);
 *     static char *world_text(tarn_worker *w, sector *s, const char *format, ...);
 *     static inline draw *world_new_draw(tarn_worker *w, sector *s);
 *     static void world_each_draw(shelf *read, draws_visit_fn *visit);
 *     static inline void world_drop(shelf *dropped);     what was drawn in the frame before
 *     static inline bool world_retire(tarn_worker *w, sector *s, bullet *b);     freed when drawn
 * and then includes simulate.h. So the simulation is compiled twice, and each copy calls its
 * allocator as directly as a program written for that allocator would: tarn's inline functions are
 * inlined, malloc is called with a constant size. A pointer to an alloc function would cost more
 * than tarn_alloc itself and hide the difference that we want to see. Only what runs once per
 * job goes through the pointers below. */
#ifndef ENGINE_BACKEND_H
#define ENGINE_BACKEND_H

#include "tarn/tarn.h"
#include "world.h"

/* What only tarn can tell; zero for malloc. */
typedef struct pool_sample {
    tarn_pool_statistics statistics;
    size_t committed_bytes;
} pool_sample;

/* Of frame memory, between two frames. */
typedef struct frame_sample {
    uint64_t draws_waiting;   /* written in the frame before */
    uint64_t retired_waiting; /* dead bullets that are not freed yet */
    /* What only tarn can tell; zero for malloc. */
    size_t lane_bytes_peak; /* contacts and texts of one worker in one frame */
    size_t held_bytes;
    uint64_t overflows;
} frame_sample;

/* Of a sector in a frame. */
typedef enum step {
    STEP_SIMULATE,
    STEP_COLLIDE,
    STEP_THINK,
    STEP_ANIMATE,
    STEP_BUILD,
    STEP_COUNT
} step;

typedef void step_fn(tarn_worker *w, sector *s);

typedef struct backend {
    const char *name;
    bool has_pools; /* sample says something */
    /* Prepares the world's allocator. Threads: before the scheduler starts. */
    tarn_status (*open)(world *opened);
    /* What the jobs of a frame do. Threads: the worker's; graph.c says what may overlap. */
    step_fn *steps[STEP_COUNT];
    void (*draw)(tarn_worker *w, shelf *drawn);
    /* Threads: one, between two frames. */
    tarn_status (*end_frame)(world *ended);
    /* Frees everything in the sector. */
    step_fn *tear_down;
    /* Fills samples[KIND_COUNT]. Threads: one, between two frames, for exact figures. */
    void (*sample)(const world *sampled, pool_sample *samples);
    void (*sample_frame)(const world *sampled, frame_sample *sample);
    /* TARN_ERROR_LIVE_OBJECTS: something leaked. Threads: after the scheduler ended. */
    tarn_status (*close)(world *closed);
} backend;

extern const backend backend_tarn, backend_malloc;

#endif
