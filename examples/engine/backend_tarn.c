/* tarn: a pool per kind of object, and in each pool a cache per worker; a frame for the rest. */
#include "backend.h"

#include "frame_tarn.h"

static inline void *world_alloc(worker *w, kind which)
{
    return tarn_alloc(w->caches[which]);
}

/* To the cache of the worker that frees, wherever the object came from. */
static inline void world_free(worker *w, kind which, void *object)
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
        .capacity_max = (size_t)world_sector_objects_max(which) * workers,
        .caches_max = workers,
        .memory = &opened->hooks.memory,
    };
    return tarn_pool_create(&wanted, &opened->pools[which]);
}

/* The main thread attaches every worker's caches, so that nothing can fail once the workers run.
 * Starting a worker's thread hands its caches over to it. */
static tarn_status attach_caches(world *opened, kind which)
{
    for (uint32_t i = 0; i < opened->options->threads; i++) {
        worker *w = &opened->workers[i];
        tarn_status status = tarn_cache_attach(opened->pools[which], &w->caches[which]);
        if (status != TARN_OK)
            return status;
    }
    return TARN_OK;
}

static tarn_status detach_caches(world *closed, kind which)
{
    tarn_status first_error = TARN_OK;
    for (uint32_t i = 0; i < closed->options->threads; i++) {
        tarn_cache *cache = closed->workers[i].caches[which];
        tarn_status status = cache ? tarn_cache_detach(cache) : TARN_OK;
        if (first_error == TARN_OK)
            first_error = status;
    }
    return first_error;
}

/* The frame first, since bullets wait for its end; then caches: what they hold goes back to the
 * pool. A pool with objects that nobody freed refuses to be destroyed, which makes this the leak
 * check. */
static tarn_status close_pools(world *closed)
{
    tarn_status first_error = tarn_frame_destroy(closed->frame);
    for (kind which = 0; which < KIND_COUNT; which++) {
        tarn_status status = detach_caches(closed, which);
        if (status == TARN_OK)
            status = tarn_pool_destroy(closed->pools[which]);
        if (first_error == TARN_OK)
            first_error = status;
    }
    return first_error;
}

static tarn_status open_pools(world *opened)
{
    hooks_init(&opened->hooks);
    for (kind which = 0; which < KIND_COUNT; which++) {
        tarn_status status = create_pool(opened, which);
        if (status == TARN_OK)
            status = attach_caches(opened, which);
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
    .step = step,
    .receive = receive,
    .end_frame = end_frame,
    .tear_down = tear_down,
    .sample = sample_pools,
    .sample_frame = sample_frame,
    .close = close_pools,
};
