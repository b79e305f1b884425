/* What the pool promises about its capacity, and each cache about its bound. */
#include "support/kit.h"

static void t1_all_objects_are_found_wherever_an_idle_cache_left_them(void **state)
{
    (void)state;
    static const size_t capacities[] = {1, 2, 3, 7, 32, 63, 64, 65, 100, 500, 5000, 40000};
    static const uint32_t cache_counts[] = {1, 2, 3, 8, 64};
    for (size_t c = 0; c < sizeof capacities / sizeof *capacities; c++)
        for (size_t w = 0; w < sizeof cache_counts / sizeof *cache_counts; w++) {
            size_t capacity = capacities[c];
            uint32_t caches_max = cache_counts[w];
            tarn_pool *pool = kit_small_pool(capacity, caches_max + 1, 0);
            void **objects = kit_array(capacity);
            for (uint32_t i = 0; i < caches_max; i++) {
                tarn_cache *idle = kit_attach(pool);
                assert_int_equal(kit_alloc_many(idle, objects, capacity), capacity);
                kit_free_many(idle, objects, capacity);
            }
            tarn_cache *cache = kit_attach(pool);
            assert_int_equal(kit_alloc_many(cache, objects, capacity), capacity);
            assert_true(kit_are_apart(objects, capacity, 16));
            kit_free_many(cache, objects, capacity);
            free(objects);
            kit_destroy(pool);
        }
}

static void t1_every_cache_bound_leaves_the_capacity_whole(void **state)
{
    (void)state;
    enum { CAPACITY = 300, CACHES = 5 };
    for (uint32_t bound = 1; bound <= 400; bound++) {
        tarn_pool *pool = kit_small_pool(CAPACITY, CACHES, bound);
        tarn_cache *caches[CACHES];
        void *objects[CAPACITY];
        for (int i = 0; i < CACHES; i++)
            caches[i] = kit_attach(pool);
        for (int i = 0; i < 2 * CACHES; i++) {
            tarn_cache *cache = caches[i % CACHES];
            assert_int_equal(kit_alloc_many(cache, objects, CAPACITY), CAPACITY);
            kit_free_many(caches[(i + 1) % CACHES], objects, CAPACITY);
        }
        kit_expect_conserved(pool, 0);
        kit_destroy(pool);
    }
}

static void t2_two_caches_share_a_pool_no_larger_than_a_batch(void **state)
{
    (void)state;
    for (size_t capacity = 2; capacity <= 64; capacity++) {
        tarn_pool *pool = kit_small_pool(capacity, 2, 64);
        tarn_cache *first = kit_attach(pool);
        tarn_cache *second = kit_attach(pool);
        void *one = tarn_alloc(first);
        void *other = tarn_alloc(second);
        assert_non_null(one);
        assert_non_null(other);
        assert_ptr_not_equal(one, other);
        tarn_free(first, other);
        tarn_free(second, one);
        kit_destroy(pool);
    }
}

static void t3_a_capacity_below_what_its_caches_could_hold_works(void **state)
{
    (void)state;
    enum { CACHES = 8 };
    for (size_t capacity = 1; capacity <= 80; capacity++) {
        tarn_pool *pool = kit_small_pool(capacity, CACHES, 32);
        tarn_cache *caches[CACHES];
        void *objects[80];
        for (int i = 0; i < CACHES; i++)
            caches[i] = kit_attach(pool);
        for (size_t i = 0; i < capacity; i++)
            assert_non_null(objects[i] = tarn_alloc(caches[i % CACHES]));
        for (size_t i = 0; i < capacity; i++)
            tarn_free(caches[(i + 3) % CACHES], objects[i]);
        assert_int_equal(kit_alloc_many(caches[0], objects, capacity), capacity);
        kit_free_many(caches[0], objects, capacity);
        kit_destroy(pool);
    }
}

static void t4_a_burst_takes_cache_and_depot_together_or_nothing(void **state)
{
    (void)state;
    enum { CAPACITY = 1000 };
    tarn_pool *pool = kit_small_pool(CAPACITY, 1, 64);
    tarn_cache *cache = kit_attach(pool);
    void *objects[CAPACITY];
    assert_int_equal(kit_alloc_many(cache, objects, CAPACITY), CAPACITY);
    kit_free_many(cache, objects, CAPACITY);
    tarn_pool_statistics before = kit_sample(pool);
    assert_in_range(before.free_in_caches, 1, 64);
    void **burst = kit_array(4 * CAPACITY);
    kit_expect_status(tarn_alloc_bulk(cache, 4 * CAPACITY, burst), TARN_ERROR_FULL);
    kit_expect_conserved(pool, 0);
    kit_expect_status(tarn_alloc_bulk(cache, CAPACITY, burst), TARN_OK);
    assert_true(kit_are_apart(burst, CAPACITY, 16));
    kit_expect_status(tarn_free_bulk(cache, CAPACITY, burst), TARN_OK);
    free(burst);
    kit_destroy(pool);
}

/* Any mix of single and bulk calls on one cache; after each, the cache is looked at. */
static void run_bounded(uint32_t bound, uint64_t seed, int rounds)
{
    enum { LIVE_MAX = 6000 };
    tarn_pool *pool = kit_small_pool(LIVE_MAX, 2, bound);
    tarn_cache *other = kit_attach(pool);
    tarn_cache *cache = kit_attach(pool);
    uint64_t bound_used = kit_info(pool).cache_objects_max;
    void **live = kit_array(LIVE_MAX);
    size_t count = 0;
    assert_in_range(bound_used, 1, bound);
    for (int round = 0; round < rounds; round++) {
        size_t burst = 1 + kit_random(&seed) % (2 * bound_used);
        bool is_bulk = kit_random(&seed) % 4 == 0;
        if (kit_random(&seed) % 2) {
            burst = burst < LIVE_MAX - count ? burst : LIVE_MAX - count;
            if (is_bulk)
                kit_expect_status(tarn_alloc_bulk(cache, burst, live + count), TARN_OK);
            else
                assert_int_equal(kit_alloc_many(cache, live + count, burst), burst);
            count += burst;
        } else {
            burst = burst < count ? burst : count;
            count -= burst;
            if (is_bulk)
                kit_expect_status(tarn_free_bulk(cache, burst, live + count), TARN_OK);
            for (size_t i = 0; i < burst && !is_bulk; i++) {
                tarn_free(cache, live[count + i]);
                assert_in_range(kit_sample(pool).free_in_caches, 0, bound_used);
            }
        }
        assert_in_range(kit_sample(pool).free_in_caches, 0, bound_used);
    }
    /* The other cache never held anything, so the figure was this cache's alone. */
    kit_detach(other);
    kit_expect_conserved(pool, count);
    kit_free_many(cache, live, count);
    free(live);
    kit_destroy(pool);
}

static void t6_a_cache_never_holds_more_than_its_bound(void **state)
{
    (void)state;
    for (uint32_t bound = 1; bound <= 64; bound++)
        run_bounded(bound, 1000 + bound, 200);
    static const uint32_t larger[] = {65, 100, 127, 128, 129, 191, 192, 193, 1000, 2176, 2500};
    for (size_t i = 0; i < sizeof larger / sizeof *larger; i++)
        run_bounded(larger[i], 2000 + larger[i], 60);
}

static void t8_the_smallest_cache_bounds_work(void **state)
{
    (void)state;
    enum { CAPACITY = 20 };
    for (uint32_t bound = 0; bound <= 3; bound++) {
        tarn_pool *pool = kit_small_pool(CAPACITY, 3, bound);
        tarn_pool_info info = kit_info(pool);
        void *objects[CAPACITY];
        assert_in_range(info.cache_objects_max, 1, bound ? bound : CAPACITY);
        assert_in_range(info.magazine_objects, 1, info.cache_objects_max);
        tarn_cache *cache = kit_attach(pool);
        tarn_cache *other = kit_attach(pool);
        for (int round = 0; round < 100; round++) {
            assert_int_equal(kit_alloc_many(cache, objects, CAPACITY), CAPACITY);
            assert_true(kit_are_apart(objects, CAPACITY, 16));
            kit_free_many(round % 2 ? cache : other, objects, CAPACITY);
        }
        kit_expect_conserved(pool, 0);
        kit_destroy(pool);
    }
}

/* A ring between one producer and one consumer. */
enum { RING = 256, HANDED_OVER = 1000000 };

typedef struct handoff {
    tarn_pool *pool;
    bool produces;
    struct ring {
        atomic_size_t head, tail;
        void *objects[RING];
    } * ring;
} handoff;

static int produce(handoff *side, tarn_cache *cache)
{
    int failures = 0;
    for (size_t i = 0; i < HANDED_OVER && failures == 0; i++) {
        while (i - atomic_load(&side->ring->tail) == RING)
            tarn_thread_yield();
        size_t *object = tarn_alloc(cache);
        KIT_EXPECT(&failures, object != NULL);
        if (object)
            *object = i;
        side->ring->objects[i % RING] = object;
        atomic_store(&side->ring->head, i + 1);
    }
    return failures;
}

static int consume(handoff *side, tarn_cache *cache)
{
    int failures = 0;
    for (size_t i = 0; i < HANDED_OVER && failures == 0; i++) {
        while (atomic_load(&side->ring->head) == i)
            tarn_thread_yield();
        size_t *object = side->ring->objects[i % RING];
        atomic_store(&side->ring->tail, i + 1);
        KIT_EXPECT(&failures, object && *object == i);
        if (object)
            tarn_free(cache, object);
    }
    return failures;
}

static int hand_over(void *argument)
{
    handoff *side = argument;
    tarn_cache *cache = NULL;
    if (tarn_cache_attach(side->pool, &cache) != TARN_OK)
        return 1;
    int failures = side->produces ? produce(side, cache) : consume(side, cache);
    tarn_cache_detach(cache);
    return failures;
}

static void t9_one_sided_traffic_keeps_memory_at_live_and_caches(void **state)
{
    (void)state;
    static const uint32_t bounds[] = {1, 8, 200, 2176};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        tarn_pool *pool = kit_small_pool(1000000, 2, bounds[i]);
        struct ring ring = {0};
        handoff sides[] = {{pool, true, &ring}, {pool, false, &ring}};
        assert_int_equal(kit_run_threads(2, hand_over, sides, sizeof *sides), 0);
        tarn_pool_info info = kit_info(pool);
        /* The consumer holds one more object that has left the ring. */
        size_t live_max = RING + 1;
        assert_in_range(info.slots_carved, 1,
                        live_max + 2 * (size_t)info.cache_objects_max + info.magazine_objects);
        kit_expect_conserved(pool, 0);
        kit_destroy(pool);
    }
}

static void a_pool_is_refused_only_when_all_slots_are_live(void **state)
{
    (void)state;
    enum { CAPACITY = 64 };
    tarn_pool *pool = kit_small_pool(CAPACITY, 2, 8);
    tarn_cache *cache = kit_attach(pool);
    size_t slots = kit_info(pool).slots;
    void **objects = kit_array(slots + 1);
    size_t count = kit_alloc_many(cache, objects, slots + 1);
    assert_in_range(count, CAPACITY, slots);
    assert_true(kit_are_apart(objects, count, 16));
    assert_int_equal(kit_sample(pool).refusals, 1);
    /* One goes back, one can be had. */
    tarn_free(cache, objects[0]);
    assert_non_null(tarn_alloc(cache));
    assert_null(tarn_alloc(cache));
    kit_expect_conserved(pool, count);
    free(objects);
    kit_clear_and_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t1_all_objects_are_found_wherever_an_idle_cache_left_them),
        cmocka_unit_test(t1_every_cache_bound_leaves_the_capacity_whole),
        cmocka_unit_test(t2_two_caches_share_a_pool_no_larger_than_a_batch),
        cmocka_unit_test(t3_a_capacity_below_what_its_caches_could_hold_works),
        cmocka_unit_test(t4_a_burst_takes_cache_and_depot_together_or_nothing),
        cmocka_unit_test(t6_a_cache_never_holds_more_than_its_bound),
        cmocka_unit_test(t8_the_smallest_cache_bounds_work),
        cmocka_unit_test(t9_one_sided_traffic_keeps_memory_at_live_and_caches),
        cmocka_unit_test(a_pool_is_refused_only_when_all_slots_are_live),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
