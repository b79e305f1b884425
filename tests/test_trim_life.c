/* Trimming where slots have lives: hooks, zero filling, handles. */
#include "support/kit.h"
#include "support/memory_hooks.h"

enum { CAPACITY = 8192, OBJECT_BYTES = 64, CACHE_OBJECTS = 64 };

static memory_hooks hooks;

static tarn_pool_options options_of(void)
{
    memory_hooks_init(&hooks, 0);
    return (tarn_pool_options){.object_bytes = OBJECT_BYTES,
                               .capacity = CAPACITY,
                               .caches_max = 4,
                               .cache_objects_max = CACHE_OBJECTS,
                               .memory = &hooks.memory};
}

static size_t trim(tarn_pool *pool, size_t keep_objects)
{
    size_t bytes = 0;
    kit_expect_status(tarn_pool_trim(pool, keep_objects, &bytes), TARN_OK);
    return bytes;
}

static void end(tarn_pool *pool)
{
    kit_destroy(pool);
    assert_null(hooks.violation);
    assert_true(memory_hooks_are_balanced(&hooks));
    memory_hooks_destroy(&hooks);
}

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
    for (size_t i = 0; i < OBJECT_BYTES; i++)
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
    ((unsigned char *)object)[OBJECT_BYTES - 1] = 1;
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
        tarn_pool_options options = options_of();
        options.object_bytes = 1000;
        options.hooks = (tarn_hooks){.context = &l, .construct = construct, .destroy = destroy};
        tarn_pool *pool = l.pool = kit_pool(&options);
        void **objects = kit_array(CAPACITY);
        for (int round = 0; round < 4; round++) {
            tarn_cache *cache = kit_attach(pool);
            assert_int_equal(kit_alloc_many(cache, objects, CAPACITY), CAPACITY);
            kit_free_many(cache, objects, CAPACITY);
            kit_detach(cache);
            uint64_t before = l.destroyed;
            assert_true(trim(pool, CAPACITY / 8) > 0);
            assert_true(l.destroyed > before);
            if (nosy)
                assert_int_equal(l.busy, l.destroyed);
            kit_expect_conserved(pool, 0);
            assert_int_equal(kit_sample(pool).constructs_refused, 0);
        }
        free(objects);
        l.is_nosy = false;
        end(pool);
        assert_int_equal(l.constructed, l.destroyed);
    }
}

static void zero_filled_objects_are_zero_after_a_trim(void **state)
{
    (void)state;
    tarn_pool_options options = options_of();
    options.object_bytes = 1000;
    options.zero_fill = true;
    tarn_pool *pool = kit_pool(&options);
    void **objects = kit_array(CAPACITY);
    for (int round = 0; round < 2; round++) {
        tarn_cache *cache = kit_attach(pool);
        assert_int_equal(kit_alloc_many(cache, objects, CAPACITY), CAPACITY);
        for (size_t i = 0; i < CAPACITY; i++) {
            static const unsigned char zero[1000];
            assert_memory_equal(objects[i], zero, sizeof zero);
            memset(objects[i], 0xFF, sizeof zero);
        }
        kit_free_many(cache, objects, CAPACITY);
        kit_detach(cache);
        assert_true(trim(pool, 100) > 0);
    }
    free(objects);
    end(pool);
}

/* T16: handles from before stay stale over trim and regrowth. */
static void t16_handles_go_on_over_a_trim(void **state)
{
    (void)state;
    tarn_pool_options options = options_of();
    options.handles = true;
    tarn_pool *pool = kit_pool(&options);
    static tarn_handle old[CAPACITY], now[CAPACITY];
    tarn_cache *cache = kit_attach(pool);
    for (size_t i = 0; i < CAPACITY; i++)
        kit_expect_status(tarn_take(cache, &old[i], NULL), TARN_OK);
    for (size_t i = 0; i < CAPACITY; i++)
        kit_expect_status(tarn_release(cache, old[i]), TARN_OK);
    kit_detach(cache);
    assert_true(trim(pool, 0) > 0);
    for (size_t i = 0; i < CAPACITY; i++)
        assert_null(tarn_resolve(pool, old[i]));
    cache = kit_attach(pool);
    for (size_t i = 0; i < CAPACITY; i++)
        kit_expect_status(tarn_take(cache, &now[i], NULL), TARN_OK);
    for (size_t i = 0; i < CAPACITY; i++) {
        assert_null(tarn_resolve(pool, old[i]));
        kit_expect_status(tarn_release(cache, old[i]), TARN_ERROR_STALE);
        assert_non_null(tarn_resolve(pool, now[i]));
    }
    for (size_t i = 0; i < CAPACITY; i++)
        kit_expect_status(tarn_release(cache, now[i]), TARN_OK);
    kit_detach(cache);
    end(pool);
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
