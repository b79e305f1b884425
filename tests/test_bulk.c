/* Bulk calls: all or nothing, and as good as single calls. */
#include "support/kit.h"

static void every_count_up_to_three_times_the_bound_works(void **state)
{
    (void)state;
    static const uint32_t bounds[] = {1, 2, 3, 4, 8, 20, 64, 300};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        size_t count_max = 3 * (size_t)bounds[i];
        tarn_pool *pool = kit_small_pool(count_max, 2, bounds[i]);
        tarn_cache *cache = kit_attach(pool);
        tarn_cache *other = kit_attach(pool);
        void **objects = kit_array(count_max);
        for (size_t count = 0; count <= count_max; count++) {
            kit_expect_status(tarn_alloc_bulk(cache, count, objects), TARN_OK);
            assert_true(kit_are_apart(objects, count, 16));
            kit_expect_conserved(pool, count);
            kit_expect_status(tarn_free_bulk(count % 3 ? cache : other, count, objects), TARN_OK);
            kit_expect_conserved(pool, 0);
        }
        free(objects);
        kit_destroy(pool);
    }
}

static void null_arguments_are_refused(void **state)
{
    (void)state;
    tarn_pool *pool = kit_small_pool(10, 1, 0);
    tarn_cache *cache = kit_attach(pool);
    void *objects[2] = {NULL, NULL};
    kit_expect_status(tarn_alloc_bulk(NULL, 1, objects), TARN_ERROR_INVALID);
    kit_expect_status(tarn_alloc_bulk(cache, 1, NULL), TARN_ERROR_INVALID);
    kit_expect_status(tarn_free_bulk(NULL, 1, objects), TARN_ERROR_INVALID);
    kit_expect_status(tarn_free_bulk(cache, 1, NULL), TARN_ERROR_INVALID);
    kit_expect_conserved(pool, 0);
    kit_destroy(pool);
}

static void count_misuse(void *count, const tarn_report *report)
{
    (void)report;
    ++*(int *)count;
}

static void nothing_can_be_moved_with_no_array_at_all(void **state)
{
    (void)state;
    int misuses = 0; /* of the detached cache, where the pool is checked */
    tarn_pool_options options = {
        .object_bytes = 16, .capacity = 10, .report = count_misuse, .report_context = &misuses};
    tarn_pool *pool = kit_pool(&options);
    tarn_cache *cache = kit_attach(pool);
    kit_expect_status(tarn_alloc_bulk(cache, 0, NULL), TARN_OK);
    kit_expect_status(tarn_free_bulk(cache, 0, NULL), TARN_OK);
    kit_detach(cache);
    kit_expect_status(tarn_alloc_bulk(cache, 0, NULL), TARN_ERROR_NOT_ATTACHED);
    kit_expect_conserved(pool, 0);
    kit_destroy(pool);
}

static void expect_full(tarn_cache *cache, size_t count, void **objects)
{
    memset(objects, 0x55, count * sizeof *objects);
    kit_expect_status(tarn_alloc_bulk(cache, count, objects), TARN_ERROR_FULL);
    for (size_t i = 0; i < count; i++)
        assert_null(objects[i]);
}

static void t4_a_refused_burst_consumes_nothing(void **state)
{
    (void)state;
    static const uint32_t bounds[] = {1, 2, 4, 9, 64, 200};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        tarn_pool *pool = kit_small_pool(100, 2, bounds[i]);
        tarn_cache *cache = kit_attach(pool);
        tarn_cache *other = kit_attach(pool);
        size_t slots = kit_info(pool).slots;
        void **objects = kit_array(2 * slots);
        size_t live = slots / 3;
        assert_int_equal(kit_alloc_many(other, objects, live), live);
        for (size_t more = 1; more < 20; more++) {
            tarn_pool_statistics before = kit_sample(pool);
            expect_full(cache, slots - live + more, objects + live);
            tarn_pool_statistics after = kit_sample(pool);
            assert_int_equal(after.allocs - after.frees, before.allocs - before.frees);
            assert_int_equal(after.refusals, before.refusals + 1);
            kit_expect_conserved(pool, live);
        }
        /* All of it is still there. The other cache gives back what it holds first. */
        kit_detach(other);
        kit_expect_status(tarn_alloc_bulk(cache, slots - live, objects + live), TARN_OK);
        assert_true(kit_are_apart(objects, slots, 16));
        expect_full(cache, 1, objects + slots);
        free(objects);
        kit_clear_and_destroy(pool);
    }
}

static void a_refused_burst_leaves_a_growing_pool_usable(void **state)
{
    (void)state;
    tarn_pool_options options = {.object_bytes = 8,
                                 .capacity = 10,
                                 .capacity_max = 100,
                                 .grow_objects = 10,
                                 .caches_max = 1,
                                 .exact = true};
    tarn_pool *pool = kit_pool(&options);
    tarn_cache *cache = kit_attach(pool);
    void *objects[101];
    expect_full(cache, 101, objects);
    kit_expect_conserved(pool, 0);
    kit_expect_status(tarn_alloc_bulk(cache, 100, objects), TARN_OK);
    assert_true(kit_are_apart(objects, 100, 8));
    kit_expect_status(tarn_free_bulk(cache, 100, objects), TARN_OK);
    kit_destroy(pool);
}

/* Content goes with the objects: each one carries its number while it is live. */
static void bulk_and_single_calls_mix(void **state)
{
    (void)state;
    enum { CAPACITY = 700, ROUNDS = 3000 };
    static const uint32_t bounds[] = {1, 3, 16, 100, 400};
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        uint64_t seed = 77 + b;
        tarn_pool *pool = kit_small_pool(CAPACITY, 2, bounds[b]);
        tarn_cache *caches[] = {kit_attach(pool), kit_attach(pool)};
        void *live[CAPACITY];
        size_t count = 0;
        for (int round = 0; round < ROUNDS; round++) {
            tarn_cache *cache = caches[kit_random(&seed) % 2];
            size_t burst = kit_random(&seed) % 150;
            if (kit_random(&seed) % 2) {
                burst = burst < CAPACITY - count ? burst : CAPACITY - count;
                if (kit_random(&seed) % 2)
                    kit_expect_status(tarn_alloc_bulk(cache, burst, live + count), TARN_OK);
                else
                    assert_int_equal(kit_alloc_many(cache, live + count, burst), burst);
                for (size_t i = count; i < count + burst; i++)
                    *(size_t *)live[i] = i;
                count += burst;
            } else {
                burst = burst < count ? burst : count;
                for (size_t i = count - burst; i < count; i++)
                    assert_int_equal(*(size_t *)live[i], i);
                count -= burst;
                if (kit_random(&seed) % 2)
                    kit_expect_status(tarn_free_bulk(cache, burst, live + count), TARN_OK);
                else
                    kit_free_many(cache, live + count, burst);
            }
            kit_expect_conserved(pool, count);
        }
        kit_free_many(caches[0], live, count);
        kit_destroy(pool);
    }
}

static void a_checked_pool_skips_what_is_not_its_own_and_frees_the_rest(void **state)
{
    (void)state;
    int misuses = 0;
    tarn_pool_options options = {.object_bytes = 16,
                                 .capacity = 10,
                                 .checked = true,
                                 .report = count_misuse,
                                 .report_context = &misuses};
    tarn_pool *pool = kit_pool(&options);
    tarn_cache *cache = kit_attach(pool);
    void *objects[6];
    kit_expect_status(tarn_alloc_bulk(cache, 4, objects), TARN_OK);
    objects[4] = objects[2];
    objects[5] = objects[3];
    objects[2] = NULL;
    objects[3] = &misuses;
    kit_expect_status(tarn_free_bulk(cache, 6, objects), TARN_OK);
    assert_int_equal(misuses, 2);
    kit_expect_conserved(pool, 0);
    kit_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_count_up_to_three_times_the_bound_works),
        cmocka_unit_test(null_arguments_are_refused),
        cmocka_unit_test(nothing_can_be_moved_with_no_array_at_all),
        cmocka_unit_test(t4_a_refused_burst_consumes_nothing),
        cmocka_unit_test(a_refused_burst_leaves_a_growing_pool_usable),
        cmocka_unit_test(bulk_and_single_calls_mix),
        cmocka_unit_test(a_checked_pool_skips_what_is_not_its_own_and_frees_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
