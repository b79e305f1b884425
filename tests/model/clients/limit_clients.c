/* Pools at their limits: exact ones, growing ones, and reserved objects. */
#include "clients/entry.h"
#include "clients/pool_kit.h"
#include "engine/failure.h"
#include "engine/pages.h"
#include "engine/region.h"
#include "engine/scheduler.h"
#include "tarn/space.h"

static void take_give(void)
{
    kit_take_hold();
    kit_give_held();
}

static void take_two(void)
{
    kit_take();
    kit_take();
}

static void exact(uint32_t threads)
{
    tarn_pool_options options = {
        .object_bytes = 8, .capacity = 2, .caches_max = threads, .exact = true};
    kit_make(&options, threads, threads);
    kit_ready();
}
static void exact_2(void)
{
    exact(2);
}
static void exact_3(void)
{
    exact(3);
}

/* Both slots are in its hand at once. Nothing is refused by that. */
static void prepare_two(void)
{
    tarn_pool_prepare(kit.pool, 2, SIZE_MAX, NULL);
}

static void prepare_take(void)
{
    prepare_two();
    kit_take();
}

static void take_give_take(void)
{
    take_give();
    kit_take_hold();
}

/* Objects of a page each, so that each growth commits what nobody may touch before. */
static void growing(uint32_t threads, size_t capacity_max)
{
    tarn_pool_options options = {.object_bytes = MODEL_PAGE_BYTES,
                                 .capacity = 1,
                                 .capacity_max = capacity_max,
                                 .grow_objects = 1,
                                 .caches_max = threads,
                                 .cache_objects_max = 1};
    kit_make(&options, threads, threads);
    kit_exhaust();
    kit_ready();
}
static void growing_2(void)
{
    growing(2, 4);
}
/* The second part that is to be committed cannot be. */
static void growing_in_vain(void)
{
    growing_2();
    pages_fail_commits(2);
}
static void growing_3(void)
{
    growing(3, 3);
}
static void growing_exact(void)
{
    tarn_pool_options options = {.object_bytes = MODEL_PAGE_BYTES,
                                 .capacity = 1,
                                 .capacity_max = 3,
                                 .grow_objects = 1,
                                 .caches_max = 2,
                                 .exact = true};
    kit_make(&options, 2, 2);
    kit_ready();
}

static void reserving(uint32_t threads)
{
    kit_make_small(2, threads, threads);
    kit_exhaust();
    kit_put(1, 1);
    kit_put_loose(4);
    kit_ready();
}
static void reserving_2(void)
{
    reserving(2);
}
static void reserving_3(void)
{
    reserving(3);
}

/* What is reserved cannot be refused, whatever others take meanwhile. */
static void reserve_take_two(void)
{
    ledger_reserve(2);
    if (tarn_cache_reserve(kit.caches[model_self()], 2) != TARN_OK) {
        ledger_reserve(0);
        return;
    }
    if (!kit_take() || !kit_take())
        model_fail("a reserved object was refused");
}

/* More than the array holds, so that some are put aside and given back at the end. */
static void reserve_and_end(void)
{
    ledger_reserve(4);
    tarn_cache_reserve(kit.caches[model_self()], 4);
    tarn_cache_reserve(kit.caches[model_self()], 0);
    ledger_reserve(0);
}

static void reserving_exact(void)
{
    tarn_pool_options options = {.object_bytes = 8, .capacity = 3, .caches_max = 2, .exact = true};
    kit_make(&options, 2, 2);
    kit_ready();
}

#define CLIENT(name, set_up, ...) \
    CLIENT_ENTRY(name, CLIENT_LOCK_FREE, set_up, kit_check, __VA_ARGS__)
#define LOCKING(name, set_up, ...) \
    CLIENT_ENTRY(name, CLIENT_LOCKING, set_up, kit_check, __VA_ARGS__)

static const client_entry clients[] = {
    CLIENT("exact", exact_2, take_give_take, take_give_take),
    CLIENT("exact_3", exact_3, take_give, take_give, kit_take_hold),
    LOCKING("exact_prepare", exact_2, prepare_two, take_two),
    LOCKING("exact_prepare_both", exact_2, prepare_take, prepare_take),
    LOCKING("exact_prepare_3", exact_3, prepare_two, take_give, kit_take_hold),
    LOCKING("grow", growing_2, take_two, kit_take_hold),
    LOCKING("grow_in_vain", growing_in_vain, take_two, kit_take_hold),
    LOCKING("grow_3", growing_3, kit_take_hold, kit_take_hold, take_give),
    LOCKING("grow_exact", growing_exact, take_two, take_two),
    LOCKING("grow_exact_prepare", growing_exact, prepare_two, take_two),
    CLIENT("reserve", reserving_2, reserve_take_two, take_two),
    CLIENT("reserve_both", reserving_2, reserve_take_two, reserve_and_end),
    CLIENT("reserve_3", reserving_3, reserve_take_two, kit_take_hold, take_give),
    CLIENT("reserve_exact", reserving_exact, reserve_take_two, take_two),
};

client_list limit_clients(void)
{
    return CLIENT_LIST(clients);
}
