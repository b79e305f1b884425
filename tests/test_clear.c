/* Clear: all objects free at once, caches attached, tags going on. */
#include "pool/state.h"
#include "support/kit.h"

static const uint32_t bounds[] = {1, 2, 3, 8, 50, 128, 400};
enum { BOUNDS = sizeof bounds / sizeof *bounds };

/* Brings objects everywhere: live, in arrays, on shelves, in the depot, loose. */
static void scatter(tarn_pool *pool, tarn_cache **caches, int cache_count, void **objects,
                    size_t count)
{
    assert_int_equal(kit_alloc_many(caches[0], objects, count), count);
    for (size_t i = 0; i < count; i++)
        if (i % 7 == 0)
            tarn_guest_free(pool, objects[i]);
        else if (i % 5)
            tarn_free(caches[i % (size_t)cache_count], objects[i]);
}

static void everything_can_be_allocated_after_a_clear(void **state)
{
    (void)state;
    enum { CACHES = 3, CAPACITY = 1000 };
    for (int b = 0; b < BOUNDS; b++) {
        tarn_pool *pool = kit_small_pool(CAPACITY, CACHES + 1, bounds[b]);
        tarn_cache *caches[CACHES];
        for (int i = 0; i < CACHES; i++)
            caches[i] = kit_attach(pool);
        size_t slots = kit_info(pool).slots;
        void **objects = kit_array(slots);
        for (int round = 0; round < 4; round++) {
            scatter(pool, caches, CACHES, objects, CAPACITY);
            kit_expect_status(tarn_pool_clear(pool), TARN_OK);
            kit_expect_conserved(pool, 0);
            assert_int_equal(kit_info(pool).slots_carved, 0);
            assert_int_equal(kit_sample(pool).free_in_caches, 0);
            assert_int_equal(kit_alloc_many(caches[round % CACHES], objects, slots), slots);
            assert_true(kit_are_apart(objects, slots, 16));
            assert_null(tarn_alloc(caches[0]));
            kit_expect_conserved(pool, slots);
            /* Once more, out of magazines that the clear took from everybody. */
            for (size_t i = 0; i < slots; i++)
                tarn_free(caches[i % CACHES], objects[i]);
            for (int i = 1; i < CACHES; i++) {
                kit_detach(caches[i]);
                caches[i] = kit_attach(pool);
            }
            assert_int_equal(kit_alloc_many(caches[0], objects, slots), slots);
            assert_true(kit_are_apart(objects, slots, 16));
            kit_expect_status(tarn_pool_clear(pool), TARN_OK);
        }
        free(objects);
        kit_destroy(pool);
    }
}

static void caches_and_guests_stay_attached(void **state)
{
    (void)state;
    tarn_pool *pool = kit_small_pool(100, 2, 16);
    tarn_cache *cache = kit_attach(pool);
    void *live[2] = {tarn_alloc(cache), tarn_guest_alloc(pool)};
    assert_non_null(live[0]);
    assert_non_null(live[1]);
    kit_expect_status(tarn_pool_clear(pool), TARN_OK);
    assert_int_equal(kit_sample(pool).caches_attached, 2);
    tarn_cache *more = NULL;
    kit_expect_status(tarn_cache_attach(pool, &more), TARN_ERROR_NO_CACHE);
    void *objects[100];
    for (int i = 0; i < 100; i++)
        objects[i] = i % 2 ? tarn_alloc(cache) : tarn_guest_alloc(pool);
    assert_true(kit_are_apart(objects, 100, 16));
    for (int i = 0; i < 100; i++)
        tarn_guest_free(pool, objects[i]);
    assert_int_equal(kit_sample(pool).caches_attached, 2);
    kit_expect_conserved(pool, 0);
    kit_detach(cache);
    kit_destroy(pool);
}

static void a_clear_reuses_addresses_from_the_first(void **state)
{
    (void)state;
    tarn_pool *pool = kit_small_pool(300, 2, 32);
    tarn_cache *cache = kit_attach(pool);
    void *before[300], *after[300];
    assert_int_equal(kit_alloc_many(cache, before, 300), 300);
    kit_expect_status(tarn_pool_clear(pool), TARN_OK);
    assert_int_equal(kit_alloc_many(cache, after, 300), 300);
    assert_memory_equal(before, after, sizeof before);
    kit_clear_and_destroy(pool);
}

static void clear_counts_as_a_free_of_what_was_live(void **state)
{
    (void)state;
    for (int exact = 0; exact <= 1; exact++) {
        tarn_pool_options options = {
            .object_bytes = 8, .capacity = 500, .caches_max = 3, .exact = exact};
        tarn_pool *pool = kit_pool(&options);
        tarn_cache *caches[] = {kit_attach(pool), kit_attach(pool)};
        void *objects[500];
        uint64_t allocs = 0;
        for (uint64_t round = 1; round <= 5; round++) {
            assert_int_equal(kit_alloc_many(caches[round % 2], objects, 300), 300);
            kit_free_many(caches[0], objects, 20 * round);
            allocs += 300;
            kit_expect_conserved(pool, 300 - 20 * round);
            kit_expect_status(tarn_pool_clear(pool), TARN_OK);
            tarn_pool_statistics statistics = kit_sample(pool);
            assert_int_equal(statistics.allocs, allocs);
            assert_int_equal(statistics.frees, allocs);
            kit_expect_conserved(pool, 0);
        }
        kit_destroy(pool);
    }
}

static void clear_keeps_what_a_pool_has_grown_to(void **state)
{
    (void)state;
    tarn_pool_options options = {
        .object_bytes = 8, .capacity = 10, .capacity_max = 100, .caches_max = 2, .exact = true};
    tarn_pool *pool = kit_pool(&options);
    tarn_cache *cache = kit_attach(pool);
    void *objects[100];
    assert_int_equal(kit_alloc_many(cache, objects, 50), 50);
    size_t capacity = kit_info(pool).capacity;
    uint64_t growths = kit_sample(pool).growths;
    kit_expect_status(tarn_pool_clear(pool), TARN_OK);
    assert_int_equal(kit_info(pool).capacity, capacity);
    assert_int_equal(kit_alloc_many(cache, objects, capacity), capacity);
    assert_int_equal(kit_sample(pool).growths, growths);
    assert_int_equal(kit_alloc_many(cache, objects, 100 - capacity), 100 - capacity);
    assert_null(tarn_alloc(cache));
    kit_clear_and_destroy(pool);
}

static int leave_some_behind(void *pool)
{
    void *objects[20];
    for (int i = 0; i < 20; i++)
        objects[i] = tarn_guest_alloc(pool);
    for (int i = 0; i < 15; i++)
        tarn_guest_free(pool, objects[i]);
    return 0;
}

static void clear_empties_what_finished_threads_left(void **state)
{
    (void)state;
    tarn_pool *pool = kit_small_pool(200, 2, 64);
    kit_run_thread(leave_some_behind, pool);
    assert_true(kit_sample(pool).free_in_caches >= 15);
    kit_expect_conserved(pool, 5);
    kit_expect_status(tarn_pool_clear(pool), TARN_OK);
    kit_expect_conserved(pool, 0);
    tarn_cache *cache = kit_attach(pool);
    void *objects[200];
    assert_int_equal(kit_alloc_many(cache, objects, 200), 200);
    assert_true(kit_are_apart(objects, 200, 16));
    kit_clear_and_destroy(pool);
}

static void a_detached_cache_stays_detached(void **state)
{
    (void)state;
    tarn_pool *pool = kit_small_pool(50, 3, 0);
    tarn_cache *cache = kit_attach(pool);
    tarn_cache *other = kit_attach(pool);
    kit_detach(cache);
    kit_expect_status(tarn_pool_clear(pool), TARN_OK);
    assert_int_equal(kit_sample(pool).caches_attached, 1);
    kit_expect_status(tarn_cache_detach(cache), TARN_ERROR_NOT_ATTACHED);
    kit_detach(other);
    kit_destroy(pool);
}

/* What a thread that slept since before the clear would compare its CAS with. */
enum { STACKS = 4 };

static void heads_of(const tarn_pool *pool, uint64_t *heads)
{
    heads[0] = tarn_stack_peek(&pool->depot.shards[0].full);
    heads[1] = tarn_stack_peek(&pool->depot.shards[1].empty);
    heads[2] = tarn_stack_peek(&pool->depot.loose);
    heads[3] = tarn_stack_peek(&pool->caches[0].shelf);
}

static bool is_among(uint64_t head, uint64_t seen[][STACKS], int stack, int rounds)
{
    for (int round = 0; round < rounds; round++)
        if (seen[round][stack] == head)
            return true;
    return false;
}

static void t16_no_head_of_before_a_clear_comes_back_after_it(void **state)
{
    (void)state;
    enum { ROUNDS = 20 };
    tarn_pool *pool = kit_small_pool(2000, 2, 64);
    tarn_cache *caches[] = {kit_attach(pool), kit_attach(pool)};
    void **objects = kit_array(2000);
    uint64_t seen[ROUNDS][STACKS], cleared[STACKS];
    for (int round = 0; round < ROUNDS; round++) {
        scatter(pool, caches, 2, objects, 2000);
        assert_int_equal(kit_alloc_many(caches[1], objects, 100), 100);
        kit_detach(caches[1]); /* gives back empty magazines too */
        caches[1] = kit_attach(pool);
        heads_of(pool, seen[round]);
        for (int stack = 0; stack < STACKS; stack++) {
            assert_int_not_equal(seen[round][stack], 0);
            assert_false(is_among(seen[round][stack], seen, stack, round));
        }
        kit_expect_status(tarn_pool_clear(pool), TARN_OK);
        heads_of(pool, cleared);
        for (int stack = 0; stack < STACKS; stack++)
            assert_false(is_among(cleared[stack], seen, stack, round + 1));
    }
    free(objects);
    kit_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_can_be_allocated_after_a_clear),
        cmocka_unit_test(caches_and_guests_stay_attached),
        cmocka_unit_test(a_clear_reuses_addresses_from_the_first),
        cmocka_unit_test(clear_counts_as_a_free_of_what_was_live),
        cmocka_unit_test(clear_keeps_what_a_pool_has_grown_to),
        cmocka_unit_test(clear_empties_what_finished_threads_left),
        cmocka_unit_test(a_detached_cache_stays_detached),
        cmocka_unit_test(t16_no_head_of_before_a_clear_comes_back_after_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
