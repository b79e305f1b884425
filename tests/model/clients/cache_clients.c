/* Caches between their users and the depot: refill, drain, the shelf, whole batches. */
#include "clients/entry.h"
#include "clients/pool_kit.h"
#include "engine/failure.h"

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

static void take_three(void)
{
    take_two();
    kit_take();
}

static void give_spares(uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        kit_give(kit.spare[i]);
}
static void give_low_spares(void)
{
    give_spares(0, 3);
}
static void give_high_spares(void)
{
    give_spares(3, 3);
}

/* Nothing was carved yet, and nothing is free. */
static void fresh_2(void)
{
    kit_make_small(2, 2, 2);
    kit_ready();
}
static void fresh_3(void)
{
    kit_make_small(1, 3, 3);
    kit_ready();
}

/* Arrays of two without a shelf: the depot has two full magazines of one, one after
 * the other, the caches nothing. */
static void depot_full(uint32_t threads)
{
    kit_make_small(2, threads, threads);
    kit_exhaust();
    kit_put_depot(1, 2);
    kit_ready();
}
static void depot_full_2(void)
{
    depot_full(2);
}
static void depot_full_3(void)
{
    depot_full(3);
}

/* All objects are spares, to be given. */
static void all_taken(uint32_t cache_objects_max, uint32_t threads)
{
    kit_make_small(cache_objects_max, threads, threads);
    kit_exhaust();
    kit_ready();
}
static void all_taken_2(void)
{
    all_taken(2, 2);
}
static void all_taken_3(void)
{
    all_taken(2, 3);
}
static void all_taken_chains(void)
{
    all_taken(6, 2);
}

/* Two magazines of two objects each, in the depot. */
static void magazines_of_two(void)
{
    kit_make_small(8, 2, 2);
    kit_exhaust();
    kit_put_depot(1, 4);
    kit_ready();
}

/* A chain of three in the depot: what took it puts two on its shelf, linked as they came. */
static void chain_of_three(void)
{
    kit_make_small(6, 2, 2);
    kit_use_chains_of_three(2);
    kit_exhaust();
    kit_put(1, 9);
    kit_ready();
}

static void give_six(void)
{
    give_spares(0, 7);
}

static void bulk_take_give(void)
{
    void *objects[2];
    if (tarn_alloc_bulk(kit.caches[model_self()], 2, objects) != TARN_OK)
        return;
    for (int i = 0; i < 2; i++)
        kit_note_taken(objects[i]);
    for (int i = 0; i < 2; i++)
        kit_note_given(objects[i]);
    tarn_free_bulk(kit.caches[model_self()], 2, objects);
}

static void sample(void)
{
    tarn_pool_statistics statistics;
    tarn_pool_sample(kit.pool, &statistics);
    if (statistics.live > kit.slots || statistics.free_in_caches > kit.slots ||
        statistics.free_in_depot > kit.slots || statistics.frees > statistics.allocs)
        model_fail("a figure is not possible");
}

#define CLIENT(name, set_up, ...) \
    CLIENT_ENTRY(name, CLIENT_LOCK_FREE, set_up, kit_check, __VA_ARGS__)

static const client_entry clients[] = {
    CLIENT("carve", fresh_2, take_two, take_two),
    CLIENT("carve_3", fresh_3, take_two, take_give, take_give),
    CLIENT("refill", depot_full_2, take_two, take_two),
    CLIENT("refill_3", depot_full_3, take_give, kit_take_hold, kit_take_hold),
    CLIENT("drain", all_taken_2, give_low_spares, give_high_spares),
    CLIENT("drain_refill", all_taken_2, give_low_spares, take_two),
    CLIENT("drain_refill_3", all_taken_3, give_low_spares, kit_take_hold, kit_take_hold),
    CLIENT("chains_through_depot", all_taken_chains, give_six, take_two),
    CLIENT("chain_of_three", chain_of_three, take_three, take_three),
    CLIENT("magazines_of_two", magazines_of_two, take_two, take_two),
    CLIENT("bulk", depot_full_2, bulk_take_give, take_give),
    CLIENT("sample", depot_full_2, take_two, sample),
    CLIENT("sample_drain", all_taken_2, give_low_spares, sample),
};

client_list cache_clients(void)
{
    return CLIENT_LIST(clients);
}
