/* Exact pools refuse the object after the last; and the smallest and largest of everything. */
#include "support/kit.h"

static tarn_pool *exact_pool(size_t object_bytes, size_t capacity, uint32_t caches_max)
{
    tarn_pool_options options = {.object_bytes = object_bytes,
                                 .capacity = capacity,
                                 .caches_max = caches_max,
                                 .exact = true};
    return kit_pool(&options);
}

static void n_objects_are_served_and_one_more_is_refused(void **state)
{
    (void)state;
    for (size_t capacity = 1; capacity <= 300; capacity += capacity < 70 ? 1 : 23) {
        tarn_pool *pool = exact_pool(8, capacity, 2);
        tarn_cache *cache = kit_attach(pool);
        void *objects[300];
        for (int round = 0; round < 3; round++) {
            assert_int_equal(kit_alloc_many(cache, objects, capacity), capacity);
            assert_true(kit_are_apart(objects, capacity, 8));
            assert_null(tarn_alloc(cache));
            kit_expect_conserved(pool, capacity);
            kit_free_many(cache, objects, capacity);
        }
        assert_int_equal(kit_info(pool).slots, capacity);
        kit_destroy(pool);
    }
}

static void several_caches_and_guests_share_it_to_the_last_object(void **state)
{
    (void)state;
    enum { CACHES = 5, CAPACITY = 123 };
    tarn_pool *pool = exact_pool(16, CAPACITY, CACHES);
    tarn_cache *caches[CACHES];
    void *objects[CAPACITY];
    for (int i = 0; i < CACHES; i++)
        caches[i] = kit_attach(pool);
    for (size_t round = 0; round < 20; round++) {
        for (size_t i = 0; i < CAPACITY; i++) {
            size_t who = (i + round) % (CACHES + 1);
            objects[i] = who < CACHES ? tarn_alloc(caches[who]) : tarn_guest_alloc(pool);
        }
        assert_true(kit_are_apart(objects, CAPACITY, 16));
        for (int i = 0; i < CACHES; i++)
            assert_null(tarn_alloc(caches[i]));
        assert_null(tarn_guest_alloc(pool));
        /* One goes back to any of them, and any of them gets it. */
        tarn_free(caches[round % CACHES], objects[round]);
        assert_ptr_equal(tarn_alloc(caches[(round + 2) % CACHES]), objects[round]);
        assert_null(tarn_alloc(caches[0]));
        for (size_t i = 0; i < CAPACITY; i++)
            tarn_free(caches[(i * 7 + round) % CACHES], objects[i]);
        assert_int_equal(kit_sample(pool).free_in_caches, 0);
        kit_expect_conserved(pool, 0);
    }
    kit_destroy(pool);
}

static void an_exact_pool_caches_nothing(void **state)
{
    (void)state;
    tarn_pool *pool = exact_pool(16, 100, 4);
    tarn_pool_info info = kit_info(pool);
    assert_true(info.exact);
    assert_int_equal(info.cache_objects_max, 0);
    assert_int_equal(info.magazine_objects, 0);
    tarn_cache *cache = kit_attach(pool);
    for (int i = 0; i < 100; i++) {
        tarn_free(cache, tarn_alloc(cache));
        assert_int_equal(kit_sample(pool).free_in_caches, 0);
    }
    assert_int_equal(kit_info(pool).slots_carved, 1);
    kit_destroy(pool);
}

/* Threads that together want one object more than there is: at every moment, all live but one of
 * the threads' objects; a refusal is right only then. */
enum { SHARERS = 3, SHARE = 40, SHARE_ROUNDS = 3000 };

typedef struct sharer {
    tarn_pool *pool;
    atomic_int *live;
} sharer;

static int take_a_share(void *argument)
{
    sharer *self = argument;
    tarn_cache *cache = NULL;
    int failures = 0;
    void *objects[SHARE];
    if (tarn_cache_attach(self->pool, &cache) != TARN_OK)
        return 1;
    for (int round = 0; round < SHARE_ROUNDS; round++) {
        for (int i = 0; i < SHARE; i++) {
            objects[i] = tarn_alloc(cache);
            KIT_EXPECT(&failures, objects[i] != NULL);
            /* Counted after the alloc and before the free: never above what is live. */
            KIT_EXPECT(&failures, atomic_fetch_add(self->live, 1) < SHARERS * SHARE);
        }
        for (int i = 0; i < SHARE; i++) {
            atomic_fetch_sub(self->live, 1);
            tarn_free(cache, objects[i]);
        }
    }
    tarn_cache_detach(cache);
    return failures;
}

static void shares_that_add_up_to_an_exact_capacity_never_fail(void **state)
{
    (void)state;
    tarn_pool *pool = exact_pool(16, SHARERS * SHARE, SHARERS);
    atomic_int live = 0;
    sharer sharers[SHARERS];
    for (int i = 0; i < SHARERS; i++)
        sharers[i] = (sharer){pool, &live};
    assert_int_equal(kit_run_threads(SHARERS, take_a_share, sharers, sizeof *sharers), 0);
    assert_int_equal(kit_sample(pool).refusals, 0);
    kit_expect_conserved(pool, 0);
    kit_destroy(pool);
}

static void expect_fits(size_t object_bytes, size_t capacity, bool exact)
{
    tarn_pool_options options = {
        .object_bytes = object_bytes, .capacity = capacity, .caches_max = 1, .exact = exact};
    tarn_pool *pool = kit_pool(&options);
    tarn_cache *cache = kit_attach(pool);
    size_t slots = kit_info(pool).slots;
    void **objects = kit_array(slots);
    assert_int_equal(kit_alloc_many(cache, objects, slots), slots);
    assert_true(kit_are_apart(objects, slots, object_bytes));
    /* Each object's first and last byte, the very last slot's too. */
    for (size_t i = 0; i < slots; i++) {
        unsigned char *object = objects[i];
        object[0] = (unsigned char)(i * 2);
        object[object_bytes - 1] = (unsigned char)(i * 2 + 1);
    }
    for (size_t i = 0; i < slots; i++) {
        unsigned char *object = objects[i];
        assert_int_equal(object[object_bytes - 1], (unsigned char)(i * 2 + 1));
        if (object_bytes > 1)
            assert_int_equal(object[0], (unsigned char)(i * 2));
    }
    assert_null(tarn_alloc(cache));
    kit_free_many(cache, objects, slots);
    free(objects);
    kit_destroy(pool);
}

static void the_last_byte_of_the_last_object_is_usable(void **state)
{
    (void)state;
    static const size_t sizes[] = {1,       2,
                                   3,       5,
                                   7,       8,
                                   16,      24,
                                   31,      64,
                                   100,     127,
                                   128,     129,
                                   1000,    4095,
                                   4096,    4097,
                                   5000,    8192,
                                   9999,    65535,
                                   65536,   99999,
                                   1 << 19, (1 << 20) - 1,
                                   1 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int exact = 0; exact <= 1; exact++) {
            expect_fits(sizes[i], 1, exact);
            expect_fits(sizes[i], 2, exact);
            expect_fits(sizes[i], 1 + 10000 / sizes[i], exact);
        }
}

static void small_objects_fill_whole_pages_exactly(void **state)
{
    (void)state;
    for (size_t object_bytes = 1; object_bytes <= 64; object_bytes *= 2)
        for (size_t slots = 4096 / object_bytes - 1; slots <= 4096 / object_bytes + 1; slots++)
            expect_fits(object_bytes, slots, true);
}

static void a_pool_of_one_serves_one_at_a_time(void **state)
{
    (void)state;
    tarn_pool *pool = exact_pool(1, 1, 1);
    tarn_cache *cache = kit_attach(pool);
    void *only = tarn_alloc(cache);
    for (int i = 0; i < 100; i++) {
        assert_non_null(only);
        assert_null(tarn_alloc(cache));
        assert_null(tarn_guest_alloc(pool));
        tarn_free(cache, only);
        assert_ptr_equal(tarn_alloc(cache), only);
    }
    tarn_free(cache, only);
    kit_destroy(pool);
}

/* Too large to fill: a few objects, with caches shrunk as far as the indices ask. */
static void expect_works(const tarn_pool_options *options)
{
    tarn_pool *pool = kit_pool(options);
    tarn_pool_info info = kit_info(pool);
    assert_int_equal(info.capacity, options->capacity);
    assert_in_range(info.slots, options->capacity, TARN_CAPACITY_MAX);
    assert_true(info.exact || info.cache_objects_max > 0);
    assert_true(info.tag_bits >= 32);
    tarn_cache *cache = kit_attach(pool);
    void *objects[200];
    assert_int_equal(kit_alloc_many(cache, objects, 200), 200);
    assert_true(kit_are_apart(objects, 200, 1));
    kit_free_many(cache, objects, 200);
    kit_expect_conserved(pool, 0);
    kit_destroy(pool);
}

static void t50_the_largest_capacities_work_with_any_bound(void **state)
{
    (void)state;
    static const size_t missing[] = {0,   1,   17,   18,    80,     100,    272,   300,
                                     543, 544, 1000, 10000, 155647, 155648, 200000};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        tarn_pool_options options = {.object_bytes = 1, .capacity = TARN_CAPACITY_MAX - missing[i]};
        expect_works(&options);
        options.caches_max = 1;
        options.cache_objects_max = 1;
        expect_works(&options);
        options.exact = true;
        expect_works(&options);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(n_objects_are_served_and_one_more_is_refused),
        cmocka_unit_test(several_caches_and_guests_share_it_to_the_last_object),
        cmocka_unit_test(an_exact_pool_caches_nothing),
        cmocka_unit_test(shares_that_add_up_to_an_exact_capacity_never_fail),
        cmocka_unit_test(the_last_byte_of_the_last_object_is_usable),
        cmocka_unit_test(small_objects_fill_whole_pages_exactly),
        cmocka_unit_test(a_pool_of_one_serves_one_at_a_time),
        cmocka_unit_test(t50_the_largest_capacities_work_with_any_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
