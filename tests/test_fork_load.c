/* T34: a process forks while its threads are at work, anywhere in the library. The child, with one
 * thread left, uses the pools, clears and destroys them and makes new ones; nothing hangs it. */
#define _GNU_SOURCE /* fork, alarm */

#include "support/child.h"

#define HAMMERS         4u
#define HELD_MAX        8u /* objects that one hammer holds at most */
#define KEPT            20u
#define LOAD_CAPACITY   400u
#define LOAD_SLOTS_MAX  4096u
#define LOAD_FORKS      60u
#define OBJECT_BYTES    16u
#define CACHES_MAX      6u
#define LOAD_POOLS      3u /* with caches; exact; growing */
#define CALLS_PER_GUEST 200u
#define CROWD_POOLS     200u /* a thread's end walks them all under the registry's lock */
#define CROWD_CACHES    8u

typedef struct load {
    tarn_pool *pools[LOAD_POOLS];
    void *kept[LOAD_POOLS][KEPT]; /* the forking thread's */
    tarn_pool *crowd[CROWD_POOLS];
    atomic_uint stop, rounds, hammers;
} load;

typedef struct hands {
    void *objects[HELD_MAX];
    uint64_t random;
} hands;

static bool may_grow(void *context, tarn_pool *pool, size_t now, size_t next)
{
    (void)context, (void)pool, (void)now, (void)next;
    tarn_thread_yield(); /* so that forks find growths under way */
    return true;
}

static tarn_pool_options load_options(uint32_t which)
{
    return (tarn_pool_options){
        .object_bytes = OBJECT_BYTES,
        .capacity = which == 2 ? 1 : LOAD_CAPACITY,
        .capacity_max = LOAD_CAPACITY,
        .grow_objects = 1,
        .caches_max = CACHES_MAX,
        .cache_objects_max = 12,
        .exact = which == 1,
        .grow = may_grow,
    };
}

static void take_or_give(tarn_pool *pool, tarn_cache *cache, hands *own)
{
    void **place = &own->objects[kit_random(&own->random) % HELD_MAX];
    if (!*place)
        *place = cache ? tarn_alloc(cache) : tarn_guest_alloc(pool);
    else if (cache)
        tarn_free(cache, *place), *place = NULL;
    else
        tarn_guest_free(pool, *place), *place = NULL;
}

static void hammer_pool(tarn_pool *pool, bool as_guest, uint64_t seed)
{
    hands own = {.random = seed};
    tarn_cache *cache = NULL;
    if (!as_guest)
        (void)tarn_cache_attach(pool, &cache); /* as a guest, where all are taken */
    for (uint32_t i = 0; i < CALLS_PER_GUEST; i++)
        take_or_give(pool, cache, &own);
    for (uint32_t i = 0; i < HELD_MAX; i++)
        if (own.objects[i])
            tarn_guest_free(pool, own.objects[i]);
    if (cache)
        tarn_cache_detach(cache);
}

/* Holds the registry's lock again and again. */
static void make_a_pool(void)
{
    tarn_pool_options options = {.object_bytes = 8, .capacity = 4, .caches_max = 1};
    tarn_pool *pool = NULL;
    if (tarn_pool_create(&options, &pool) == TARN_OK)
        tarn_pool_destroy(pool);
}

static int guest_thread(void *argument)
{
    load *l = argument;
    for (uint32_t i = 0; i < LOAD_POOLS; i++)
        hammer_pool(l->pools[i], true, i + 1);
    return 0;
}

static int passing_thread(void *argument)
{
    load *l = argument;
    tarn_guest_free(l->pools[0], tarn_guest_alloc(l->pools[0]));
    return 0;
}

/* Threads that come for one call and end, all the time. */
static int crowd_thread(void *argument)
{
    load *l = argument;
    while (!atomic_load(&l->stop)) {
        tarn_thread passing;
        if (tarn_thread_create(&passing, passing_thread, l))
            tarn_thread_join(passing);
    }
    return 0;
}

static int hammer_thread(void *argument)
{
    load *l = argument;
    uint64_t random = atomic_fetch_add(&l->hammers, 1) + 1;
    while (!atomic_load(&l->stop)) {
        for (uint32_t i = 0; i < LOAD_POOLS; i++)
            hammer_pool(l->pools[i], kit_random(&random) % 2, kit_random(&random));
        make_a_pool();
        tarn_thread guest; /* its end leaves caches */
        if (tarn_thread_create(&guest, guest_thread, l))
            tarn_thread_join(guest);
        atomic_fetch_add(&l->rounds, 1);
    }
    return 0;
}

/* Takes all that the pool has. Returns how many; none of them may be one of the kept. */
static size_t take_everything(int *failures, tarn_pool *pool, void *const *kept, size_t kept_count)
{
    static void *taken[LOAD_SLOTS_MAX];
    size_t count = 0;
    while (count < LOAD_SLOTS_MAX - KEPT && (taken[count] = tarn_guest_alloc(pool)))
        memset(taken[count++], 0x11, OBJECT_BYTES);
    for (size_t i = 0; i < kept_count; i++)
        taken[count + i] = kept[i];
    KIT_EXPECT(failures, kit_are_apart(taken, count + kept_count, OBJECT_BYTES));
    for (size_t i = 0; i < count; i++)
        tarn_guest_free(pool, taken[i]);
    return count;
}

static void check_caches(int *failures, tarn_pool *pool)
{
    tarn_cache *cache = NULL;
    tarn_status status = tarn_cache_attach(pool, &cache);
    KIT_EXPECT(failures, status == TARN_OK || status == TARN_ERROR_NO_CACHE);
    if (status != TARN_OK)
        return;
    tarn_free(cache, tarn_alloc(cache));
    KIT_EXPECT(failures, tarn_cache_detach(cache) == TARN_OK);
}

/* Everything is free again, and every cache but the caller's own can be attached. */
static void check_cleared(int *failures, tarn_pool *pool)
{
    KIT_EXPECT(failures, tarn_pool_clear(pool) == TARN_OK);
    child_expect_conserved(failures, pool, 0);
    KIT_EXPECT(failures, take_everything(failures, pool, NULL, 0) >= LOAD_CAPACITY);
    child_expect_conserved(failures, pool, 0);
    check_caches(failures, pool);
    KIT_EXPECT(failures, tarn_pool_destroy(pool) == TARN_OK);
}

/* TSan refuses threads in the child of a process that had several. ASan's allocator (gcc 12) does
 * not see forks at all: the child hangs on a lock of its own that a vanished thread held. */
#if defined(__SANITIZE_ADDRESS__)
#define CHILD_HAS_MALLOC 0
#elif defined(__SANITIZE_THREAD__)
#define CHILD_HAS_THREADS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHILD_HAS_MALLOC 0
#elif __has_feature(thread_sanitizer)
#define CHILD_HAS_THREADS 0
#endif
#endif
#ifndef CHILD_HAS_MALLOC
#define CHILD_HAS_MALLOC 1
#endif
#ifndef CHILD_HAS_THREADS
#define CHILD_HAS_THREADS 1
#endif

static int child_of_load(void *argument)
{
    load *l = argument;
    int failures = 0;
    if (CHILD_HAS_THREADS) {
        tarn_thread thread;
        KIT_EXPECT(&failures, tarn_thread_create(&thread, guest_thread, l));
        tarn_thread_join(thread);
    }
    for (uint32_t i = 0; i < LOAD_POOLS; i++) {
        check_caches(&failures, l->pools[i]);
        size_t taken = take_everything(&failures, l->pools[i], l->kept[i], KEPT);
        /* An object in transit is lost where there is no slack: in the exact pool. */
        KIT_EXPECT(&failures, taken + KEPT + 2 * HAMMERS * (HELD_MAX + 1) >= LOAD_CAPACITY);
        check_cleared(&failures, l->pools[i]);
    }
    make_a_pool();
    return failures;
}

static void make_crowd(load *l)
{
    tarn_pool_options options = {.object_bytes = 8, .capacity = 4, .caches_max = CROWD_CACHES};
    for (uint32_t i = 0; i < CROWD_POOLS; i++) {
        l->crowd[i] = kit_pool(&options);
        for (uint32_t k = 0; k < CROWD_CACHES; k++)
            kit_attach(l->crowd[i]);
    }
}

static void make_load(load *l)
{
    make_crowd(l);
    for (uint32_t i = 0; i < LOAD_POOLS; i++) {
        tarn_pool_options options = load_options(i);
        l->pools[i] = kit_pool(&options);
        for (uint32_t k = 0; k < KEPT; k++)
            assert_non_null(l->kept[i][k] = tarn_guest_alloc(l->pools[i]));
    }
}

static void t34_a_child_forked_under_load_uses_clears_and_destroys_the_pools(void **state)
{
    (void)state;
    if (!CHILD_HAS_MALLOC)
        skip();
    static load l;
    make_load(&l);
    tarn_thread hammers[HAMMERS];
    for (uint32_t i = 0; i < HAMMERS; i++)
        assert_true(tarn_thread_create(&hammers[i], i == 0 ? crowd_thread : hammer_thread, &l));
    for (uint32_t i = 0; i < LOAD_FORKS; i++) {
        unsigned before = atomic_load(&l.rounds);
        in_child(child_of_load, &l);
        while (atomic_load(&l.rounds) == before) /* the load goes on beside the forks */
            tarn_thread_yield();
    }
    atomic_store(&l.stop, 1);
    for (uint32_t i = 0; i < HAMMERS; i++)
        tarn_thread_join(hammers[i]);
    for (uint32_t i = 0; i < LOAD_POOLS; i++) {
        kit_expect_conserved(l.pools[i], KEPT);
        kit_clear_and_destroy(l.pools[i]);
    }
    for (uint32_t i = 0; i < CROWD_POOLS; i++)
        kit_destroy(l.crowd[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t34_a_child_forked_under_load_uses_clears_and_destroys_the_pools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
