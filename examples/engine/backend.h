/* Where objects come from: one struct per allocator, backend_tarn.c and backend_malloc.c.
 *
 * Each of these files defines two inline functions,
 *     static inline void *world_alloc(worker *w, kind which);
 *     static inline void world_free(worker *w, kind which, void *object);
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

typedef struct backend {
    const char *name;
    bool has_pools; /* sample says something */
    /* Prepares the world's allocator. Threads: before the workers start. */
    tarn_status (*open)(world *opened);
    /* The phases of a frame. Threads: each worker, for itself. */
    void (*step)(worker *w, uint32_t power);
    void (*receive)(worker *w);
    /* Frees everything in the sector. Threads: each worker, for itself. */
    void (*tear_down)(worker *w);
    /* Fills samples[KIND_COUNT]. Threads: none may be stepping, for exact figures. */
    void (*sample)(const world *sampled, pool_sample *samples);
    /* TARN_ERROR_LIVE_OBJECTS: something leaked. Threads: after the workers ended. */
    tarn_status (*close)(world *closed);
} backend;

extern const backend backend_tarn, backend_malloc;

#endif
