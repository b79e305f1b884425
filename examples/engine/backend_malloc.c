/* The C library's allocator. */
#include "backend.h"

#include "frame_malloc.h"

#include <stdlib.h>

static inline void *world_alloc(tarn_worker *w, kind which)
{
    (void)w;
    return malloc(kind_bytes(which));
}

static inline void world_free(tarn_worker *w, kind which, void *object)
{
    (void)w;
    (void)which;
    free(object);
}

#include "simulate.h"

static tarn_status open_nothing(world *opened)
{
    (void)opened;
    return TARN_OK;
}

static void sample_nothing(const world *sampled, pool_sample *samples)
{
    (void)sampled;
    for (kind which = 0; which < KIND_COUNT; which++)
        samples[which] = (pool_sample){0};
}

/* malloc cannot tell whether something leaked: our own count does. */
static tarn_status close_by_count(world *closed)
{
    for (uint32_t i = 0; i < closed->options->threads; i++)
        for (uint32_t back = 0; back < LEFTOVERS; back++)
            free_leftovers(leftovers_of(&closed->shelves[i], back));
    for (kind which = 0; which < KIND_COUNT; which++)
        if (world_live(closed, which) != 0)
            return TARN_ERROR_LIVE_OBJECTS;
    return TARN_OK;
}

const backend backend_malloc = {
    .name = "malloc",
    .has_pools = false,
    .open = open_nothing,
    .steps = {simulate, collide, think, animate, build_draws},
    .draw = draw_shelf,
    .end_frame = end_frame,
    .tear_down = tear_down,
    .sample = sample_nothing,
    .sample_frame = sample_frame,
    .close = close_by_count,
};
