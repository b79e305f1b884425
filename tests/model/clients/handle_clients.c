/* Pools that count lives: handles that are released, resolved and evicted while their slots are
 * taken again, and what hooks wrote to the objects. */
#include "clients/entry.h"
#include "clients/handle_kit.h"
#include "clients/lives.h"
#include "engine/failure.h"
#include "engine/scheduler.h"
#include "tarn/each.h"

/* ---- pools ---- */

/* Of one object, which is live. */
static void one_2(void)
{
    handle_kit_make((tarn_pool_options){.capacity = 1, .exact = true, .handles = true}, 2);
    handle_kit_take_spares(1);
    handle_kit_ready();
}
static void one_3(void)
{
    handle_kit_make((tarn_pool_options){.capacity = 1, .exact = true, .handles = true}, 3);
    handle_kit_take_spares(1);
    handle_kit_ready();
}

/* The same with arrays of two and lives that begin by the fast path: all slots had one before. */
static void cached(uint32_t threads)
{
    tarn_pool_options options = {.capacity = 2, .cache_objects_max = 2, .handles = true};
    handle_kit_make(options, threads);
    handle_kit_take_spares(2);
    handle_kit_release(handle_kit.handles[0]);
    handle_kit_release(handle_kit.handles[1]);
    handle_kit_take_spares(2);
    handle_kit_ready();
}
static void cached_2(void)
{
    cached(2);
}
static void cached_3(void)
{
    cached(3);
}

/* Slots of two lives: the first of slot 0 has ended. */
static void short_lives(void)
{
    tarn_pool_options options = {
        .capacity = 2, .exact = true, .handles = true, .handle_bits = 32, .handle_index_bits = 30};
    handle_kit_make(options, 2);
    handle_kit_take_spares(1);
    handle_kit_release(handle_kit.handles[0]);
    handle_kit_ready();
}

/* The same with an array, which serves and takes objects by the fast path. */
static void short_lives_cached(void)
{
    tarn_pool_options options = {.capacity = 2,
                                 .cache_objects_max = 2,
                                 .handles = true,
                                 .handle_bits = 32,
                                 .handle_index_bits = 30};
    handle_kit_make(options, 2);
    handle_kit_take_spares(1);
    handle_kit_release(handle_kit.handles[0]);
    handle_kit_ready();
}

/* Two objects, both live: the next take evicts. */
static void full(uint32_t threads)
{
    handle_kit_make(
        (tarn_pool_options){.capacity = 2, .exact = true, .evict = handle_kit_name_victim},
        threads);
    handle_kit_take_spares(2);
    handle_kit_ready();
}
static void full_2(void)
{
    full(2);
}
static void full_3(void)
{
    full(3);
}

static bool write_on_construct(void *context, void *object)
{
    (void)context;
    *(uint64_t *)object = 7;
    return true;
}
static void write_on_reset(void *context, void *object)
{
    (void)context;
    *(uint64_t *)object += 7;
}

static void constructs(void)
{
    handle_kit_make((tarn_pool_options){.capacity = 1,
                                        .exact = true,
                                        .hooks = {.construct = write_on_construct}},
                    2);
    handle_kit_ready();
}
static void resets(void)
{
    handle_kit_make(
        (tarn_pool_options){.capacity = 1, .exact = true, .hooks = {.reset = write_on_reset}}, 2);
    handle_kit_take_spares(1);
    handle_kit_release(handle_kit.handles[0]);
    handle_kit_ready();
}
static void zero_fills(void)
{
    handle_kit_make((tarn_pool_options){.capacity = 1, .exact = true, .zero_fill = true}, 2);
    handle_kit_take_spares(1);
    handle_kit_release(handle_kit.handles[0]);
    handle_kit_ready();
}
static void passes_on(void)
{
    handle_kit_make((tarn_pool_options){.capacity = 1, .exact = true, .handles = true}, 3);
    handle_kit_take_spares(1);
    handle_kit_ready();
}

/* ---- threads ---- */

static void release_first(void)
{
    handle_kit_release(handle_kit.handles[0]);
}
static void resolve_first(void)
{
    handle_kit_resolve(handle_kit.handles[0]);
    handle_kit_resolve(handle_kit.handles[0]);
}
static void take_keep(void)
{
    void *object;
    handle_kit_take(&object);
}
static void release_take(void)
{
    handle_kit_release(handle_kit.handles[0]);
    take_keep();
}
static void release_take_resolve(void)
{
    release_take();
    handle_kit_resolve(handle_kit.handles[0]);
}
static void take_resolve(void)
{
    take_keep();
    handle_kit_resolve(handle_kit.handles[0]);
}
static void release_take_release(void)
{
    void *object;
    handle_kit_release(handle_kit.handles[0]);
    tarn_handle handle = handle_kit_take(&object);
    if (object)
        handle_kit_release(handle);
}

/* Told by the releaser, so that the end is known. */
static void release_signal(void)
{
    handle_kit_release(handle_kit.handles[0]);
    kit_signal(1);
}
static void resolve_if_signalled(void)
{
    tarn_u32_load_acquire(&kit.step);
    handle_kit_resolve(handle_kit.handles[0]);
}

/* By pointer, as an owner may: the handle is told by the object. */
static void *alloc(void)
{
    void *object = tarn_alloc(kit.caches[model_self()]);
    tarn_handle handle = tarn_handle_of(kit.pool, object);
    if (handle.bits >> 32)
        model_fail("a handle of 32 bits has more");
    if (object)
        lives_began(handle.bits, handle_kit_slot(object));
    return object;
}
static void free_object(void *object)
{
    if (!object)
        return;
    uint64_t name = tarn_handle_of(kit.pool, object).bits;
    ++*(uint64_t *)object;
    lives_end_begins(name);
    tarn_free(kit.caches[model_self()], object);
    lives_end_done(name, true);
}
static void alloc_free_twice(void)
{
    free_object(alloc());
    free_object(alloc());
}
static void alloc_free_thrice(void)
{
    alloc_free_twice();
    free_object(alloc());
}
static void release_stale(void)
{
    handle_kit_release(handle_kit.handles[0]);
    handle_kit_resolve(handle_kit.handles[0]);
}

static void evict(void)
{
    void *object;
    handle_kit_take_quietly(&object);
    if (!object)
        model_fail("nothing is evicted, though everything may be");
}

static void write_release(void)
{
    ++*(uint64_t *)handle_kit.objects[0];
    handle_kit_release(handle_kit.handles[0]);
}
static void write_release_two(void)
{
    write_release();
    ++*(uint64_t *)handle_kit.objects[1];
    handle_kit_release(handle_kit.handles[1]);
}
static void take_two(void)
{
    take_keep();
    take_keep();
}

static void take_publish(void)
{
    void *object;
    tarn_handle handle = handle_kit_take_quietly(&object);
    tarn_u64_store_relaxed(&handle_kit.published, handle.bits);
}
static void read_object(const void *object)
{
    if (*(const uint64_t *)object == 1)
        model_fail("what was written to the object before its life is missing");
}
static void resolve_published(void)
{
    tarn_handle handle = {tarn_u64_load_relaxed(&handle_kit.published)};
    const void *object = tarn_handle_is_none(handle) ? NULL : tarn_resolve(kit.pool, handle);
    if (object)
        read_object(object);
}
static bool visit(void *context, void *object, tarn_handle handle)
{
    (void)context;
    (void)handle;
    read_object(object);
    return true;
}
static void look_at_each(void)
{
    tarn_each(kit.pool, visit, NULL);
}

#define CLIENT(name, set_up, ...)                                      \
    {                                                                  \
        {name,                                                         \
         set_up,                                                       \
         {__VA_ARGS__},                                                \
         sizeof((model_body *[]){__VA_ARGS__}) / sizeof(model_body *), \
         handle_kit_begin_run,                                         \
         handle_kit_check},                                            \
            CLIENT_LOCK_FREE                                           \
    }

static const client_entry clients[] = {
    CLIENT("handle_release_both_3", one_3, release_first, release_first, resolve_first),
    CLIENT("handle_reuse", one_2, release_take_resolve, release_first),
    CLIENT("handle_reuse_both", one_2, release_take_release, release_take),
    CLIENT("handle_reuse_cached", cached_2, release_take_release, release_take),
    CLIENT("handle_reuse_3", one_3, release_first, take_resolve, release_first),
    CLIENT("handle_reuse_cached_3", cached_3, release_take, release_take, resolve_first),
    CLIENT("handle_stale", one_2, release_signal, resolve_if_signalled),
    CLIENT("handle_short", short_lives, alloc_free_twice, release_stale),
    CLIENT("handle_short_cached", short_lives_cached, alloc_free_thrice, release_stale),
    CLIENT("handle_evict_both", full_2, evict, evict),
    CLIENT("handle_evict_release", full_2, evict, release_first),
    CLIENT("handle_evict_release_3", full_3, evict, release_first, resolve_first),
    CLIENT("handle_payload", one_2, write_release, take_keep),
    CLIENT("handle_payload_cached", cached_2, write_release_two, take_two),
    CLIENT("handle_construct", constructs, take_publish, resolve_published),
    CLIENT("handle_construct_each", constructs, take_publish, look_at_each),
    CLIENT("handle_reset", resets, take_publish, resolve_published),
    CLIENT("handle_reset_each", resets, take_publish, look_at_each),
    CLIENT("handle_zero_fill", zero_fills, take_publish, resolve_published),
    CLIENT("handle_passed_on_3", passes_on, write_release, take_publish, resolve_published),
};

client_list handle_clients(void)
{
    return CLIENT_LIST(clients);
}
