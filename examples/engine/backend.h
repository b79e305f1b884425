/* Where objects come from: one struct per allocator, backend_tarn.c and backend_malloc.c.
 *
 * Each of these files defines inline functions for objects,
 *     static inline void *world_alloc(worker *w, kind which);
 *     static inline void world_free(worker *w, kind which, void *object);
 * with frame_tarn.h or frame_malloc.h those for what goes with its frame (transient.h),
 *     static inline bool world_enter(worker *w);     a worker's part of a frame begins
 *     static inline void world_leave(worker *w);
 *     static inline contact *world_contacts(worker *w, uint32_t count);
 *     static char *world_text(worker *w, const char *format, ...);
 *     static inline draw *world_new_draw(worker *w);
 *     static void world_each_draw(worker *w, uint32_t part, draws_visit_fn *visit);
 *     static inline bool world_retire(worker *w, bullet *b);     frees it when it is drawn
 * and then includes simulate.h. So the simulation is compiled twice, and each copy calls its
 * allocator as directly as a program written for that allocator would: tarn's inline functions are
 * inlined, malloc is called with a constant size. A pointer to an alloc function would cost more
 * than tarn_alloc itself and hide the difference that we want to see. Only what runs once per
 * phase goes through the pointers below. */
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

typedef struct backend {
    const char *name;
    bool has_pools; /* sample says something */
    /* Prepares the world's allocator. Threads: before the workers start. */
    tarn_status (*open)(world *opened);
    /* The phases of a frame. Threads: each worker, for itself. */
    void (*step)(worker *w, uint32_t power);
    void (*receive)(worker *w);
    /* Between two frames. Threads: one, while none is stepping. */
    tarn_status (*end_frame)(world *ended);
    /* Frees everything in the sector. Threads: each worker, for itself. */
    void (*tear_down)(worker *w);
    /* Fills samples[KIND_COUNT]. Threads: none may be stepping, for exact figures. */
    void (*sample)(const world *sampled, pool_sample *samples);
    void (*sample_frame)(const world *sampled, frame_sample *sample);
    /* TARN_ERROR_LIVE_OBJECTS: something leaked. Threads: after the workers ended. */
    tarn_status (*close)(world *closed);
} backend;

extern const backend backend_tarn, backend_malloc;

#endif
