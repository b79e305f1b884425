/* What a checked pool does on purpose to bring faults to light: it keeps freed objects back, hands
 * out in any order, and refuses now and then. None of it loses an object. */
#include "support/misuse.h"

#define QUARANTINE 10u
#define CAPACITY   40u

typedef struct stage {
    tarn_pool *pool;
    tarn_cache *cache;
    misuse_log log;
} stage;

static void start(stage *s, tarn_check_options check, bool exact)
{
    tarn_pool_options options = {
        .object_bytes = 24, .capacity = CAPACITY, .caches_max = 2, .exact = exact, .check = check};
    s->pool = misuse_pool(&s->log, options);
    s->cache = kit_attach(s->pool);
}

static void finish(stage *s)
{
    kit_expect_conserved(s->pool, 0);
    assert_int_equal(s->log.count, 0);
    kit_destroy(s->pool);
    assert_int_equal(s->log.count, 0);
}

static const tarn_check_options quarantine = {.fill = true, .quarantine_objects = QUARANTINE};

static void t77_the_last_objects_freed_are_not_handed_out_again_at_once(void **state)
{
    (void)state;
    for (int exact = 0; exact <= 1; exact++) {
        stage s;
        start(&s, quarantine, exact);
        void *recent[QUARANTINE] = {0};
        for (uint32_t round = 0; round < 500; round++) {
            void *object = tarn_alloc(s.cache);
            assert_non_null(object);
            for (uint32_t i = 0; i < QUARANTINE; i++)
                assert_ptr_not_equal(object, recent[i]);
            recent[round % QUARANTINE] = object;
            tarn_free(s.cache, object);
            kit_expect_conserved(s.pool, 0);
        }
        finish(&s);
    }
}

static void t77_the_capacity_is_served_out_of_the_quarantine_too(void **state)
{
    (void)state;
    for (int exact = 0; exact <= 1; exact++) {
        stage s;
        start(&s, quarantine, exact);
        void *objects[200];
        for (int round = 0; round < 5; round++) {
            size_t count = kit_alloc_many(s.cache, objects, 200);
            assert_in_range(count, CAPACITY, exact ? CAPACITY : 200);
            assert_true(kit_are_apart(objects, count, 24));
            kit_expect_conserved(s.pool, count);
            kit_free_many(s.cache, objects, count);
            kit_expect_conserved(s.pool, 0);
            kit_expect_status(tarn_alloc_bulk(s.cache, CAPACITY, objects), TARN_OK);
            kit_free_many(s.cache, objects, CAPACITY);
            kit_expect_status(tarn_cache_reserve(s.cache, CAPACITY), TARN_OK);
            kit_expect_status(tarn_cache_reserve(s.cache, 0), TARN_OK);
        }
        finish(&s);
    }
}

static void t77_a_double_free_of_a_quarantined_object_is_reported(void **state)
{
    (void)state;
    stage s;
    start(&s, quarantine, false);
    void *object = tarn_alloc(s.cache);
    tarn_free(s.cache, object);
    tarn_free(s.cache, object);
    misuse_expect_one(&s.log, TARN_MISUSE_DOUBLE_FREE);
    finish(&s);
}

static void t77_clear_empties_the_quarantine(void **state)
{
    (void)state;
    stage s;
    start(&s, quarantine, true);
    void *objects[CAPACITY];
    assert_int_equal(kit_alloc_many(s.cache, objects, CAPACITY), CAPACITY);
    kit_free_many(s.cache, objects, 15);
    kit_expect_status(tarn_pool_clear(s.pool), TARN_OK);
    assert_int_equal(kit_alloc_many(s.cache, objects, CAPACITY), CAPACITY);
    kit_expect_conserved(s.pool, CAPACITY);
    assert_true(kit_are_apart(objects, CAPACITY, 24));
    kit_free_many(s.cache, objects, CAPACITY);
    finish(&s);
}

typedef struct churn {
    tarn_pool *pool;
    bool guest;
} churn;

static int take_and_give(void *argument)
{
    churn *c = argument;
    int failures = 0;
    tarn_cache *cache = NULL;
    if (!c->guest) { /* unless the guests were quicker */
        tarn_status status = tarn_cache_attach(c->pool, &cache);
        KIT_EXPECT(&failures, status == TARN_OK || status == TARN_ERROR_NO_CACHE);
    }
    for (int round = 0; round < 2000 && failures == 0; round++) {
        void *objects[9];
        for (int i = 0; i < 9; i++) {
            objects[i] = cache ? tarn_alloc(cache) : tarn_guest_alloc(c->pool);
            KIT_EXPECT(&failures, objects[i] != NULL);
            memset(objects[i], i, 24);
        }
        for (int i = 0; i < 9; i++) {
            if (cache)
                tarn_free(cache, objects[i]);
            else
                tarn_guest_free(c->pool, objects[i]);
        }
    }
    if (cache)
        KIT_EXPECT(&failures, tarn_cache_detach(cache) == TARN_OK);
    return failures;
}

/* 4 x 9 objects at once are always within the capacity of 40, wherever the others are. */
static void t77_threads_never_see_the_quarantine_as_a_shortage(void **state)
{
    (void)state;
    for (int exact = 0; exact <= 1; exact++) {
        stage s;
        start(&s, quarantine, exact);
        kit_detach(s.cache);
        churn churns[] = {{s.pool, false}, {s.pool, true}, {s.pool, true}, {s.pool, true}};
        assert_int_equal(kit_run_threads(4, take_and_give, churns, sizeof churns[0]), 0);
        finish(&s);
    }
}

static void random_order_follows_the_seed_and_loses_nothing(void **state)
{
    (void)state;
    size_t orders[3][CAPACITY];
    const uint64_t seeds[] = {1, 1, 2};
    for (int run = 0; run < 3; run++) {
        stage s;
        start(&s, (tarn_check_options){.random_order = true, .seed = seeds[run]}, false);
        size_t stride = kit_info(s.pool).stride_bytes;
        void *objects[CAPACITY];
        for (int round = 0; round < 10; round++) {
            assert_int_equal(kit_alloc_many(s.cache, objects, CAPACITY), CAPACITY);
            assert_true(kit_are_apart(objects, CAPACITY, 24));
            kit_free_many(s.cache, objects, CAPACITY);
        }
        for (uint32_t i = 0; i < CAPACITY; i++)
            orders[run][i] = (size_t)((uintptr_t)objects[i] - (uintptr_t)s.pool) / stride;
        finish(&s);
    }
    assert_memory_equal(orders[0], orders[1], sizeof orders[0]);
    assert_memory_not_equal(orders[0], orders[2], sizeof orders[0]);
}

static uint32_t refusals_of(uint64_t seed, uint64_t *pattern)
{
    stage s;
    start(&s, (tarn_check_options){.fail_one_in = 4, .seed = seed}, false);
    uint32_t refused = 0;
    *pattern = 0;
    for (int i = 0; i < 4000; i++) {
        void *object = tarn_alloc(s.cache);
        if (object)
            tarn_free(s.cache, object);
        refused += !object;
        *pattern = *pattern * 3 + !object;
    }
    assert_int_equal(kit_sample(s.pool).refusals, refused);
    finish(&s);
    return refused;
}

static void t78_about_one_in_so_many_allocations_fails_the_same_for_a_seed(void **state)
{
    (void)state;
    uint64_t patterns[3];
    assert_in_range(refusals_of(1, &patterns[0]), 900, 1100);
    assert_in_range(refusals_of(1, &patterns[1]), 900, 1100);
    assert_in_range(refusals_of(2, &patterns[2]), 900, 1100);
    assert_true(patterns[0] == patterns[1]);
    assert_true(patterns[0] != patterns[2]);
}

static void t78_a_refused_bulk_or_reservation_takes_nothing(void **state)
{
    (void)state;
    stage s;
    start(&s, (tarn_check_options){.fail_one_in = 1}, false);
    void *objects[3] = {&s, &s, &s};
    kit_expect_status(tarn_alloc_bulk(s.cache, 3, objects), TARN_ERROR_FULL);
    assert_null(objects[0]);
    assert_null(objects[2]);
    kit_expect_status(tarn_cache_reserve(s.cache, 3), TARN_ERROR_FULL);
    assert_null(tarn_guest_alloc(s.pool));
    assert_null(tarn_alloc(s.cache));
    finish(&s);
}

static void t78_what_is_reserved_is_not_refused(void **state)
{
    (void)state;
    for (int exact = 0; exact <= 1; exact++) {
        stage s;
        start(&s, (tarn_check_options){.fail_one_in = 2, .seed = 5}, exact);
        void *objects[20];
        for (int round = 0; round < 50; round++) {
            while (tarn_cache_reserve(s.cache, 20) != TARN_OK)
                ;
            assert_int_equal(kit_alloc_many(s.cache, objects, 20), 20);
            kit_free_many(s.cache, objects, 20);
            while (tarn_cache_reserve(s.cache, 20) != TARN_OK)
                ;
            kit_expect_status(tarn_alloc_bulk(s.cache, 20, objects), TARN_OK);
            tarn_free_bulk(s.cache, 20, objects);
        }
        finish(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t77_the_last_objects_freed_are_not_handed_out_again_at_once),
        cmocka_unit_test(t77_the_capacity_is_served_out_of_the_quarantine_too),
        cmocka_unit_test(t77_a_double_free_of_a_quarantined_object_is_reported),
        cmocka_unit_test(t77_clear_empties_the_quarantine),
        cmocka_unit_test(t77_threads_never_see_the_quarantine_as_a_shortage),
        cmocka_unit_test(random_order_follows_the_seed_and_loses_nothing),
        cmocka_unit_test(t78_about_one_in_so_many_allocations_fails_the_same_for_a_seed),
        cmocka_unit_test(t78_a_refused_bulk_or_reservation_takes_nothing),
        cmocka_unit_test(t78_what_is_reserved_is_not_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
