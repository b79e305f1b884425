/* Trimming where slots have lives: hooks, zero filling, handles. */
#include "support/trim_kit.h"

/* Each object that is constructed owns a piece of memory. */
typedef struct life {
    tarn_pool *pool;
    uint64_t constructed, destroyed;
    bool is_nosy; /* its hooks use the pool and try to trim it */
    size_t busy;
} life;

static bool construct(void *context, void *object)
{
    life *l = context;
    for (size_t i = 0; i < TRIM_OBJECT_BYTES; i++)
        if (((unsigned char *)object)[i] != 0)
            return false;
    *(uint64_t *)object = ++l->constructed;
    return true;
}

static void destroy(void *context, void *object)
{
    life *l = context;
    uint64_t number = *(uint64_t *)object;
    assert_in_range(number, 1, l->constructed); /* 0: it was destroyed before, or never made */
    *(uint64_t *)object = 0;
    ((unsigned char *)object)[TRIM_OBJECT_BYTES - 1] = 1;
    l->destroyed++;
    if (!l->is_nosy)
        return;
    void *other = tarn_guest_alloc(l->pool);
    if (other)
        tarn_guest_free(l->pool, other);
    l->busy += tarn_pool_trim(l->pool, 0, NULL) == TARN_ERROR_BUSY;
}

/* Objects of 1000 bytes: groups share pages, which must be wiped. */
static void destroy_and_construct_run_once_per_object_over_many_trims(void **state)
{
    (void)state;
    for (int nosy = 0; nosy <= 1; nosy++) {
        life l = {.is_nosy = nosy};
        tarn_pool_options options = trim_options();
        options.object_bytes = 1000;
        options.hooks = (tarn_hooks){.context = &l, .construct = construct, .destroy = destroy};
        tarn_pool *pool = l.pool = kit_pool(&options);
        void **objects = kit_array(TRIM_CAPACITY);
        for (int round = 0; round < 4; round++) {
            tarn_cache *cache = kit_attach(pool);
            assert_int_equal(kit_alloc_many(cache, objects, TRIM_CAPACITY), TRIM_CAPACITY);
            kit_free_many(cache, objects, TRIM_CAPACITY);
            kit_detach(cache);
            uint64_t before = l.destroyed;
            assert_true(trim(pool, TRIM_CAPACITY / 8) > 0);
            assert_true(l.destroyed > before);
            if (nosy)
                assert_int_equal(l.busy, l.destroyed);
            kit_expect_conserved(pool, 0);
            assert_int_equal(kit_sample(pool).constructs_refused, 0);
        }
        free(objects);
        l.is_nosy = false;
        trim_end(pool);
        assert_int_equal(l.constructed, l.destroyed);
    }
}

static void zero_filled_objects_are_zero_after_a_trim(void **state)
{
    (void)state;
    tarn_pool_options options = trim_options();
    options.object_bytes = 1000;
    options.zero_fill = true;
    tarn_pool *pool = kit_pool(&options);
    void **objects = kit_array(TRIM_CAPACITY);
    for (int round = 0; round < 2; round++) {
        tarn_cache *cache = kit_attach(pool);
        assert_int_equal(kit_alloc_many(cache, objects, TRIM_CAPACITY), TRIM_CAPACITY);
        for (size_t i = 0; i < TRIM_CAPACITY; i++) {
            static const unsigned char zero[1000];
            assert_memory_equal(objects[i], zero, sizeof zero);
            memset(objects[i], 0xFF, sizeof zero);
        }
        kit_free_many(cache, objects, TRIM_CAPACITY);
        kit_detach(cache);
        assert_true(trim(pool, 100) > 0);
    }
    free(objects);
    trim_end(pool);
}

/* T16: handles from before stay stale over trim and regrowth. */
static void t16_handles_go_on_over_a_trim(void **state)
{
    (void)state;
    tarn_pool_options options = trim_options();
    options.handles = true;
    tarn_pool *pool = kit_pool(&options);
    static tarn_handle old[TRIM_CAPACITY], now[TRIM_CAPACITY];
    tarn_cache *cache = kit_attach(pool);
    for (size_t i = 0; i < TRIM_CAPACITY; i++)
        kit_expect_status(tarn_take(cache, &old[i], NULL), TARN_OK);
    for (size_t i = 0; i < TRIM_CAPACITY; i++)
        kit_expect_status(tarn_release(cache, old[i]), TARN_OK);
    kit_detach(cache);
    assert_true(trim(pool, 0) > 0);
    for (size_t i = 0; i < TRIM_CAPACITY; i++)
        assert_null(tarn_resolve(pool, old[i]));
    cache = kit_attach(pool);
    for (size_t i = 0; i < TRIM_CAPACITY; i++)
        kit_expect_status(tarn_take(cache, &now[i], NULL), TARN_OK);
    for (size_t i = 0; i < TRIM_CAPACITY; i++) {
        assert_null(tarn_resolve(pool, old[i]));
        kit_expect_status(tarn_release(cache, old[i]), TARN_ERROR_STALE);
        assert_non_null(tarn_resolve(pool, now[i]));
    }
    for (size_t i = 0; i < TRIM_CAPACITY; i++)
        kit_expect_status(tarn_release(cache, now[i]), TARN_OK);
    kit_detach(cache);
    trim_end(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(destroy_and_construct_run_once_per_object_over_many_trims),
        cmocka_unit_test(zero_filled_objects_are_zero_after_a_trim),
        cmocka_unit_test(t16_handles_go_on_over_a_trim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
