/* Free objects out of other caches' hands: shelves, requests to drain, finished threads. */
#include "support/kit.h"

/* A pool in which every slot is carved and live, and caches that hold nothing. */
typedef struct drained {
    tarn_pool *pool;
    tarn_cache *hoarder, *starving;
    void **objects;
    size_t count;
} drained;

static drained drain_pool(size_t capacity, uint32_t bound)
{
    drained d = {.pool = kit_small_pool(capacity, 2, bound)};
    d.hoarder = kit_attach(d.pool);
    d.starving = kit_attach(d.pool);
    size_t slots = kit_info(d.pool).slots;
    d.objects = kit_array(slots);
    d.count = kit_alloc_many(d.hoarder, d.objects, slots);
    assert_int_equal(d.count, slots);
    assert_null(tarn_alloc(d.starving));
    return d;
}

static void finish(drained *d)
{
    free(d->objects);
    kit_clear_and_destroy(d->pool);
}

static void a_starving_cache_takes_from_anothers_shelf(void **state)
{
    (void)state;
    drained d = drain_pool(200, 64);
    /* As many as one cache keeps: array and shelf full, nothing in the depot. */
    size_t kept = kit_info(d.pool).cache_objects_max;
    kit_free_many(d.hoarder, d.objects, kept);
    tarn_pool_statistics before = kit_sample(d.pool);
    assert_int_equal(before.free_in_caches, kept);
    assert_int_equal(before.free_in_depot, 0);
    void *object = tarn_alloc(d.starving);
    assert_non_null(object);
    tarn_pool_statistics after = kit_sample(d.pool);
    assert_int_equal(after.steals, before.steals + 1);
    assert_int_equal(after.free_in_caches, kept - 1);
    kit_expect_conserved(d.pool, d.count - kept + 1);
    finish(&d);
}

static void all_shelves_are_searched_before_an_allocation_fails(void **state)
{
    (void)state;
    enum { CACHES = 9 };
    tarn_pool *pool = kit_small_pool(1000, CACHES, 32);
    tarn_cache *caches[CACHES];
    for (int i = 0; i < CACHES; i++)
        caches[i] = kit_attach(pool);
    size_t slots = kit_info(pool).slots;
    void **objects = kit_array(slots);
    for (int hoarder = 1; hoarder < CACHES; hoarder++) {
        assert_int_equal(kit_alloc_many(caches[0], objects, slots), slots);
        kit_free_many(caches[hoarder], objects, 32);
        size_t shelved = 32 - 2 * (size_t)kit_info(pool).magazine_objects;
        assert_int_equal(kit_alloc_many(caches[0], objects, 32), shelved);
        assert_int_equal(kit_sample(pool).free_in_caches, 32 - shelved);
        kit_expect_status(tarn_pool_clear(pool), TARN_OK);
    }
    free(objects);
    kit_destroy(pool);
}

static void a_request_to_drain_is_honoured_at_the_next_free(void **state)
{
    (void)state;
    drained d = drain_pool(200, 64);
    size_t in_array = 2 * (size_t)kit_info(d.pool).magazine_objects;
    kit_free_many(d.hoarder, d.objects, in_array);
    uint64_t requests = kit_sample(d.pool).drain_requests;
    assert_null(tarn_alloc(d.starving)); /* an array is out of reach for others */
    assert_int_equal(kit_sample(d.pool).drain_requests, requests + 1);
    tarn_free(d.hoarder, d.objects[in_array]);
    assert_in_range(kit_sample(d.pool).free_in_depot, in_array, in_array + 1);
    void *got[200];
    assert_in_range(kit_alloc_many(d.starving, got, in_array + 1), in_array, in_array + 1);
    finish(&d);
}

static void a_request_to_drain_is_honoured_at_the_next_alloc(void **state)
{
    (void)state;
    drained d = drain_pool(200, 64);
    size_t in_array = 2 * (size_t)kit_info(d.pool).magazine_objects;
    kit_free_many(d.hoarder, d.objects, in_array);
    assert_null(tarn_alloc(d.starving));
    assert_non_null(tarn_alloc(d.hoarder));
    assert_int_equal(kit_sample(d.pool).free_in_depot, in_array - 1);
    void *got[200];
    assert_int_equal(kit_alloc_many(d.starving, got, in_array), in_array - 1);
    /* The gate is open again: later calls are served by the array. */
    kit_free_many(d.hoarder, got, in_array - 1);
    if (!kit_is_watched(d.pool))
        assert_true(d.hoarder->top > d.hoarder->alloc_floor);
    uint64_t takes = kit_sample(d.pool).depot_takes;
    assert_int_equal(kit_alloc_many(d.hoarder, got, in_array - 1), in_array - 1);
    assert_int_equal(kit_sample(d.pool).depot_takes, takes);
    finish(&d);
}

static void a_request_to_drain_is_honoured_by_bulk_calls(void **state)
{
    (void)state;
    drained d = drain_pool(200, 64);
    size_t in_array = 2 * (size_t)kit_info(d.pool).magazine_objects;
    kit_free_many(d.hoarder, d.objects, in_array);
    assert_null(tarn_alloc(d.starving));
    kit_expect_status(tarn_free_bulk(d.hoarder, 1, d.objects + in_array), TARN_OK);
    assert_in_range(kit_sample(d.pool).free_in_depot, in_array, in_array + 1);
    kit_expect_status(tarn_pool_clear(d.pool), TARN_OK);
    d.count = kit_alloc_many(d.hoarder, d.objects, d.count);
    kit_free_many(d.hoarder, d.objects, in_array);
    assert_null(tarn_alloc(d.starving));
    void *pair[2];
    kit_expect_status(tarn_alloc_bulk(d.hoarder, 2, pair), TARN_OK);
    assert_int_equal(kit_sample(d.pool).free_in_depot, in_array - 2);
    finish(&d);
}

static int hoard_as_a_guest(void *argument)
{
    drained *d = argument;
    for (size_t i = 0; i < 150; i++)
        tarn_guest_free(d->pool, d->objects[i]);
    return 0;
}

static void what_a_finished_thread_cached_is_found(void **state)
{
    (void)state;
    tarn_pool *pool = kit_small_pool(300, 3, 200);
    drained d = {.pool = pool, .starving = kit_attach(pool)};
    size_t slots = kit_info(pool).slots;
    d.objects = kit_array(slots);
    d.count = kit_alloc_many(d.starving, d.objects, slots);
    assert_int_equal(d.count, slots);
    kit_run_thread(hoard_as_a_guest, &d);
    assert_int_equal(kit_sample(pool).free_in_caches, 150);
    assert_int_equal(kit_sample(pool).caches_attached, 1);
    void *got[151];
    assert_int_equal(kit_alloc_many(d.starving, got, 151), 150);
    assert_true(kit_are_apart(got, 150, 16));
    /* The finished thread's cache is free for another. */
    kit_detach(kit_attach(pool));
    kit_expect_conserved(pool, d.count);
    finish(&d);
}

/* Two threads, each of which needs what the other caches. */
enum { HUNGRY_THREADS = 3, HUNGRY_ROUNDS = 2000, HUNGRY_OBJECTS = 40 };

typedef struct hungry {
    tarn_pool *pool;
    kit_barrier *barrier;
} hungry;

static int alloc_and_free_all_of_a_share(void *argument)
{
    hungry *self = argument;
    tarn_cache *cache = NULL;
    int failures = 0;
    void *objects[HUNGRY_OBJECTS];
    if (tarn_cache_attach(self->pool, &cache) != TARN_OK)
        return 1;
    kit_barrier_wait(self->barrier);
    for (int round = 0; round < HUNGRY_ROUNDS; round++) {
        size_t count = kit_alloc_many(cache, objects, HUNGRY_OBJECTS);
        KIT_EXPECT(&failures, count == HUNGRY_OBJECTS);
        KIT_EXPECT(&failures, kit_are_apart(objects, count, 16));
        kit_free_many(cache, objects, count);
    }
    tarn_cache_detach(cache);
    return failures;
}

/* Threads whose shares add up to the capacity are never refused, though caches hold back. */
static void t1_shares_that_add_up_to_the_capacity_never_fail(void **state)
{
    (void)state;
    static const uint32_t bounds[] = {1, 5, 16, 40};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        tarn_pool *pool =
            kit_small_pool(HUNGRY_THREADS * HUNGRY_OBJECTS, HUNGRY_THREADS, bounds[i]);
        kit_barrier barrier = {.count = HUNGRY_THREADS};
        hungry threads[HUNGRY_THREADS];
        for (int t = 0; t < HUNGRY_THREADS; t++)
            threads[t] = (hungry){pool, &barrier};
        assert_int_equal(kit_run_threads(HUNGRY_THREADS, alloc_and_free_all_of_a_share, threads,
                                         sizeof *threads),
                         0);
        assert_int_equal(kit_sample(pool).refusals, 0);
        kit_expect_conserved(pool, 0);
        kit_destroy(pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_starving_cache_takes_from_anothers_shelf),
        cmocka_unit_test(all_shelves_are_searched_before_an_allocation_fails),
        cmocka_unit_test(a_request_to_drain_is_honoured_at_the_next_free),
        cmocka_unit_test(a_request_to_drain_is_honoured_at_the_next_alloc),
        cmocka_unit_test(a_request_to_drain_is_honoured_by_bulk_calls),
        cmocka_unit_test(what_a_finished_thread_cached_is_found),
        cmocka_unit_test(t1_shares_that_add_up_to_the_capacity_never_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
