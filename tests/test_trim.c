/* Trimming: what goes back to the system, what stays, and that nothing is lost by it. */
#include "support/trim_kit.h"

/* Fills the pool and empties it again. */
static void spike(tarn_cache *cache, void **objects, size_t count)
{
    assert_int_equal(kit_alloc_many(cache, objects, count), count);
    for (size_t i = 0; i < count; i++)
        memset(objects[i], 0xA5, TRIM_OBJECT_BYTES);
    kit_free_many(cache, objects, count);
}

static void t56_what_a_spike_took_goes_back_and_can_be_had_again(void **state)
{
    (void)state;
    tarn_pool_options options = trim_options();
    tarn_pool *pool = kit_pool(&options);
    tarn_cache *cache = kit_attach(pool);
    void **objects = kit_array(TRIM_CAPACITY);
    size_t before = trim_hooks.committed_bytes;
    for (int round = 0; round < 3; round++) {
        spike(cache, objects, TRIM_CAPACITY);
        kit_detach(cache);
        size_t bytes = trim(pool, 0);
        size_t group_bytes = kit_info(pool).group_bytes;
        size_t objects_bytes = TRIM_CAPACITY * kit_info(pool).stride_bytes;
        assert_in_range(bytes, objects_bytes - 2 * group_bytes, objects_bytes + group_bytes);
        assert_int_equal(trim_hooks.committed_bytes, before - bytes);
        assert_int_equal(kit_info(pool).committed_bytes, before - bytes);
        assert_true(kit_sample(pool).slots_trimmed > 0);
        kit_expect_conserved(pool, 0);
        cache = kit_attach(pool);
        assert_int_equal(kit_alloc_many(cache, objects, TRIM_CAPACITY), TRIM_CAPACITY);
        assert_true(kit_are_apart(objects, TRIM_CAPACITY, TRIM_OBJECT_BYTES));
        assert_int_equal(kit_info(pool).committed_bytes, trim_hooks.committed_bytes);
        kit_expect_conserved(pool, TRIM_CAPACITY);
        kit_free_many(cache, objects, TRIM_CAPACITY);
    }
    kit_detach(cache);
    free(objects);
    trim_end(pool);
}

static void free_objects_that_are_to_be_kept_keep_their_memory(void **state)
{
    (void)state;
    tarn_pool_options options = trim_options();
    tarn_pool *pool = kit_pool(&options);
    tarn_cache *cache = kit_attach(pool);
    void **objects = kit_array(TRIM_CAPACITY);
    spike(cache, objects, TRIM_CAPACITY);
    kit_detach(cache);
    size_t group_slots = kit_info(pool).group_bytes / kit_info(pool).stride_bytes;
    for (size_t keep = TRIM_CAPACITY; keep > 0; keep /= 2) {
        trim(pool, keep);
        assert_in_range(kit_sample(pool).free_in_depot, keep, keep + 2 * group_slots);
        kit_expect_conserved(pool, 0);
    }
    free(objects);
    trim_end(pool);
}

/* Objects that live at the lowest, and at every hundredth, slot. */
static void live_objects_keep_their_content(void **state)
{
    (void)state;
    tarn_pool_options options = trim_options();
    tarn_pool *pool = kit_pool(&options);
    tarn_cache *cache = kit_attach(pool);
    void **objects = kit_array(TRIM_CAPACITY);
    assert_int_equal(kit_alloc_many(cache, objects, TRIM_CAPACITY), TRIM_CAPACITY);
    for (size_t i = 0; i < TRIM_CAPACITY; i++)
        memset(objects[i], (int)(i % 251), TRIM_OBJECT_BYTES);
    size_t live = 0;
    for (size_t i = 0; i < TRIM_CAPACITY; i++) {
        if (i < TRIM_CAPACITY / 2 ? i % 100 == 0 : i == TRIM_CAPACITY - 1)
            live++;
        else
            tarn_free(cache, objects[i]);
    }
    kit_detach(cache);
    assert_true(trim(pool, 0) > 0);
    kit_expect_conserved(pool, live);
    cache = kit_attach(pool);
    for (size_t i = 0; i < TRIM_CAPACITY; i++) {
        if (!(i < TRIM_CAPACITY / 2 ? i % 100 == 0 : i == TRIM_CAPACITY - 1))
            continue;
        for (size_t k = 0; k < TRIM_OBJECT_BYTES; k++)
            assert_int_equal(((unsigned char *)objects[i])[k], i % 251);
        tarn_free(cache, objects[i]);
    }
    kit_detach(cache);
    free(objects);
    trim_end(pool);
}

static void what_lies_in_caches_keeps_its_pages_until_it_is_given_back(void **state)
{
    (void)state;
    tarn_pool_options options = trim_options();
    tarn_pool *pool = kit_pool(&options);
    tarn_cache *cache = kit_attach(pool);
    void **objects = kit_array(TRIM_CAPACITY);
    spike(cache, objects, TRIM_CAPACITY);
    trim(pool, 0);
    size_t held = (size_t)kit_sample(pool).free_in_caches;
    assert_in_range(held, 1, TRIM_CACHE_OBJECTS);
    if (!kit_is_watched(pool)) /* else it may not be touched */
        for (size_t i = 0; i < held; i++)
            *(volatile char *)objects[TRIM_CAPACITY - 1 - i] = 1;
    void *one = tarn_alloc(cache); /* the drain that was asked for */
    tarn_free(cache, one);
    assert_in_range(kit_sample(pool).free_in_caches, 0, 1);
    kit_detach(cache);
    trim(pool, 0);
    assert_in_range(kit_sample(pool).free_in_depot, 0,
                    2 * kit_info(pool).group_bytes / TRIM_OBJECT_BYTES);
    free(objects);
    trim_end(pool);
}

static void memory_that_cannot_be_had_again_refuses_and_loses_nothing(void **state)
{
    (void)state;
    tarn_pool_options options = trim_options();
    tarn_pool *pool = kit_pool(&options);
    tarn_cache *cache = kit_attach(pool);
    size_t slots = kit_info(pool).slots;
    void **objects = kit_array(slots);
    /* Slack slots would help out, as long as there are any that were never used. */
    spike(cache, objects, slots);
    kit_detach(cache);
    trim(pool, 0);
    cache = kit_attach(pool);
    memory_hooks_restart(&trim_hooks);
    trim_hooks.fail_from = 1;
    size_t count = kit_alloc_many(cache, objects, TRIM_CAPACITY);
    assert_true(count < TRIM_CAPACITY);
    assert_true(trim_hooks.failures > 0);
    assert_null(tarn_alloc(cache));
    kit_expect_conserved(pool, count);
    memory_hooks_restart(&trim_hooks);
    assert_int_equal(kit_alloc_many(cache, objects + count, TRIM_CAPACITY - count),
                     TRIM_CAPACITY - count);
    assert_true(kit_are_apart(objects, TRIM_CAPACITY, TRIM_OBJECT_BYTES));
    kit_expect_conserved(pool, TRIM_CAPACITY);
    kit_free_many(cache, objects, TRIM_CAPACITY);
    spike(cache, objects, slots);
    assert_int_equal(kit_alloc_many(cache, objects, slots + 1), slots);
    kit_free_many(cache, objects, slots);
    kit_detach(cache);
    free(objects);
    trim_end(pool);
}

static void an_exact_pool_and_no_pool_are_refused_and_a_tiny_one_has_nothing(void **state)
{
    (void)state;
    size_t bytes = 1;
    kit_expect_status(tarn_pool_trim(NULL, 0, &bytes), TARN_ERROR_INVALID);
    assert_int_equal(bytes, 0);
    kit_expect_status(tarn_pool_maintain(NULL, 1, NULL), TARN_ERROR_INVALID);
    tarn_pool_options options = {.object_bytes = 64, .capacity = 4096, .exact = true};
    tarn_pool *exact = kit_pool(&options);
    kit_expect_status(tarn_pool_trim(exact, 0, NULL), TARN_ERROR_INVALID);
    kit_expect_status(tarn_pool_maintain(exact, 1, NULL), TARN_ERROR_INVALID);
    kit_destroy(exact);
    tarn_pool *tiny = kit_small_pool(10, 2, 2);
    assert_int_equal(kit_info(tiny).group_bytes, 0);
    bytes = 1;
    kit_expect_status(tarn_pool_trim(tiny, 0, &bytes), TARN_OK);
    assert_int_equal(bytes, 0);
    kit_destroy(tiny);
}

static void clear_after_a_trim_keeps_what_was_trimmed_and_the_capacity(void **state)
{
    (void)state;
    for (int handles = 0; handles <= 1; handles++) {
        tarn_pool_options options = trim_options();
        options.handles = handles;
        tarn_pool *pool = kit_pool(&options);
        void **objects = kit_array(TRIM_CAPACITY);
        tarn_cache *cache = kit_attach(pool);
        spike(cache, objects, TRIM_CAPACITY);
        kit_detach(cache);
        trim(pool, TRIM_CAPACITY / 2);
        cache = kit_attach(pool);
        assert_int_equal(kit_alloc_many(cache, objects, 100), 100);
        uint64_t trimmed = kit_sample(pool).slots_trimmed;
        assert_true(trimmed > 0);
        kit_expect_status(tarn_pool_clear(pool), TARN_OK);
        assert_int_equal(kit_sample(pool).slots_trimmed, trimmed);
        kit_expect_conserved(pool, 0);
        assert_int_equal(kit_alloc_many(cache, objects, TRIM_CAPACITY), TRIM_CAPACITY);
        assert_true(kit_are_apart(objects, TRIM_CAPACITY, TRIM_OBJECT_BYTES));
        kit_expect_conserved(pool, TRIM_CAPACITY);
        kit_free_many(cache, objects, TRIM_CAPACITY);
        kit_detach(cache);
        free(objects);
        trim_end(pool);
    }
}

enum { THREADS = 3, ROUNDS = 60, HELD = TRIM_CAPACITY / THREADS };

typedef struct user {
    tarn_pool *pool;
    atomic_uint *done;
    unsigned char stamp;
} user;

/* Takes its share of the capacity, which must be there at any time, and gives it back. */
static int use(void *argument)
{
    user *u = argument;
    int failures = 0;
    tarn_cache *cache = NULL;
    unsigned char **objects = calloc(HELD, sizeof *objects);
    if (!objects || tarn_cache_attach(u->pool, &cache) != TARN_OK)
        return 1;
    for (int round = 0; round < ROUNDS; round++) {
        size_t count = (size_t)HELD >> round % 3;
        for (size_t i = 0; i < count; i++) {
            objects[i] = tarn_alloc(cache);
            KIT_EXPECT(&failures, objects[i] != NULL);
            if (!objects[i])
                return failures;
            memset(objects[i], u->stamp, TRIM_OBJECT_BYTES);
        }
        for (size_t i = 0; i < count; i++) {
            KIT_EXPECT(&failures, objects[i][0] == u->stamp);
            KIT_EXPECT(&failures, objects[i][TRIM_OBJECT_BYTES - 1] == u->stamp);
            tarn_free(cache, objects[i]);
        }
    }
    free(objects);
    tarn_cache_detach(cache);
    atomic_fetch_add(u->done, 1);
    return failures;
}

static int trim_until_done(user *u)
{
    int failures = 0;
    while (atomic_load(u->done) < THREADS) {
        tarn_status status = tarn_pool_trim(u->pool, 0, NULL);
        KIT_EXPECT(&failures, status == TARN_OK);
        tarn_thread_yield();
    }
    return failures;
}

static int use_or_trim(void *argument)
{
    user *u = argument;
    return u->stamp == 0 ? trim_until_done(u) : use(u);
}

static void t20_threads_allocate_and_free_beside_a_trim(void **state)
{
    (void)state;
    tarn_pool_options options = trim_options();
    tarn_pool *pool = kit_pool(&options);
    atomic_uint done = 0;
    user users[THREADS + 1];
    for (unsigned char i = 0; i <= THREADS; i++)
        users[i] = (user){pool, &done, i};
    assert_int_equal(kit_run_threads(THREADS + 1, use_or_trim, users, sizeof *users), 0);
    kit_expect_conserved(pool, 0);
    trim_end(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t56_what_a_spike_took_goes_back_and_can_be_had_again),
        cmocka_unit_test(free_objects_that_are_to_be_kept_keep_their_memory),
        cmocka_unit_test(live_objects_keep_their_content),
        cmocka_unit_test(what_lies_in_caches_keeps_its_pages_until_it_is_given_back),
        cmocka_unit_test(memory_that_cannot_be_had_again_refuses_and_loses_nothing),
        cmocka_unit_test(an_exact_pool_and_no_pool_are_refused_and_a_tiny_one_has_nothing),
        cmocka_unit_test(clear_after_a_trim_keeps_what_was_trimmed_and_the_capacity),
        cmocka_unit_test(t20_threads_allocate_and_free_beside_a_trim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
