/* Caches that come and go while others work, and a pool that is cleared. */
#include "clients/entry.h"
#include "clients/pool_kit.h"
#include "engine/failure.h"
#include "engine/scheduler.h"

/* One cache, thread 1's, with two free objects in it. Others wait to get it. */
static void one_cache(uint32_t threads)
{
    kit_make_small(2, threads, 1);
    kit_exhaust();
    kit_put(1, 2);
    kit_ready();
}
static void one_cache_2(void)
{
    one_cache(2);
}
static void one_cache_3(void)
{
    one_cache(3);
}

static void shelf_cache(void)
{
    kit_make_small(3, 2, 2);
    kit_exhaust();
    kit_put(1, 3);
    kit_ready();
}

/* Magazines of three; thread 1 leaves two objects, less than one, which become loose together. */
static void two_left_over(void)
{
    kit_make_small(12, 2, 2);
    kit_exhaust();
    kit_put(1, 2);
    kit_ready();
}

static void detach(void)
{
    tarn_cache *cache = kit.caches[model_self()];
    kit.caches[model_self()] = NULL;
    if (cache && tarn_cache_detach(cache) != TARN_OK)
        model_fail("a cache cannot be detached by its user");
}

/* Two threads that end the same cache: one does, the other is told so. */
static void detach_first(void)
{
    if (tarn_cache_detach(kit.caches[1]) == TARN_OK)
        kit.held[model_self()] = kit.pool;
}
static void check_one_detached(void)
{
    if ((kit.held[1] == NULL) == (kit.held[2] == NULL))
        model_fail("a cache was detached by both threads, or by neither");
    kit.caches[1] = NULL;
    kit_check();
}

static void detach_attach(void)
{
    detach();
    tarn_cache_attach(kit.pool, &kit.caches[model_self()]);
    if (kit.caches[model_self()])
        kit_take_hold();
}

static void attach_take(void)
{
    if (tarn_cache_attach(kit.pool, &kit.caches[model_self()]) == TARN_OK)
        kit_take_hold();
}

static void take_detach(void)
{
    kit_take_hold();
    detach();
}

static void take_two(void)
{
    kit_take();
    kit_take();
}

/* Two threads that attach where no cache was ever used. */
static void no_cache_yet(void)
{
    tarn_pool_options options = {
        .object_bytes = 8, .capacity = 2, .caches_max = 2, .cache_objects_max = 1};
    kit_make(&options, 2, 0);
    kit_ready();
}

static void guests_only(void)
{
    tarn_pool_options options = {
        .object_bytes = 8, .capacity = 2, .caches_max = 1, .cache_objects_max = 2};
    kit_make(&options, 3, 0);
    kit_ready();
}

static void guest_hold(void)
{
    kit.held[model_self()] = kit_guest_take();
}

/* A second use, after another thread may have ended and left its cache. */
static void guest_give_back(void)
{
    void *object = kit_guest_take();
    kit_guest_give(object);
}

/* Thread 1 works, so that a magazine is in use, and says so; thread 2 clears the pool and works. */
static void work_then_signal(void)
{
    void *objects[] = {kit_take(), kit_take(), kit_take()};
    for (uint32_t i = 0; i < 3; i++)
        kit_give(objects[i]);
    kit_take_hold();
    kit_signal(1);
}

static void clear_then_work(void)
{
    kit_await(1);
    if (kit.held[1])
        kit_note_given(kit.held[1]);
    tarn_pool_clear(kit.pool);
    take_two();
}

static void clear_set_up(void)
{
    kit_make_small(3, 2, 2);
    kit_ready();
}

#define CLIENT(name, set_up, ...) \
    CLIENT_ENTRY(name, CLIENT_LOCK_FREE, set_up, kit_check, __VA_ARGS__)
#define LOCKING(name, set_up, ...) \
    CLIENT_ENTRY(name, CLIENT_LOCKING, set_up, kit_check, __VA_ARGS__)

static const client_entry clients[] = {
    CLIENT("attach_attach", no_cache_yet, attach_take, attach_take),
    CLIENT_ENTRY("detach_by_both", CLIENT_LOCKING, one_cache_2, check_one_detached, detach_first,
                 detach_first),
    LOCKING("detach_attach", one_cache_2, take_detach, attach_take),
    LOCKING("detach_twice", one_cache_2, detach_attach, attach_take),
    CLIENT("detach_beside_thief", shelf_cache, detach, take_two),
    CLIENT("detach_two_left_over", two_left_over, detach, take_two),
    LOCKING("detach_attach_3", one_cache_3, detach, attach_take, attach_take),
    LOCKING("guest_end", guests_only, guest_give_back, guest_hold),
    LOCKING("guest_adoption_3", guests_only, guest_give_back, guest_give_back, guest_hold),
    LOCKING("clear", clear_set_up, work_then_signal, clear_then_work),
};

client_list lifetime_clients(void)
{
    return CLIENT_LIST(clients);
}
