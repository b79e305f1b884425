/* Trimming by itself: when it begins, how much each call does, and what it leaves alone. */
#include "support/kit.h"
#include "support/memory_hooks.h"

enum { CAPACITY = 16384, OBJECT_BYTES = 64, WINDOW = 8, BUDGET = 64 << 10 };

static memory_hooks hooks;

static tarn_pool *new_pool(size_t keep_objects)
{
    memory_hooks_init(&hooks, 0);
    tarn_pool_options options = {.object_bytes = OBJECT_BYTES,
                                 .capacity = CAPACITY,
                                 .caches_max = 2,
                                 .cache_objects_max = 512, /* so that magazines move in chains */
                                 .shrink = {WINDOW, keep_objects},
                                 .memory = &hooks.memory};
    return kit_pool(&options);
}

static void end(tarn_pool *pool, void **objects)
{
    free(objects);
    kit_destroy(pool);
    assert_true(memory_hooks_are_balanced(&hooks));
    memory_hooks_destroy(&hooks);
}

static size_t maintain(tarn_pool *pool, size_t calls, size_t budget_bytes)
{
    size_t sum = 0;
    for (size_t i = 0; i < calls; i++) {
        size_t bytes = 0;
        kit_expect_status(tarn_pool_maintain(pool, budget_bytes, &bytes), TARN_OK);
        assert_in_range(bytes, 0, budget_bytes + kit_info(pool).group_bytes);
        sum += bytes;
    }
    return sum;
}

static size_t group_slots(const tarn_pool *pool)
{
    return kit_info(pool).group_bytes / kit_info(pool).stride_bytes;
}

static void t56_a_steady_surplus_goes_back_completely_and_not_at_once(void **state)
{
    (void)state;
    enum { KEEP = 500, LIVE = 8000 };
    tarn_pool *pool = new_pool(KEEP);
    void **objects = kit_array(CAPACITY);
    tarn_cache *cache = kit_attach(pool);
    assert_int_equal(kit_alloc_many(cache, objects, CAPACITY), CAPACITY);
    kit_free_many(cache, objects + LIVE, CAPACITY - LIVE);
    assert_int_equal(maintain(pool, WINDOW, BUDGET), 0);
    assert_true(maintain(pool, 100 * WINDOW, BUDGET) > 0);
    size_t kept = KEEP + LIVE / 8;
    assert_in_range(kit_sample(pool).free_in_depot, kept, kept + 3 * group_slots(pool));
    assert_int_equal(maintain(pool, 4 * WINDOW, BUDGET), 0);
    kit_expect_conserved(pool, LIVE);
    assert_int_equal(kit_alloc_many(cache, objects + LIVE, CAPACITY - LIVE), CAPACITY - LIVE);
    assert_true(kit_are_apart(objects, CAPACITY, OBJECT_BYTES));
    kit_free_many(cache, objects, CAPACITY);
    kit_detach(cache);
    end(pool, objects);
}

static void demand_that_swings_within_a_window_keeps_its_memory(void **state)
{
    (void)state;
    tarn_pool *pool = new_pool(0);
    void **objects = kit_array(CAPACITY);
    tarn_cache *cache = kit_attach(pool);
    for (int i = 0; i < 10 * WINDOW; i++) {
        if (i % WINDOW == WINDOW / 2)
            assert_int_equal(kit_alloc_many(cache, objects, CAPACITY), CAPACITY);
        assert_int_equal(maintain(pool, 1, BUDGET), 0);
        if (i % WINDOW == WINDOW / 2)
            kit_free_many(cache, objects, CAPACITY);
    }
    assert_int_equal(hooks.decommits, 0);
    kit_detach(cache);
    end(pool, objects);
}

static void a_call_does_no_more_than_its_budget(void **state)
{
    (void)state;
    tarn_pool *pool = new_pool(0);
    void **objects = kit_array(CAPACITY);
    tarn_cache *cache = kit_attach(pool);
    assert_int_equal(kit_alloc_many(cache, objects, CAPACITY), CAPACITY);
    kit_free_many(cache, objects, CAPACITY);
    kit_detach(cache);
    size_t budgets[] = {1, kit_info(pool).group_bytes, 4 * kit_info(pool).group_bytes};
    for (size_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
        size_t most = 0;
        for (int call = 0; call < 2000; call++) {
            size_t bytes = 0;
            kit_expect_status(tarn_pool_maintain(pool, budgets[i], &bytes), TARN_OK);
            most = bytes > most ? bytes : most;
        }
        size_t largest = i == 0 ? kit_info(pool).group_bytes : budgets[i];
        assert_in_range(most, i == 0, largest);
        cache = kit_attach(pool);
        assert_int_equal(kit_alloc_many(cache, objects, CAPACITY), CAPACITY);
        kit_free_many(cache, objects, CAPACITY);
        kit_detach(cache);
    }
    kit_expect_conserved(pool, 0);
    end(pool, objects);
}

static void demand_that_comes_back_stops_what_was_planned(void **state)
{
    (void)state;
    tarn_pool *pool = new_pool(0);
    void **objects = kit_array(CAPACITY);
    tarn_cache *cache = kit_attach(pool);
    assert_int_equal(kit_alloc_many(cache, objects, CAPACITY), CAPACITY);
    kit_free_many(cache, objects, CAPACITY);
    maintain(pool, WINDOW, 1);
    enum { BACK = 11000 };
    assert_int_equal(kit_alloc_many(cache, objects, BACK), BACK);
    maintain(pool, WINDOW - 1, 8 * (size_t)BUDGET);
    assert_true(kit_sample(pool).free_in_depot >= BACK / 8);
    kit_expect_conserved(pool, BACK);
    kit_free_many(cache, objects, BACK);
    kit_detach(cache);
    end(pool, objects);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t56_a_steady_surplus_goes_back_completely_and_not_at_once),
        cmocka_unit_test(demand_that_swings_within_a_window_keeps_its_memory),
        cmocka_unit_test(a_call_does_no_more_than_its_budget),
        cmocka_unit_test(demand_that_comes_back_stops_what_was_planned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
