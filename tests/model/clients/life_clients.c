/* Lives: whoever ends one does so alone, no stale handle is taken for a new life's, and hooks'
 * writes are seen by whoever finds the object live. */
#include "clients/entry.h"
#include "clients/pool_kit.h"
#include "engine/failure.h"
#include "engine/region.h"
#include "engine/scheduler.h"
#include "pool/slots.h"
#include "pool/state.h"
#include "tarn/each.h"
#include "tarn/handle.h"

static tarn_handle handles[KIT_OBJECTS_MAX] MODEL_STATE; /* of the spares */
static uint32_t ends[MODEL_THREADS_MAX] MODEL_STATE;     /* releases that said OK, by thread */

enum { BUILT = 7 };

static bool construct(void *context, void *object)
{
    (void)context;
    *(uint64_t *)object = BUILT;
    return true;
}

static tarn_handle name_victim(void *context, tarn_pool *pool)
{
    (void)context;
    tarn_handle none = {0};
    for (uint32_t i = 0; i < kit.spare_count; i++)
        if (tarn_resolve(pool, handles[i]))
            return handles[i];
    return none;
}

/* A pool of two, all of it taken. */
static void make(uint32_t threads, tarn_pool_options options)
{
    options.object_bytes = 8;
    options.capacity = 2;
    options.caches_max = threads;
    options.cache_objects_max = 2;
    options.handles = true;
    kit_make(&options, threads, threads);
}

static void take_spares(void)
{
    kit_take_spares();
    for (uint32_t i = 0; i < kit.spare_count; i++)
        handles[i] = tarn_handle_of(kit.pool, kit.spare[i]);
    kit_ready();
}

static void taken(uint32_t threads, tarn_pool_options options)
{
    make(threads, options);
    take_spares();
}
static void taken_2(void)
{
    taken(2, (tarn_pool_options){0});
}
static void taken_3(void)
{
    taken(3, (tarn_pool_options){0});
}
static void exact_2(void)
{
    taken(2, (tarn_pool_options){.exact = true});
}
static void evicting_2(void)
{
    make(2, (tarn_pool_options){0});
    take_spares();
    kit.pool->evict = name_victim;
}

/* Two lives to a slot. */
static void short_lives(void)
{
    taken(2,
          (tarn_pool_options){.handle_bits = 32, .handle_index_bits = 10, .handle_pool_bits = 20});
}

static void untaken_with_hook(void)
{
    make(2, (tarn_pool_options){.hooks = {.construct = construct}});
    kit_ready();
}

static bool release(uint32_t spare)
{
    tarn_status status = tarn_release(kit.caches[model_self()], handles[spare]);
    if (status != TARN_OK && status != TARN_ERROR_STALE)
        model_fail("a release answered %s", tarn_status_name(status));
    ends[model_self()] += status == TARN_OK;
    return status == TARN_OK;
}

static void release_first(void)
{
    release(0);
}

/* The slot may come back at once, for a new life, which is nobody else's to end. */
static void release_take(void)
{
    if (release(0))
        ledger_give((uint32_t)tarn_slot_of_(kit.pool, kit.spare[0]));
    kit_take_hold();
}

static void release_take_release(void)
{
    release_take();
    void *object = kit.held[model_self()];
    if (!object)
        return;
    kit_note_given(object);
    if (tarn_release(kit.caches[model_self()], tarn_handle_of(kit.pool, object)) != TARN_OK)
        model_fail("another thread ended this thread's life");
    kit.held[model_self()] = NULL;
}

static void signal_after_release_take(void)
{
    release_take();
    kit_signal(1);
}

static void resolve_after_release(void)
{
    kit_await(1);
    if (tarn_resolve(kit.pool, handles[0]))
        model_fail("a stale handle is resolved");
    if (release(0))
        model_fail("a stale handle is released");
}

/* What an owner writes to its object, the next one comes after. */
static void give_take_by_handle(void)
{
    uint32_t first = (model_self() - 1) * 3;
    for (uint32_t i = first; i < first + 3; i++) {
        ledger_call_begins();
        kit_note_given(kit.spare[i]);
        if (!release(i))
            model_fail("a live handle is stale");
        ledger_call_ends();
    }
    for (uint32_t i = 0; i < 3; i++)
        kit_take();
}

static void evict(void)
{
    void *object = NULL;
    tarn_handle handle;
    if (tarn_take(kit.caches[model_self()], &handle, &object) != TARN_OK)
        model_fail("there was a victim, and it was not evicted");
    ++*(uint64_t *)object;
    kit.held[model_self()] = object;
}

static void take_one_built(void)
{
    kit.held[model_self()] = tarn_alloc(kit.caches[model_self()]);
}

static bool look(void *context, void *object, tarn_handle handle)
{
    (void)context;
    (void)handle;
    if (*(uint64_t *)object != BUILT)
        model_fail("a live object is not built");
    return true;
}

static void look_at_all(void)
{
    tarn_each(kit.pool, look, NULL);
}

static uint32_t all_ends(void)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < MODEL_THREADS_MAX; i++)
        sum += ends[i];
    return sum;
}

/* One of them ended the life of the first spare, which nobody has now. */
static void check_one_end(void)
{
    if (!model_has_stopped() && all_ends() != 1)
        model_fail("%u releases of one life succeeded", all_ends());
    if (all_ends() > 1)
        model_fail("%u releases of one life succeeded", all_ends());
    if (all_ends() == 1)
        kit_note_given(kit.spare[0]);
    kit_check();
}

static void check_one_end_noted(void)
{
    if (!model_has_stopped() && all_ends() != 1)
        model_fail("%u releases of one life succeeded", all_ends());
    kit_check();
}

static void check_victims(void)
{
    if (kit.held[1] == kit.held[2])
        model_fail("two threads evicted the same object");
    tarn_pool_statistics statistics;
    tarn_pool_sample(kit.pool, &statistics);
    if (statistics.evictions != 2)
        model_fail("%u evictions were counted", (uint32_t)statistics.evictions);
    for (uint32_t i = 0; i < kit.spare_count; i++) {
        bool is_victim = kit.spare[i] == kit.held[1] || kit.spare[i] == kit.held[2];
        if ((tarn_resolve(kit.pool, handles[i]) == NULL) != is_victim)
            model_fail("the handle of object %u is wrong about its life", i);
    }
    kit_check();
}

static void check_built(void)
{
    for (uint32_t i = 1; i < MODEL_THREADS_MAX; i++)
        if (kit.held[i])
            ledger_take((uint32_t)tarn_slot_of_(kit.pool, kit.held[i]));
    kit_check();
}

#define CLIENT(name, set_up, check, ...) \
    CLIENT_ENTRY(name, CLIENT_LOCK_FREE, set_up, check, __VA_ARGS__)
#define WAITING(name, set_up, check, ...) \
    CLIENT_ENTRY(name, CLIENT_LOCKING, set_up, check, __VA_ARGS__)

static const client_entry clients[] = {
    CLIENT("life_release", taken_2, check_one_end, release_first, release_first),
    CLIENT("life_release_3", taken_3, check_one_end, release_first, release_first, release_first),
    CLIENT("life_release_exact", exact_2, check_one_end, release_first, release_first),
    WAITING("life_release_take", taken_2, check_one_end_noted, release_take, release_take),
    WAITING("life_stale", taken_2, check_one_end_noted, signal_after_release_take,
            resolve_after_release),
    WAITING("life_short", short_lives, check_one_end_noted, release_take_release, release_take),
    WAITING("life_give_take", taken_2, kit_check, give_take_by_handle, give_take_by_handle),
    WAITING("life_evict", evicting_2, check_victims, evict, evict),
    WAITING("life_seen_built", untaken_with_hook, check_built, take_one_built, look_at_all),
};

client_list life_clients(void)
{
    return CLIENT_LIST(clients);
}
