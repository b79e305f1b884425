/* Reservations: the next allocations succeed, whatever other threads do. */
#include "support/kit.h"

typedef struct scene {
    tarn_pool *pool;
    tarn_cache *mine, *theirs;
    void **taken; /* by the other cache */
    size_t taken_count, slots;
} scene;

static scene make_scene(const tarn_pool_options *options)
{
    scene s = {.pool = kit_pool(options)};
    s.mine = kit_attach(s.pool);
    s.theirs = kit_attach(s.pool);
    s.slots = kit_info(s.pool).slots;
    s.taken = kit_array(s.slots);
    return s;
}

static scene make_small_scene(size_t capacity, uint32_t bound)
{
    tarn_pool_options options = {
        .object_bytes = 16, .capacity = capacity, .caches_max = 2, .cache_objects_max = bound};
    return make_scene(&options);
}

/* The other cache takes all that it can get. */
static void exhaust(scene *s)
{
    s->taken_count +=
        kit_alloc_many(s->theirs, s->taken + s->taken_count, s->slots - s->taken_count);
    assert_null(tarn_alloc(s->theirs));
}

static void finish(scene *s)
{
    free(s->taken);
    kit_clear_and_destroy(s->pool);
}

static void expect_next_succeed(scene *s, size_t count)
{
    void **objects = kit_array(count);
    assert_int_equal(kit_alloc_many(s->mine, objects, count), count);
    assert_true(kit_are_apart(objects, count, 16));
    free(objects);
}

static const uint32_t bounds[] = {1, 2, 3, 4, 7, 8, 33, 64, 128, 500};
enum { BOUNDS = sizeof bounds / sizeof *bounds };

static void the_next_allocations_succeed_in_a_pool_that_others_exhaust(void **state)
{
    (void)state;
    for (int b = 0; b < BOUNDS; b++)
        for (size_t count = 1; count <= 200; count += count < 20 ? 1 : 45) {
            scene s = make_small_scene(200, bounds[b]);
            kit_expect_status(tarn_cache_reserve(s.mine, count), TARN_OK);
            exhaust(&s);
            expect_next_succeed(&s, count);
            kit_expect_conserved(s.pool, s.taken_count + count);
            finish(&s);
        }
}

static void frees_and_requests_to_drain_do_not_eat_a_reservation(void **state)
{
    (void)state;
    for (int b = 0; b < BOUNDS; b++) {
        scene s = make_small_scene(300, bounds[b]);
        void *mine[100];
        assert_int_equal(kit_alloc_many(s.mine, mine, 100), 100);
        kit_expect_status(tarn_cache_reserve(s.mine, 120), TARN_OK);
        for (int i = 0; i < 100; i++) {
            exhaust(&s); /* asks for a drain, each time */
            tarn_free(s.mine, mine[i]);
        }
        exhaust(&s);
        expect_next_succeed(&s, 60);
        exhaust(&s);
        expect_next_succeed(&s, 60);
        finish(&s);
    }
}

static void others_get_the_capacity_less_what_is_reserved(void **state)
{
    (void)state;
    for (int b = 0; b < BOUNDS; b++) {
        scene s = make_small_scene(300, bounds[b]);
        kit_expect_status(tarn_cache_reserve(s.mine, 120), TARN_OK);
        exhaust(&s);
        assert_in_range(s.taken_count, 300 - 120, s.slots - 120);
        finish(&s);
    }
}

/* What was promised has been delivered: the owner's idling must not keep more than its bound. */
static void a_reservation_ends_when_its_allocations_were_made(void **state)
{
    (void)state;
    for (int b = 0; b < BOUNDS; b++) {
        scene s = make_small_scene(1000, bounds[b]);
        kit_expect_status(tarn_cache_reserve(s.mine, 700), TARN_OK);
        for (int i = 0; i < 700; i++)
            tarn_free(s.mine, tarn_alloc(s.mine));
        exhaust(&s);
        assert_in_range(s.taken_count, 1000, s.slots);
        finish(&s);
    }
}

/* The same where the promise lay in the array at first, and frees pushed it aside. */
static void a_reservation_that_was_delivered_leaves_no_more_than_the_bound(void **state)
{
    (void)state;
    for (int b = 0; b < BOUNDS; b++)
        for (size_t count = 1; count <= 130; count += count < 10 ? 1 : 20) {
            scene s = make_small_scene(1000, bounds[b]);
            size_t held_max = kit_info(s.pool).cache_objects_max;
            void *mine[600];
            assert_int_equal(kit_alloc_many(s.mine, mine, 600), 600);
            kit_expect_status(tarn_cache_reserve(s.mine, count), TARN_OK);
            kit_free_many(s.mine, mine, 600);
            for (size_t i = 0; i < count; i++)
                tarn_free(s.mine, tarn_alloc(s.mine));
            assert_in_range(kit_sample(s.pool).free_in_caches, 0, held_max);
            finish(&s);
        }
}

static void frees_during_a_reservation_stay_within_promise_and_bound(void **state)
{
    (void)state;
    for (int b = 0; b < BOUNDS; b++) {
        scene s = make_small_scene(1000, bounds[b]);
        size_t held_max = kit_info(s.pool).cache_objects_max;
        void *mine[400];
        assert_int_equal(kit_alloc_many(s.mine, mine, 400), 400);
        kit_expect_status(tarn_cache_reserve(s.mine, 300), TARN_OK);
        for (int i = 0; i < 400; i++) {
            tarn_free(s.mine, mine[i]);
            assert_in_range(kit_sample(s.pool).free_in_caches, 300, 300 + held_max);
        }
        finish(&s);
    }
}

static void a_reservation_that_fails_leaves_the_earlier_one(void **state)
{
    (void)state;
    for (int b = 0; b < BOUNDS; b++) {
        scene s = make_small_scene(300, bounds[b]);
        kit_expect_status(tarn_cache_reserve(s.mine, 50), TARN_OK);
        kit_expect_status(tarn_cache_reserve(s.mine, s.slots + 1), TARN_ERROR_FULL);
        kit_expect_status(tarn_cache_reserve(s.mine, SIZE_MAX), TARN_ERROR_FULL);
        kit_expect_conserved(s.pool, 0);
        exhaust(&s);
        assert_true(s.taken_count >= 250);
        kit_expect_status(tarn_cache_reserve(s.mine, s.slots - s.taken_count + 1), TARN_ERROR_FULL);
        exhaust(&s);
        expect_next_succeed(&s, 50);
        finish(&s);
    }
}

static void a_second_reservation_replaces_the_first(void **state)
{
    (void)state;
    for (int b = 0; b < BOUNDS; b++) {
        scene s = make_small_scene(300, bounds[b]);
        kit_expect_status(tarn_cache_reserve(s.mine, 200), TARN_OK);
        kit_expect_status(tarn_cache_reserve(s.mine, 290), TARN_OK);
        kit_expect_status(tarn_cache_reserve(s.mine, 40), TARN_OK);
        exhaust(&s);
        assert_true(s.taken_count >= 260);
        expect_next_succeed(&s, 40);
        finish(&s);
    }
}

static void a_reservation_of_none_gives_back(void **state)
{
    (void)state;
    for (int b = 0; b < BOUNDS; b++) {
        scene s = make_small_scene(300, bounds[b]);
        size_t held_max = kit_info(s.pool).cache_objects_max;
        kit_expect_status(tarn_cache_reserve(s.mine, 250), TARN_OK);
        kit_expect_status(tarn_cache_reserve(s.mine, 0), TARN_OK);
        assert_in_range(kit_sample(s.pool).free_in_caches, 0, held_max);
        exhaust(&s);
        assert_true(s.taken_count >= 300);
        finish(&s);
    }
}

static void detach_and_clear_end_a_reservation(void **state)
{
    (void)state;
    for (int b = 0; b < BOUNDS; b++) {
        scene s = make_small_scene(300, bounds[b]);
        kit_expect_status(tarn_cache_reserve(s.mine, 250), TARN_OK);
        kit_detach(s.mine);
        kit_expect_conserved(s.pool, 0);
        assert_int_equal(kit_sample(s.pool).free_in_caches, 0);
        kit_expect_status(tarn_cache_reserve(s.mine, 1), TARN_ERROR_NOT_ATTACHED);
        s.mine = kit_attach(s.pool);
        kit_expect_status(tarn_cache_reserve(s.mine, 250), TARN_OK);
        kit_expect_status(tarn_pool_clear(s.pool), TARN_OK);
        kit_expect_conserved(s.pool, 0);
        exhaust(&s);
        assert_true(s.taken_count >= 300);
        finish(&s);
    }
}

static void a_refused_burst_keeps_the_reservation(void **state)
{
    (void)state;
    for (int b = 0; b <= BOUNDS; b++) {
        tarn_pool_options options = {.object_bytes = 16,
                                     .capacity = 300,
                                     .caches_max = 2,
                                     .cache_objects_max = bounds[b % BOUNDS],
                                     .exact = b == BOUNDS};
        scene s = make_scene(&options);
        void **burst = kit_array(s.slots + 1);
        kit_expect_status(tarn_cache_reserve(s.mine, 100), TARN_OK);
        kit_expect_status(tarn_alloc_bulk(s.mine, s.slots + 1, burst), TARN_ERROR_FULL);
        exhaust(&s);
        kit_expect_status(tarn_alloc_bulk(s.mine, s.slots - s.taken_count + 1, burst),
                          TARN_ERROR_FULL);
        exhaust(&s);
        expect_next_succeed(&s, 100);
        free(burst);
        finish(&s);
    }
}

static void an_exact_pool_reserves_too(void **state)
{
    (void)state;
    tarn_pool_options options = {
        .object_bytes = 16, .capacity = 50, .caches_max = 2, .exact = true};
    scene s = make_scene(&options);
    kit_expect_status(tarn_cache_reserve(s.mine, 51), TARN_ERROR_FULL);
    kit_expect_status(tarn_cache_reserve(s.mine, 50), TARN_OK);
    assert_null(tarn_alloc(s.theirs));
    kit_expect_status(tarn_cache_reserve(s.mine, 20), TARN_OK);
    exhaust(&s);
    assert_int_equal(s.taken_count, 30);
    expect_next_succeed(&s, 20);
    assert_null(tarn_alloc(s.mine));
    tarn_free(s.theirs, s.taken[0]);
    assert_non_null(tarn_alloc(s.mine));
    finish(&s);
}

static void an_exact_pool_is_destroyed_with_a_reservation_open(void **state)
{
    (void)state;
    tarn_pool_options options = {
        .object_bytes = 16, .capacity = 50, .caches_max = 2, .exact = true};
    scene s = make_scene(&options);
    kit_expect_status(tarn_cache_reserve(s.mine, 20), TARN_OK);
    free(s.taken);
    kit_destroy(s.pool);
}

static void reserve_refuses_null(void **state)
{
    (void)state;
    kit_expect_status(tarn_cache_reserve(NULL, 1), TARN_ERROR_INVALID);
}

/* Other threads take and free all they can while this one draws on its reservations. */
typedef struct greedy {
    tarn_pool *pool;
    atomic_uint *stop;
} greedy;

static int take_and_free_all(void *argument)
{
    greedy *self = argument;
    tarn_cache *cache = NULL;
    void *objects[400];
    if (tarn_cache_attach(self->pool, &cache) != TARN_OK)
        return 1;
    while (!atomic_load(self->stop))
        kit_free_many(cache, objects, kit_alloc_many(cache, objects, 400));
    tarn_cache_detach(cache);
    return 0;
}

static int draw_on_reservations(void *argument)
{
    greedy *self = argument;
    tarn_cache *cache = NULL;
    void *objects[100];
    uint64_t seed = 4711;
    int failures = 0, kept = 0;
    if (tarn_cache_attach(self->pool, &cache) != TARN_OK)
        return 1;
    for (int i = 0; i < 20000 && kept < 300; i++) {
        size_t count = 1 + kit_random(&seed) % 100;
        if (tarn_cache_reserve(cache, count) != TARN_OK)
            continue;
        kept++;
        size_t got = kit_alloc_many(cache, objects, count);
        KIT_EXPECT(&failures, got == count);
        kit_free_many(cache, objects, got);
    }
    KIT_EXPECT(&failures, kept > 0);
    kit_raise(self->stop, 1);
    tarn_cache_detach(cache);
    return failures;
}

static void a_reservation_holds_against_threads_at_work(void **state)
{
    (void)state;
    tarn_pool *pool = kit_small_pool(400, 3, 20);
    atomic_uint stop = 0;
    greedy self = {pool, &stop};
    tarn_thread other;
    assert_true(tarn_thread_create(&other, take_and_free_all, &self));
    int failures = draw_on_reservations(&self);
    failures += tarn_thread_join(other);
    assert_int_equal(failures, 0);
    kit_expect_conserved(pool, 0);
    kit_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_allocations_succeed_in_a_pool_that_others_exhaust),
        cmocka_unit_test(frees_and_requests_to_drain_do_not_eat_a_reservation),
        cmocka_unit_test(others_get_the_capacity_less_what_is_reserved),
        cmocka_unit_test(a_reservation_ends_when_its_allocations_were_made),
        cmocka_unit_test(a_reservation_that_was_delivered_leaves_no_more_than_the_bound),
        cmocka_unit_test(frees_during_a_reservation_stay_within_promise_and_bound),
        cmocka_unit_test(a_reservation_that_fails_leaves_the_earlier_one),
        cmocka_unit_test(a_second_reservation_replaces_the_first),
        cmocka_unit_test(a_reservation_of_none_gives_back),
        cmocka_unit_test(detach_and_clear_end_a_reservation),
        cmocka_unit_test(a_refused_burst_keeps_the_reservation),
        cmocka_unit_test(an_exact_pool_reserves_too),
        cmocka_unit_test(an_exact_pool_is_destroyed_with_a_reservation_open),
        cmocka_unit_test(reserve_refuses_null),
        cmocka_unit_test(a_reservation_holds_against_threads_at_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
