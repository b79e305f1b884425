#include "clients/pool_kit.h"

#include "base/size.h"
#include "clients/ledger.h"
#include "clients/pool_names.h"
#include "engine/failure.h"
#include "engine/region.h"
#include "engine/scheduler.h"
#include "pool/direct.h"
#include "pool/slots.h"
#include "pool/state.h"

kit_world kit MODEL_STATE;

static uint32_t slot_of(const void *object)
{
    return (uint32_t)tarn_slot_of_(kit.pool, object);
}

/* Looked at from outside of the run: no scheduling point, no stale value. */
static uint32_t capacity_now(void)
{
    return (uint32_t)region_read(&kit.pool->growth.capacity, sizeof(uint64_t));
}

static tarn_cache *own_cache(void)
{
    return kit.caches[model_self()];
}

static size_t trimmed_at_once(const tarn_plan *plan)
{
    size_t chain = (size_t)plan->chain_magazines * plan->magazine_objects;
    return plan->has_groups ? tarn_size_max(chain, (size_t)1 << plan->group_shift) : 0;
}

static void set_slack(tarn_plan *plan, uint32_t threads)
{
    if (!plan->exact)
        plan->slack_slots = plan->caches_max * plan->cache_objects_max +
                            (threads - 1) * plan->chain_magazines * plan->magazine_objects +
                            trimmed_at_once(plan);
}

/* With the slack goes the memory that was committed for it, where objects fill pages: growth then
 * has to commit what it adds. */
static void give_slack_back(tarn_pool *pool)
{
    size_t *committed = &pool->growth.region_bytes[TARN_POOL_REGIONS - 1]; /* the slots' */
    size_t kept = (pool->plan.capacity + pool->plan.slack_slots) * pool->plan.stride_bytes;
    if (pool->plan.stride_bytes % MODEL_PAGE_BYTES != 0)
        return;
    pool->memory.decommit(pool->memory.context, pool->slots + kept, *committed - kept);
    *committed = kept;
}

void kit_make(const tarn_pool_options *options, uint32_t threads, uint32_t caches)
{
    ledger_clear();
    kit.pool = NULL;
    if (tarn_pool_create(options, &kit.pool) != TARN_OK)
        model_fail("the pool cannot be made");
    tarn_plan *plan = &kit.pool->plan;
    set_slack(plan, threads);
    give_slack_back(kit.pool);
    kit.slots = (uint32_t)(plan->capacity_max + plan->slack_slots);
    for (uint32_t i = 1; i <= caches; i++)
        if (tarn_cache_attach(kit.pool, &kit.caches[i]) != TARN_OK)
            model_fail("no cache for thread %u", i);
    pool_names_use(kit.pool);
}

void kit_make_small(uint32_t cache_objects_max, uint32_t threads, uint32_t caches)
{
    tarn_pool_options options = {.object_bytes = 8,
                                 .capacity = 2,
                                 .caches_max = caches > 0 ? caches : 1,
                                 .cache_objects_max = cache_objects_max};
    kit_make(&options, threads, caches);
}

void kit_use_chains_of_three(uint32_t threads)
{
    tarn_plan *plan = &kit.pool->plan;
    plan->shelf_magazines = 6;
    plan->chain_magazines = 3;
    plan->cache_objects_max = plan->array_objects + 6;
    set_slack(plan, threads);
}

void kit_exhaust(void)
{
    uint32_t slots = capacity_now() + (uint32_t)kit.pool->plan.slack_slots;
    while (kit.spare_count < slots) {
        void *object = tarn_direct_alloc_(kit.pool);
        ledger_take(slot_of(object));
        kit.spare[kit.spare_count++] = object;
    }
}

void kit_take_spares(void)
{
    for (void *object; (object = tarn_alloc(kit.caches[1])) != NULL;) {
        ledger_take(slot_of(object));
        kit.spare[kit.spare_count++] = object;
    }
}

static void *take_spare(void)
{
    void *object = kit.spare[--kit.spare_count];
    ledger_give(slot_of(object));
    return object;
}

void kit_put(uint32_t thread, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        tarn_free(kit.caches[thread], take_spare());
}

void kit_put_depot(uint32_t thread, uint32_t count)
{
    kit_put(thread, count);
    tarn_cache_detach(kit.caches[thread]);
    if (tarn_cache_attach(kit.pool, &kit.caches[thread]) != TARN_OK)
        model_fail("no cache for thread %u", thread);
}

void kit_put_loose(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        tarn_direct_free_(kit.pool, take_spare());
}

void kit_ready(void)
{
    ledger_keep();
}

void kit_note_taken(void *object)
{
    ledger_take(slot_of(object));
    ++*(uint64_t *)object;
}

void kit_note_given(void *object)
{
    ++*(uint64_t *)object;
    ledger_give(slot_of(object));
}

static void *end_take(void *object)
{
    if (object)
        kit_note_taken(object);
    else
        ledger_refused(capacity_now());
    ledger_call_ends();
    if (kit.pool->plan.exact && ledger_taken() > capacity_now())
        model_fail("an exact pool of %u has %u taken", capacity_now(), ledger_taken());
    return object;
}

void *kit_take(void)
{
    ledger_call_begins();
    return end_take(tarn_alloc(own_cache()));
}

void *kit_guest_take(void)
{
    ledger_call_begins();
    return end_take(tarn_guest_alloc(kit.pool));
}

void *kit_direct_take(void)
{
    ledger_call_begins();
    return end_take(tarn_direct_alloc_(kit.pool));
}

void kit_direct_give(void *object)
{
    if (!object)
        return;
    ledger_call_begins();
    kit_note_given(object);
    tarn_direct_free_(kit.pool, object);
    ledger_call_ends();
}

void kit_give(void *object)
{
    if (!object)
        return;
    ledger_call_begins();
    kit_note_given(object);
    tarn_free(own_cache(), object);
    ledger_call_ends();
}

void kit_guest_give(void *object)
{
    if (!object)
        return;
    ledger_call_begins();
    kit_note_given(object);
    tarn_guest_free(kit.pool, object);
    ledger_call_ends();
}

void kit_take_hold(void)
{
    kit.held[model_self()] = kit_take();
}

void kit_give_held(void)
{
    kit_give(kit.held[model_self()]);
    kit.held[model_self()] = NULL;
}

void kit_signal(uint32_t step)
{
    tarn_u32_store_release(&kit.step, step);
}

void kit_await(uint32_t step)
{
    while (tarn_u32_load_acquire(&kit.step) < step)
        model_yield();
}

static uint32_t slots_retired(void)
{
    return (uint32_t)tarn_u64_load_relaxed(&kit.pool->slots_retired);
}

static void check_figures(void)
{
    tarn_pool_statistics statistics;
    tarn_pool_info info;
    tarn_pool_sample(kit.pool, &statistics);
    tarn_pool_describe(kit.pool, &info);
    uint64_t live = ledger_taken();
    uint64_t free_now = statistics.free_in_caches + statistics.free_in_depot;
    if (statistics.live != live || statistics.allocs - statistics.frees != live)
        model_fail("%llu objects are taken, but the figures say %llu - %llu = %llu",
                   (unsigned long long)live, (unsigned long long)statistics.allocs,
                   (unsigned long long)statistics.frees, (unsigned long long)statistics.live);
    if (info.slots_carved - free_now - statistics.slots_retired != live)
        model_fail("%llu of %zu carved slots are free, but %llu are taken",
                   (unsigned long long)free_now, info.slots_carved, (unsigned long long)live);
}

/* Callers hold the pool alone by now. A grown pool may grow on; a refusal is the end. */
static void take_everything(void)
{
    for (void *object; (object = tarn_direct_alloc_(kit.pool)) != NULL;)
        ledger_take(slot_of(object));
}

/* By now every cache has given all that it had to the depot. */
static void check_magazines(void)
{
    uint32_t magazines[TARN_CHAIN_MAGAZINES_MAX];
    tarn_depot *depot = &kit.pool->depot;
    uint32_t carved = tarn_u32_load_relaxed(&depot->magazines.carved);
    uint32_t found = 0;
    for (uint32_t shard = 0; shard < depot->shard_count; shard++)
        while (found < carved &&
               tarn_stack_top(&depot->shards[shard].empty, &depot->magazines.links))
            found += tarn_depot_take_empty(depot, shard, magazines);
    if (found != carved)
        model_fail("%u of %u magazines can be found", found, carved);
}

void kit_check(void)
{
    if (model_has_stopped()) {
        take_everything();
        return;
    }
    check_figures();
    for (uint32_t i = 1; i < MODEL_THREADS_MAX; i++)
        if (kit.caches[i])
            tarn_cache_detach(kit.caches[i]);
    take_everything();
    uint32_t slots = capacity_now() + (uint32_t)kit.pool->plan.slack_slots - slots_retired();
    if (ledger_taken() != slots)
        model_fail("%u of %u slots can be found", ledger_taken(), slots);
    if (!kit.pool->plan.exact)
        check_magazines();
}
