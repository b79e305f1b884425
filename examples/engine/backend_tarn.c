/* tarn: a pool per kind of object, and a frame for the rest. The scheduler gives each worker a
 * cache of each pool and a lane of the frame. */
#include "backend.h"

#include "frame_tarn.h"

static inline void *world_alloc(tarn_worker *w, kind which)
{
    return tarn_alloc(w->caches[which]);
}

/* To the cache of the worker that frees, wherever the object came from. */
static inline void world_free(tarn_worker *w, kind which, void *object)
{
    tarn_free(w->caches[which], object);
}

#include "simulate.h"

/* Each pool starts small and doubles, as the warm-up teaches it how much the game needs. A game
 * that knows its numbers sets capacity alone, and the pool never grows. */
static tarn_status create_pool(world *opened, kind which)
{
    uint32_t workers = opened->options->threads;
    tarn_pool_options wanted = {
        .name = kind_name(which),
        .object_bytes = kind_bytes(which),
        .capacity = 1024u * workers,
        .capacity_max = (size_t)world_sector_objects_max(which) * opened->sectors_count,
        .caches_max = workers,
        .memory = &opened->hooks.memory,
    };
    return tarn_pool_create(&wanted, &opened->pools[which]);
}

/* The frame first, since bullets wait for its end. A pool with objects that nobody freed refuses to
 * be destroyed, which makes this the leak check. */
static tarn_status close_pools(world *closed)
{
    tarn_status first_error = tarn_frame_destroy(closed->frame);
    for (kind which = 0; which < KIND_COUNT; which++) {
        tarn_status status = tarn_pool_destroy(closed->pools[which]);
        if (first_error == TARN_OK)
            first_error = status;
    }
    return first_error;
}

static tarn_status open_pools(world *opened)
{
    for (kind which = 0; which < KIND_COUNT; which++) {
        tarn_status status = create_pool(opened, which);
        if (status != TARN_OK) {
            close_pools(opened);
            return status;
        }
    }
    tarn_status status = open_frame(opened);
    if (status != TARN_OK)
        close_pools(opened);
    return status;
}

static void sample_pools(const world *sampled, pool_sample *samples)
{
    for (kind which = 0; which < KIND_COUNT; which++) {
        tarn_pool_info info;
        tarn_pool_describe(sampled->pools[which], &info);
        samples[which].committed_bytes = info.committed_bytes;
        tarn_pool_sample(sampled->pools[which], &samples[which].statistics);
    }
}

const backend backend_tarn = {
    .name = "tarn",
    .has_pools = true,
    .open = open_pools,
    .steps = {simulate, collide, think, animate, build_draws},
    .draw = draw_shelf,
    .end_frame = end_frame,
    .tear_down = tear_down,
    .sample = sample_pools,
    .sample_frame = sample_frame,
    .close = close_pools,
};
