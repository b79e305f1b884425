/* Trimming a pool whose slack is just what a trimmer can have in hand: groups of two slots, a page
 * each, and threads without a cache. The trimmer may stop anywhere, for ever. */
#include "clients/entry.h"
#include "clients/pool_kit.h"
#include "engine/failure.h"
#include "engine/region.h"
#include "engine/scheduler.h"
#include "pool/life/calls.h"
#include "pool/slots.h"
#include "pool/space/groups.h"
#include "pool/state.h"
#include "tarn/space.h"

enum { CAPACITY = 8, GROUP = 2, SLOTS = CAPACITY + GROUP, CONSTRUCTED = 7 };

static struct {
    uint32_t is_built[SLOTS]; /* by slot; plain, as a host's own notes would be */
} world MODEL_STATE;

static uint32_t slot_of(const void *object)
{
    return (uint32_t)tarn_slot_of_(kit.pool, object);
}

/* ---- pools ---- */

/* All slots taken, in order: spare k is slot k. Thread 1 has a cache, to fill magazines with. */
static void make(tarn_pool_options options, uint32_t slack)
{
    options.object_bytes = 2048;
    options.capacity = CAPACITY;
    options.caches_max = 1;
    options.cache_objects_max = options.cache_objects_max ? options.cache_objects_max : 1;
    kit_make(&options, 1, 1);
    tarn_plan *plan = &kit.pool->plan;
    plan->slack_slots = slack;
    kit.slots = CAPACITY + (uint32_t)plan->slack_slots;
    if (!plan->has_groups || plan->group_shift != 1)
        model_fail("the groups are not of two slots");
    kit_exhaust();
}

/* So that two more objects may live, and as many slots are free as slack. */
static uint32_t free_slots(void)
{
    return (uint32_t)kit.pool->plan.slack_slots + 2;
}

static void ready(void)
{
    tarn_cache_detach(kit.caches[1]);
    kit.caches[1] = NULL;
    kit_ready();
}

static void trim(void)
{
    size_t bytes = 0;
    tarn_status status = tarn_pool_trim(kit.pool, 0, &bytes);
    if (status != TARN_OK && status != TARN_ERROR_BUSY)
        model_fail("a trim answers %d", (int)status);
}

/* The last groups are free, loose. */
static void loose_2(void)
{
    make((tarn_pool_options){0}, GROUP);
    kit_put_loose(free_slots());
    ready();
}
static void loose_3(void)
{
    make((tarn_pool_options){0}, GROUP + 1);
    kit_put_loose(free_slots());
    ready();
}

/* The same, with windows of one call. */
static void maintained(void)
{
    make((tarn_pool_options){.shrink = {.window_calls = 1}}, GROUP);
    kit_put_loose(free_slots());
    ready();
}

/* The same in magazines of one object each. */
static void magazines_2(void)
{
    make((tarn_pool_options){0}, GROUP);
    for (uint32_t i = free_slots(); i > 0; i--)
        kit_put_depot(1, 1);
    ready();
}

/* In magazines of two, so that slots are sorted by two. */
static void magazines_of_two(void)
{
    make((tarn_pool_options){.cache_objects_max = 8}, GROUP);
    kit_put_depot(1, free_slots());
    ready();
}

/* The same, sorted. */
static void sort(void)
{
    kit_put_loose(free_slots());
    tarn_pool_trim(kit.pool, free_slots(), NULL);
    if (tarn_u64_load_relaxed(&kit.pool->space.slots_trimmed) > 0)
        model_fail("the set-up trims more than it should");
    ready();
}
static void sorted_2(void)
{
    make((tarn_pool_options){0}, GROUP);
    sort();
}
static void sorted_3(void)
{
    make((tarn_pool_options){0}, GROUP + 1);
    sort();
}

/* The same, given back. */
static void trimmed(uint32_t slack)
{
    make((tarn_pool_options){0}, slack);
    kit_put_loose(free_slots());
    trim();
    ready();
}
static void trimmed_2(void)
{
    trimmed(GROUP);
}
static void trimmed_3(void)
{
    trimmed(GROUP + 1);
}

/* Without a trimmer no slack is needed: who restores a group is waited for. */
static void trimmed_without_slack(void)
{
    trimmed(0);
}

/* A group is sorted, the slots of another lie in one magazine; both are to be trimmed. */
static void half_sorted(void)
{
    make((tarn_pool_options){.cache_objects_max = 8, .shrink = {.window_calls = 1}}, GROUP);
    kit_put_depot(1, GROUP);
    tarn_pool_trim(kit.pool, GROUP, NULL);
    kit_put_depot(1, GROUP);
    ready();
}

static bool construct(void *context, void *object)
{
    (void)context;
    if (world.is_built[slot_of(object)])
        model_fail("slot %u is constructed twice", slot_of(object));
    world.is_built[slot_of(object)] = true;
    *(uint64_t *)object = CONSTRUCTED;
    return true;
}
static void destroy(void *context, void *object)
{
    (void)context;
    if (!world.is_built[slot_of(object)])
        model_fail("slot %u is destroyed, but not built", slot_of(object));
    world.is_built[slot_of(object)] = false;
    *(uint64_t *)object = 0;
}

static void *begin_life(void)
{
    uint32_t word;
    void *object = NULL;
    tarn_calls_direct_alloc_(kit.pool, &object, &word);
    return object;
}

/* Objects with hooks, and two lives each. */
static void make_with_hooks(void)
{
    tarn_pool_options options = {.object_bytes = 2048,
                                 .capacity = CAPACITY,
                                 .caches_max = 1,
                                 .cache_objects_max = 1,
                                 .handle_bits = 32,
                                 .handle_index_bits = 30,
                                 .hooks = {.construct = construct, .destroy = destroy}};
    kit_make(&options, 1, 0);
    kit.pool->plan.slack_slots = GROUP;
    kit.slots = SLOTS;
}

/* The first life has ended for the last two groups, which lie in this order. The kit's own calls
 * hand out slots without lives, so all have to be had first. */
static void with_hooks(const uint32_t *order)
{
    make_with_hooks();
    while (kit.spare_count < SLOTS) {
        void *object = begin_life();
        kit_note_taken(object);
        kit.spare[kit.spare_count++] = object;
    }
    for (uint32_t i = 0; i < 4; i++) {
        void *object = kit.spare[order[i]];
        kit_note_given(object);
        tarn_calls_direct_free_(kit.pool, object);
    }
}
static void hooks_fresh(void)
{
    make_with_hooks();
    kit_ready();
}
static void hooks_free(void)
{
    with_hooks((const uint32_t[]){6, 7, 8, 9});
    kit_ready();
}

/* Two slots are live for the last time: of two groups, or of one. */
static void take_last_lives(const uint32_t *order)
{
    with_hooks(order);
    for (uint32_t i = 0; i < 2; i++) {
        kit.held[i] = begin_life();
        kit_note_taken(kit.held[i]);
    }
    kit_ready();
}

static void hooks_spent(void)
{
    take_last_lives((const uint32_t[]){6, 8, 7, 9});
}
static void hooks_spent_in_one(void)
{
    take_last_lives((const uint32_t[]){6, 7, 8, 9});
}

/* ---- threads ---- */

static void trim_twice(void)
{
    trim();
    trim();
}
static void maintain(void)
{
    for (uint32_t i = 0; i < 2; i++)
        if (tarn_pool_maintain(kit.pool, 8192, NULL) == TARN_ERROR_INVALID)
            model_fail("the pool cannot be maintained");
}
static void take(void)
{
    kit_direct_take();
}
/* Something stays free all the time, wherever it lies. */
static void look(void)
{
    if (tarn_groups_are_dry_(kit.pool))
        model_fail("the pool looked dry, but something was free all the time");
}
static void take_two(void)
{
    kit_direct_take();
    kit_direct_take();
}
static void take_all(void)
{
    while (kit_direct_take())
        ;
}
static void take_give(void)
{
    kit_direct_give(kit_direct_take());
}
static void take_give_twice(void)
{
    take_give();
    take_give();
}
static void give_take_two(void)
{
    kit_direct_give(kit.spare[0]);
    take_two();
}
static void give_two(void)
{
    kit_direct_give(kit.spare[0]);
    kit_direct_give(kit.spare[1]);
}

static void *live_once(void)
{
    ledger_call_begins();
    void *object = begin_life();
    if (object && *(const uint64_t *)object < CONSTRUCTED)
        model_fail("what construct made is gone from slot %u", slot_of(object));
    if (object)
        kit_note_taken(object);
    ledger_call_ends();
    return object;
}
static void end_life(void *object)
{
    if (!object)
        return;
    ledger_call_begins();
    kit_note_given(object);
    tarn_calls_direct_free_(kit.pool, object);
    ledger_call_ends();
}
static void live_and_end(void)
{
    end_life(live_once());
}
static void retire_first(void)
{
    end_life(kit.held[0]);
}
static void retire_second(void)
{
    end_life(kit.held[1]);
}
static void retire_two(void)
{
    retire_first();
    retire_second();
}
static void prepare(void)
{
    tarn_pool_prepare(kit.pool, 2, 1, NULL);
}

/* ---- checks ---- */

/* Once all is quiet, what is free and whole can go. */
static void check_trim(void)
{
    if (!model_has_stopped()) {
        trim();
        uint64_t gone = tarn_u64_load_relaxed(&kit.pool->space.slots_trimmed);
        if (gone != 2 * GROUP)
            model_fail("%u slots of two groups can be trimmed", (uint32_t)gone);
    }
    kit_check();
}

static void check_retired(void)
{
    uint32_t retired = 0;
    for (uint32_t i = 0; i < SLOTS / GROUP; i++)
        retired += tarn_u32_load_relaxed(&kit.pool->groups[i].retired);
    if (!model_has_stopped() && retired != 2)
        model_fail("%u retired slots are counted in their groups", retired);
    kit_check();
}

#define FIRST_STOPS(name, set_up, ...) \
    CLIENT_ENTRY(name, CLIENT_FIRST_STOPS, set_up, kit_check, __VA_ARGS__)
#define LOCKING(name, set_up, ...) \
    CLIENT_ENTRY(name, CLIENT_LOCKING, set_up, kit_check, __VA_ARGS__)

static const client_entry clients[] = {
    FIRST_STOPS("trim_dry", loose_2, trim, take_two),
    FIRST_STOPS("trim_dry_magazines", magazines_2, trim, take_two),
    FIRST_STOPS("trim_magazines_of_two", magazines_of_two, trim, take_two),
    FIRST_STOPS("trim_sorted", sorted_2, trim, take_two),
    CLIENT_ENTRY("trim_beside_traffic", CLIENT_FIRST_STOPS, loose_2, check_trim, trim_twice,
                 take_give_twice),
    CLIENT_ENTRY("sorted_both", CLIENT_LOCK_FREE, sorted_2, kit_check, take, take_all),
    FIRST_STOPS("trim_beside_frees", loose_2, trim, give_take_two),
    CLIENT_ENTRY("trim_trimmed", CLIENT_FIRST_STOPS, trimmed_2, check_trim, trim, take_give_twice),
    LOCKING("trimmed_both", trimmed_without_slack, take, take),
    LOCKING("trimmed_look", trimmed_without_slack, take, look),
    FIRST_STOPS("trim_sorted_3", sorted_3, trim, take, take_give),
    FIRST_STOPS("trim_loose_3", loose_3, trim, take_give, give_two),
    LOCKING("trim_trimmed_3", trimmed_3, trim, take_give, take),
    LOCKING("trim_both", loose_2, trim, trim_twice),
    FIRST_STOPS("maintain_look", half_sorted, maintain, look),
    LOCKING("maintain_both", maintained, maintain, maintain),
    FIRST_STOPS("trim_hooks", hooks_free, trim_twice, live_and_end),
    CLIENT_ENTRY("trim_retired", CLIENT_FIRST_STOPS, hooks_spent, check_retired, trim_twice,
                 retire_two),
    CLIENT_ENTRY("retire_both", CLIENT_LOCK_FREE, hooks_spent_in_one, check_retired, retire_first,
                 retire_second),
    LOCKING("prepare_hooks", hooks_fresh, prepare, live_and_end),
};

client_list trim_clients(void)
{
    return CLIENT_LIST(clients);
}
