/* Pools that count lives: handles that are released, resolved and evicted while their slots are
 * taken again, and what hooks wrote to the objects. */
#include "clients/entry.h"
#include "clients/lives.h"
#include "clients/pool_kit.h"
#include "engine/failure.h"
#include "engine/region.h"
#include "engine/scheduler.h"
#include "pool/direct.h"
#include "pool/slots.h"
#include "pool/state.h"
#include "tarn/each.h"
#include "tarn/full.h"
#include "tarn/handle.h"

#define NAMED_MAX 8u

static struct {
    tarn_handle handles[2]; /* taken while setting up */
    void *objects[2];
    tarn_u64 published; /* a handle, without an order */
    tarn_u32 releases;
    tarn_handle named[MODEL_THREADS_MAX][NAMED_MAX]; /* victims, in the take under way */
    uint32_t named_count[MODEL_THREADS_MAX];
} world MODEL_STATE;

static uint32_t slot_of(const void *object)
{
    return (uint32_t)tarn_slot_of_(kit.pool, object);
}

static tarn_cache *own_cache(void)
{
    return kit.caches[model_self() == 0 ? 1 : model_self()];
}

/* What the take did to the victims that it was told: the last one's slot may be the one it got. */
static void note_victims(const void *object)
{
    uint32_t self = model_self(), count = world.named_count[self];
    for (uint32_t i = 0; i < count; i++) {
        tarn_handle victim = world.named[self][i];
        bool is_last = i + 1 == count;
        lives_evict_done(victim.bits, object && is_last &&
                                          tarn_handle_index(kit.pool, victim) == slot_of(object));
    }
    world.named_count[self] = 0;
}

/* Without a write to the object: others may look at it. */
static tarn_handle take_quietly(void **object)
{
    tarn_handle handle;
    tarn_status status = tarn_take(own_cache(), &handle, object);
    note_victims(*object);
    if (status == TARN_OK)
        lives_began(handle.bits, slot_of(*object));
    else if (status != TARN_ERROR_FULL)
        model_fail("a take fails with status %d", (int)status);
    return handle;
}

static tarn_handle take(void **object)
{
    tarn_handle handle = take_quietly(object);
    if (*object)
        ++*(uint64_t *)*object;
    return handle;
}

static void release(tarn_handle handle)
{
    lives_end_begins(handle.bits);
    tarn_status status = tarn_release(own_cache(), handle);
    lives_end_done(handle.bits, status == TARN_OK);
    if (status == TARN_OK)
        tarn_u32_fetch_add_relaxed(&world.releases, 1);
    else if (status != TARN_ERROR_STALE)
        model_fail("a release fails with status %d", (int)status);
}

static void *resolve(tarn_handle handle)
{
    void *object = tarn_resolve(kit.pool, handle);
    lives_resolved(handle.bits, object != NULL);
    return object;
}

static void begin_run(void)
{
    ledger_begin_run();
    lives_begin_run();
}

/* What is free is found once and is nobody's. */
static void find_free(void)
{
    for (void *object; (object = tarn_direct_alloc_(kit.pool)) != NULL;) {
        ledger_take(slot_of(object));
        if (lives_is_live(slot_of(object)))
            model_fail("slot %u is free while a life of it goes on", slot_of(object));
    }
}

/* Every slot is free, live or retired; every life that ended did so once. */
static void check(void)
{
    if (model_has_stopped()) {
        find_free();
        return;
    }
    tarn_pool_statistics figures;
    tarn_pool_sample(kit.pool, &figures);
    for (uint32_t i = 1; i < MODEL_THREADS_MAX; i++)
        if (kit.caches[i])
            tarn_cache_detach(kit.caches[i]);
    find_free();
    uint32_t retired = (uint32_t)figures.slots_retired;
    if (figures.live != lives_count() || ledger_taken() + lives_count() + retired != kit.slots)
        model_fail("%u slots are free, %u live and %u retired, of %u", ledger_taken(),
                   lives_count(), retired, kit.slots);
    if (figures.allocs - figures.frees != figures.live)
        model_fail("%u allocations and %u frees", (uint32_t)figures.allocs,
                   (uint32_t)figures.frees);
}

/* ---- pools ---- */

static void make(tarn_pool_options options, uint32_t threads)
{
    options.object_bytes = 8;
    options.caches_max = threads;
    kit_make(&options, threads, threads);
    lives_clear();
}

static void ready(void)
{
    kit_ready();
    lives_keep();
}

static void take_spares(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        world.handles[i] = take(&world.objects[i]);
}

/* Of one object, which is live. */
static void one_2(void)
{
    make((tarn_pool_options){.capacity = 1, .exact = true, .handles = true}, 2);
    take_spares(1);
    ready();
}
static void one_3(void)
{
    make((tarn_pool_options){.capacity = 1, .exact = true, .handles = true}, 3);
    take_spares(1);
    ready();
}

/* The same with arrays of two and lives that begin by the fast path: all slots had one before. */
static void cached(uint32_t threads)
{
    tarn_pool_options options = {.capacity = 2, .cache_objects_max = 2, .handles = true};
    make(options, threads);
    take_spares(2);
    release(world.handles[0]);
    release(world.handles[1]);
    take_spares(2);
    ready();
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
    make(options, 2);
    take_spares(1);
    release(world.handles[0]);
    ready();
}

static int64_t no_score(void *context, const void *object)
{
    (void)context;
    (void)object;
    return 0;
}

static tarn_handle name_victim(void *context, tarn_pool *pool)
{
    uint32_t self = model_self();
    tarn_handle victim = tarn_evict_lowest(pool, no_score, context);
    if (world.named_count[self] == NAMED_MAX)
        model_fail("an allocation asks for more than %u victims", NAMED_MAX);
    lives_end_begins(victim.bits);
    world.named[self][world.named_count[self]++] = victim;
    return victim;
}

/* Two objects, both live: the next take evicts. */
static void full(uint32_t threads)
{
    make((tarn_pool_options){.capacity = 2, .exact = true, .evict = name_victim}, threads);
    take_spares(2);
    ready();
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
    make((tarn_pool_options){.capacity = 1,
                             .exact = true,
                             .hooks = {.construct = write_on_construct}},
         2);
    ready();
}
static void resets(void)
{
    make((tarn_pool_options){.capacity = 1, .exact = true, .hooks = {.reset = write_on_reset}}, 2);
    take_spares(1);
    release(world.handles[0]);
    ready();
}
static void zero_fills(void)
{
    make((tarn_pool_options){.capacity = 1, .exact = true, .zero_fill = true}, 2);
    take_spares(1);
    release(world.handles[0]);
    ready();
}
static void passes_on(void)
{
    make((tarn_pool_options){.capacity = 1, .exact = true, .handles = true}, 3);
    take_spares(1);
    ready();
}

/* ---- threads ---- */

static void release_first(void)
{
    release(world.handles[0]);
}
static void resolve_first(void)
{
    resolve(world.handles[0]);
    resolve(world.handles[0]);
}
static void take_keep(void)
{
    void *object;
    take(&object);
}
static void release_take(void)
{
    release(world.handles[0]);
    take_keep();
}
static void release_take_resolve(void)
{
    release_take();
    resolve(world.handles[0]);
}
static void take_resolve(void)
{
    take_keep();
    resolve(world.handles[0]);
}
static void release_take_release(void)
{
    void *object;
    release(world.handles[0]);
    tarn_handle handle = take(&object);
    if (object)
        release(handle);
}

/* Told by the releaser, so that the end is known. */
static void release_signal(void)
{
    release(world.handles[0]);
    kit_signal(1);
}
static void resolve_if_signalled(void)
{
    tarn_u32_load_acquire(&kit.step);
    resolve(world.handles[0]);
}

/* By pointer, as an owner may: the handle is told by the object. */
static void *alloc(void)
{
    void *object = tarn_alloc(own_cache());
    if (object)
        lives_began(tarn_handle_of(kit.pool, object).bits, slot_of(object));
    return object;
}
static void free_object(void *object)
{
    if (!object)
        return;
    uint64_t name = tarn_handle_of(kit.pool, object).bits;
    ++*(uint64_t *)object;
    lives_end_begins(name);
    tarn_free(own_cache(), object);
    lives_end_done(name, true);
}
static void alloc_free_twice(void)
{
    free_object(alloc());
    free_object(alloc());
}
static void release_stale(void)
{
    release(world.handles[0]);
    resolve(world.handles[0]);
}

static void evict(void)
{
    void *object;
    take_quietly(&object);
    if (!object)
        model_fail("nothing is evicted, though everything may be");
}

static void write_release(void)
{
    ++*(uint64_t *)world.objects[0];
    release(world.handles[0]);
}
static void write_release_two(void)
{
    write_release();
    ++*(uint64_t *)world.objects[1];
    release(world.handles[1]);
}
static void take_two(void)
{
    take_keep();
    take_keep();
}

static void take_publish(void)
{
    void *object;
    tarn_handle handle = take_quietly(&object);
    tarn_u64_store_relaxed(&world.published, handle.bits);
}
static void read_object(const void *object)
{
    if (*(const uint64_t *)object == 1)
        model_fail("what was written to the object before its life is missing");
}
static void resolve_published(void)
{
    tarn_handle handle = {tarn_u64_load_relaxed(&world.published)};
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

#define CLIENT(name, set_up, ...)                                                     \
    {                                                                                 \
        {name,          set_up,                                                       \
         {__VA_ARGS__}, sizeof((model_body *[]){__VA_ARGS__}) / sizeof(model_body *), \
         begin_run,     check},                                                       \
            CLIENT_LOCK_FREE                                                          \
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
