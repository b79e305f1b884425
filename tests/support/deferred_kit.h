/* What tests of deferred frees share: pools of each kind, and the ways to defer an object. */
#ifndef TARN_TESTS_SUPPORT_DEFERRED_KIT_H
#define TARN_TESTS_SUPPORT_DEFERRED_KIT_H

#include "support/frames.h"

#include "tarn/guest.h"

typedef enum kind { RAW, EXACT, HANDLES, EXACT_HANDLES, HOOKS, KINDS } kind;

typedef struct life_log {
    uint32_t resets;
} life_log;

static inline void count_reset(void *context, void *object)
{
    (void)object;
    ((life_log *)context)->resets++;
}

static misuse_log pool_log;
static life_log lives;

static inline tarn_pool *pool_of(kind k, size_t capacity)
{
    pool_log = (misuse_log){0};
    lives = (life_log){0};
    tarn_pool_options options = {.object_bytes = 32,
                                 .capacity = capacity,
                                 .caches_max = 2,
                                 .cache_objects_max = 4,
                                 .exact = k == EXACT || k == EXACT_HANDLES,
                                 .handles = k >= HANDLES,
                                 .report = misuse_note,
                                 .report_context = &pool_log};
    if (k == HOOKS)
        options.hooks =
            (tarn_hooks){.context = &lives, .reset = count_reset, .reset_on_return = true};
    return kit_pool(&options);
}

static inline void end_pool(tarn_pool *pool, uint64_t live)
{
    kit_expect_conserved(pool, live);
    assert_int_equal(pool_log.count, 0);
    if (live > 0)
        kit_expect_status(tarn_pool_clear(pool), TARN_OK);
    kit_destroy(pool);
}

typedef enum way { BY_POINTER, AT_ONCE, AT_DROP, WAYS } way;

static inline bool has_way(kind k, way how)
{
    return how == BY_POINTER || k >= HANDLES;
}

/* How many frames later it is free. A handle that lives until the drop can be looked up in the
 * frame that drops it, and so the object waits for that frame too. */
static inline uint32_t delay_of(kind k, way how, uint32_t in_flight)
{
    return k >= HANDLES && how != AT_ONCE ? 2 * in_flight : in_flight;
}

static inline tarn_status try_defer(tarn_lane *lane, tarn_pool *pool, way how, void *object)
{
    if (how == BY_POINTER)
        return tarn_frame_defer_free(lane, pool, object);
    return tarn_frame_defer_release(lane, pool, tarn_handle_of(pool, object),
                                    how == AT_ONCE ? TARN_STALE_AT_ONCE : TARN_STALE_AT_DROP);
}

static inline void defer(tarn_lane *lane, tarn_pool *pool, way how, void *object)
{
    kit_expect_status(try_defer(lane, pool, how, object), TARN_OK);
}

static inline void take_many(tarn_pool *pool, void **objects, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_non_null(objects[i] = tarn_guest_alloc(pool));
}

static inline tarn_frame *frame_with(uint32_t in_flight, bool gated)
{
    return frames_create((tarn_frame_options){.frames_in_flight = in_flight,
                                              .gated = gated,
                                              .lanes_max = 4,
                                              .block_bytes = TARN_FRAME_BLOCK_BYTES_MIN});
}

#endif
