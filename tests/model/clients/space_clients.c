/* Trimming beside allocations and frees: nothing is given out twice or refused though free, and no
 * memory is touched that went back. Objects fill a page, so that each is a group of its own. */
#include "clients/entry.h"
#include "clients/pool_kit.h"
#include "engine/failure.h"
#include "engine/scheduler.h"
#include "pool/state.h"
#include "tarn/space.h"

enum { CAPACITY = 4 };

static void make(uint32_t threads, uint32_t caches, uint32_t cache_objects_max)
{
    tarn_pool_options options = {.object_bytes = 4096,
                                 .capacity = CAPACITY,
                                 .caches_max = caches,
                                 .cache_objects_max = cache_objects_max};
    kit_make(&options, threads, caches);
    if (!kit.pool->plan.has_groups)
        model_fail("the pool has no groups to trim");
    kit_exhaust();
}

/* All but `taken` objects lie in the depot: two as full magazines, the others loose. */
static void free_but(uint32_t taken)
{
    make(2, 2, 1);
    kit_put_depot(1, 1);
    kit_put_depot(1, 1);
    kit_put_loose(kit.spare_count - taken);
}
static void all_free(void)
{
    free_but(0);
    kit_ready();
}
static void two_taken(void)
{
    free_but(2);
    kit_ready();
}
static void three_taken(void)
{
    free_but(3);
    kit_ready();
}

/* Thread 2 has an array and a shelf that trimming takes from. */
static void shelf_full(void)
{
    make(2, 2, 3);
    kit_put(2, 3);
    kit_ready();
}

static void trim_but(size_t keep_objects)
{
    tarn_status status = tarn_pool_trim(kit.pool, keep_objects, NULL);
    if (status != TARN_OK && status != TARN_ERROR_BUSY)
        model_fail("a trim answered %s", tarn_status_name(status));
}

static void trim_now(void)
{
    trim_but(0);
}
static void sort_only(void)
{
    trim_but(KIT_OBJECTS_MAX);
}

static void all_trimmed(void)
{
    free_but(0);
    trim_now();
    kit_ready();
}

static void prepare(void)
{
    tarn_pool_prepare(kit.pool, 1, 1, NULL);
}

static void take(void)
{
    kit_take();
}

static void take_give(void)
{
    kit_take_hold();
    kit_give_held();
}

static void take_two(void)
{
    take();
    take();
}

/* More than the array holds, so that the first comes to the depot. */
static void give_two(void)
{
    kit_give(kit.spare[0]);
    kit_give(kit.spare[1]);
}

#define CLIENT(name, set_up, ...) CLIENT_ENTRY(name, CLIENT_LOCKING, set_up, kit_check, __VA_ARGS__)
#define LOCK_FREE(name, set_up, ...) \
    CLIENT_ENTRY(name, CLIENT_LOCK_FREE, set_up, kit_check, __VA_ARGS__)

static const client_entry clients[] = {
    CLIENT("trim_take", three_taken, trim_now, take),
    CLIENT("trim_take_give", three_taken, trim_now, take_give),
    LOCK_FREE("trim_give", two_taken, trim_now, give_two),
    CLIENT("trim_shelf", shelf_full, sort_only, take_two),
    CLIENT("trim_trim", all_free, trim_now, trim_now),
    CLIENT("trimmed_take", all_trimmed, take, take),
    CLIENT("trimmed_take_two", all_trimmed, take_two, take),
    CLIENT("trimmed_prepare", all_trimmed, prepare, take),
};

client_list space_clients(void)
{
    return CLIENT_LIST(clients);
}
