#include "clients/handle_kit.h"

#include "clients/ledger.h"
#include "clients/lives.h"
#include "engine/failure.h"
#include "engine/region.h"
#include "engine/scheduler.h"
#include "pool/direct.h"
#include "pool/slots.h"
#include "pool/state.h"
#include "tarn/full.h"

handle_kit_world handle_kit MODEL_STATE;

uint32_t handle_kit_slot(const void *object)
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
    uint32_t self = model_self(), count = handle_kit.named_count[self];
    for (uint32_t i = 0; i < count; i++) {
        tarn_handle victim = handle_kit.named[self][i];
        bool is_last = i + 1 == count;
        lives_evict_done(victim.bits,
                         object && is_last &&
                             tarn_handle_index(kit.pool, victim) == handle_kit_slot(object));
    }
    handle_kit.named_count[self] = 0;
}

tarn_handle handle_kit_take_quietly(void **object)
{
    tarn_handle handle;
    tarn_status status = tarn_take(own_cache(), &handle, object);
    note_victims(*object);
    if (status == TARN_OK)
        lives_began(handle.bits, handle_kit_slot(*object));
    else if (status != TARN_ERROR_FULL)
        model_fail("a take fails with status %d", (int)status);
    return handle;
}

tarn_handle handle_kit_take(void **object)
{
    tarn_handle handle = handle_kit_take_quietly(object);
    if (*object)
        ++*(uint64_t *)*object;
    return handle;
}

void handle_kit_release(tarn_handle handle)
{
    lives_end_begins(handle.bits);
    tarn_status status = tarn_release(own_cache(), handle);
    lives_end_done(handle.bits, status == TARN_OK);
    if (status != TARN_OK && status != TARN_ERROR_STALE)
        model_fail("a release fails with status %d", (int)status);
}

void *handle_kit_resolve(tarn_handle handle)
{
    void *object = tarn_resolve(kit.pool, handle);
    lives_resolved(handle.bits, object != NULL);
    return object;
}

void handle_kit_begin_run(void)
{
    ledger_begin_run();
    lives_begin_run();
}

/* What is free is found once and is nobody's. */
static void find_free(void)
{
    for (void *object; (object = tarn_direct_alloc_(kit.pool)) != NULL;) {
        ledger_take(handle_kit_slot(object));
        if (lives_is_live(handle_kit_slot(object)))
            model_fail("slot %u is free while a life of it goes on", handle_kit_slot(object));
    }
}

void handle_kit_check(void)
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

void handle_kit_make(tarn_pool_options options, uint32_t threads)
{
    options.object_bytes = 8;
    options.caches_max = threads;
    kit_make(&options, threads, threads);
    lives_clear();
}

void handle_kit_ready(void)
{
    kit_ready();
    lives_keep();
}

void handle_kit_take_spares(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        handle_kit.handles[i] = handle_kit_take(&handle_kit.objects[i]);
}

static int64_t no_score(void *context, const void *object)
{
    (void)context;
    (void)object;
    return 0;
}

tarn_handle handle_kit_name_victim(void *context, tarn_pool *pool)
{
    uint32_t self = model_self();
    tarn_handle victim = tarn_evict_lowest(pool, no_score, context);
    if (handle_kit.named_count[self] == HANDLE_KIT_NAMED_MAX)
        model_fail("an allocation asks for more than %u victims", HANDLE_KIT_NAMED_MAX);
    lives_end_begins(victim.bits);
    handle_kit.named[self][handle_kit.named_count[self]++] = victim;
    return victim;
}
