/* What a starving thread does: takes from others' shelves, asks their owners to drain, empties what
 * ended threads left. */
#include "clients/entry.h"
#include "clients/pool_kit.h"
#include "engine/failure.h"
#include "engine/scheduler.h"

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

static void take_five(void)
{
    take_three();
    take_two();
}

static void give_three(void)
{
    for (uint32_t i = 0; i < 3; i++)
        kit_give(kit.spare[i]);
}

/* Thread 1 has `count` free objects: first its array, then its shelf. All others are taken. */
static void owner_has(uint32_t cache_objects_max, uint32_t threads, uint32_t count)
{
    kit_make_small(cache_objects_max, threads, threads);
    kit_exhaust();
    kit_put(1, count);
    kit_ready();
}
static void shelf_of_one(void)
{
    owner_has(3, 2, 3);
}
static void shelf_of_one_3(void)
{
    owner_has(3, 3, 3);
}
static void shelf_of_two(void)
{
    owner_has(4, 2, 4);
}
static void shelf_empty(void)
{
    owner_has(3, 2, 0);
}
static void array_only(void)
{
    owner_has(2, 2, 2);
}
static void array_only_3(void)
{
    owner_has(2, 3, 2);
}

/* No more than two objects are live at any time, which the pool promises to serve: thread 1 starts
 * with one, its array full, and thread 2 with nothing. */
static void within_capacity(void)
{
    kit_make_small(1, 2, 2);
    kit_exhaust();
    kit_put_depot(1, 1);
    kit_put_loose(kit.spare_count - 2);
    kit_put(1, 1);
    kit_ready();
}

static void give_take_give(void)
{
    kit_give(kit.spare[0]);
    take_give();
}

static void take_give_take(void)
{
    take_give();
    kit_take();
}

/* A guest thread's cache among them: thread 1 uses the guest calls. */
static void guest_and_owner(uint32_t threads)
{
    kit_make_small(2, threads, 0);
    kit_ready();
}
static void guests_share_one_2(void)
{
    guest_and_owner(2);
}
static void guests_share_one_3(void)
{
    guest_and_owner(3);
}

static void guest_take_give(void)
{
    kit_guest_give(kit_guest_take());
}

static void guest_take(void)
{
    kit_guest_take();
}

/* Magazines of three, two of them in the depot: breaking one up makes two loose at once. */
static void magazines_of_three(void)
{
    kit_make_small(12, 2, 1);
    kit_exhaust();
    kit_put_depot(1, 6);
    kit_ready();
}

static void direct_take(void)
{
    kit_direct_take();
}

static void direct_take_give(void)
{
    kit_direct_give(kit_direct_take());
}

static void direct_take_give_two(void)
{
    void *one = kit_direct_take();
    void *two = kit_direct_take();
    kit_direct_give(one);
    kit_direct_give(two);
}

static void guest_take_give_two(void)
{
    void *one = kit_guest_take();
    void *two = kit_guest_take();
    kit_guest_give(one);
    kit_guest_give(two);
}

/* Thread 1 is a guest whose cache will be left full; thread 2 has a cache, and starves. */
static void guest_leaves(uint32_t threads)
{
    tarn_pool_options options = {
        .object_bytes = 8, .capacity = 2, .caches_max = threads, .cache_objects_max = 2};
    kit_make(&options, threads, 0);
    for (uint32_t i = 2; i <= threads; i++)
        tarn_cache_attach(kit.pool, &kit.caches[i]);
    kit_exhaust();
    kit_ready();
}
static void guest_leaves_2(void)
{
    guest_leaves(2);
}
static void guest_leaves_3(void)
{
    guest_leaves(3);
}

/* As with two, but the third thread has no cache yet: it gets the one that was left, or that the
 * second has emptied. */
static void guest_leaves_one_waits(void)
{
    tarn_pool_options options = {
        .object_bytes = 8, .capacity = 2, .caches_max = 2, .cache_objects_max = 2};
    kit_make(&options, 3, 0);
    tarn_cache_attach(kit.pool, &kit.caches[2]);
    kit_exhaust();
    kit_ready();
}

static void attach_take(void)
{
    if (tarn_cache_attach(kit.pool, &kit.caches[model_self()]) == TARN_OK)
        kit_take_hold();
}

/* The starving thread has asked; the owner answers at its next call; then there is something. */
static void ask_and_take(void)
{
    kit_take();
    kit_signal(1);
    kit_await(2);
    if (!kit_take())
        model_fail("the owner did not drain");
}
static void answer(void)
{
    kit_await(1);
    take_give();
    kit_signal(2);
}

static void guest_give_two(void)
{
    kit_guest_give(kit.spare[0]);
    kit_guest_give(kit.spare[1]);
}

/* All caches are taken: these threads go to the depot one object at a time. */
static void no_cache_left(uint32_t cache_objects_max, uint32_t put)
{
    kit_make_small(cache_objects_max, 3, 1);
    kit_exhaust();
    kit_put(1, put);
    kit_ready();
}
static void depot_only(void)
{
    kit_make_small(2, 3, 1);
    kit_exhaust();
    kit_put_depot(1, 2);
    kit_ready();
}
static void shelf_only(void)
{
    no_cache_left(8, 6);
}
static void magazines_only(void)
{
    kit_make_small(8, 2, 1);
    kit_exhaust();
    kit_put_depot(1, 4);
    kit_ready();
}

#define CLIENT(name, set_up, ...) \
    CLIENT_ENTRY(name, CLIENT_LOCK_FREE, set_up, kit_check, __VA_ARGS__)
#define LOCKING(name, set_up, ...) \
    CLIENT_ENTRY(name, CLIENT_LOCKING, set_up, kit_check, __VA_ARGS__)

static const client_entry clients[] = {
    CLIENT("shelf_owner_thief", shelf_of_one, take_three, take_two),
    CLIENT("shelf_put_steal", shelf_empty, give_three, take_two),
    CLIENT("shelf_of_two", shelf_of_two, take_three, take_two),
    CLIENT("shelf_3", shelf_of_one_3, take_three, kit_take_hold, kit_take_hold),
    CLIENT("drain_request", array_only, take_give, take_two),
    CLIENT("drain_request_3", array_only_3, take_give, kit_take_hold, kit_take_hold),
    LOCKING("drain_request_answered", array_only, answer, ask_and_take),
    CLIENT("capacity", within_capacity, give_take_give, take_give_take),
    CLIENT("direct", depot_only, take_two, direct_take_give),
    CLIENT("direct_split", magazines_only, take_three, direct_take_give_two),
    CLIENT("direct_split_of_three", magazines_of_three, direct_take_give_two, direct_take_give_two),
    CLIENT("direct_split_both", magazines_only, direct_take_give_two, direct_take_give_two),
    CLIENT("direct_steal", shelf_only, take_five, direct_take_give_two),
    CLIENT("direct_both", depot_only, direct_take_give_two, direct_take_give_two),
    CLIENT("direct_3", depot_only, take_two, direct_take, direct_take_give),
    LOCKING("guest_without_cache", depot_only, guest_take_give_two, guest_take_give_two),
    LOCKING("guest_claim", guests_share_one_2, guest_take_give, guest_take_give),
    LOCKING("guest_claim_3", guests_share_one_3, guest_take_give, guest_take, guest_take),
    LOCKING("reclaim_left", guest_leaves_2, guest_give_two, take_two),
    LOCKING("reclaim_left_3", guest_leaves_3, guest_give_two, kit_take_hold, kit_take_hold),
    LOCKING("reclaim_and_attach_3", guest_leaves_one_waits, guest_give_two, take_two, attach_take),
};

client_list sharing_clients(void)
{
    return CLIENT_LIST(clients);
}
