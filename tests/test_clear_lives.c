/* Clear in pools whose objects have lives, when something is in its way: slots that are used up,
 * checks, objects in quarantine, reservations, hooks that take and give. */
#include "support/misuse.h"

enum { CAPACITY = 60 };

typedef struct thing {
    uint64_t built, resets;
} thing;

typedef struct hook_log {
    tarn_pool *pool; /* hooks use it, unless NULL */
    tarn_cache *cache;
    int builds, resets, destroys, kept_count;
    thing *kept[2 * CAPACITY];
    tarn_handle stale;
} hook_log;

static bool construct(void *context, void *object)
{
    assert_int_equal(((thing *)object)->built++, 0);
    ((hook_log *)context)->builds++;
    return true;
}

/* Takes two, gives one of them back, and finds that all lives of before are over. */
static void use_the_pool(hook_log *log)
{
    tarn_pool *pool = log->pool;
    log->pool = NULL; /* the resets that follow from this do nothing */
    thing *first = tarn_alloc(log->cache), *second = tarn_guest_alloc(pool);
    if (first)
        log->kept[log->kept_count++] = first;
    if (second)
        tarn_guest_free(pool, second);
    assert_null(tarn_resolve(pool, log->stale));
    kit_expect_status(tarn_release(log->cache, log->stale), TARN_ERROR_STALE);
    log->pool = pool;
}

static void reset(void *context, void *object)
{
    hook_log *log = context;
    thing *t = object;
    assert_int_equal(t->built, 1);
    t->resets++;
    log->resets++;
    if (log->pool)
        use_the_pool(log);
}

static void destroy(void *context, void *object)
{
    assert_int_equal(((thing *)object)->built--, 1);
    ((hook_log *)context)->destroys++;
}

typedef enum way { CACHE, EXACT, CHECKED, QUARANTINED, WAYS } way;

static tarn_pool *make(hook_log *log, misuse_log *reports, way how, bool resets_on_return)
{
    memset(log, 0, sizeof *log);
    tarn_pool_options options = {.object_bytes = sizeof(thing),
                                 .capacity = CAPACITY,
                                 .caches_max = 2,
                                 .exact = how == EXACT,
                                 .check = {.fill = true, .red_zone_bytes = 16},
                                 .hooks = {log, construct, reset, destroy, resets_on_return}};
    if (how == QUARANTINED)
        options.check.quarantine_objects = 10;
    tarn_pool *pool;
    if (how < CHECKED) {
        *reports = (misuse_log){0};
        pool = kit_pool(&options);
    } else {
        pool = misuse_pool(reports, options);
    }
    log->cache = kit_attach(pool);
    return pool;
}

static void expect_whole_and_destroy(hook_log *log, const misuse_log *reports, tarn_pool *pool)
{
    void *objects[CAPACITY];
    kit_expect_conserved(pool, 0);
    assert_int_equal(kit_alloc_many(log->cache, objects, CAPACITY), CAPACITY);
    assert_true(kit_are_apart(objects, CAPACITY, sizeof(thing)));
    kit_free_many(log->cache, objects, CAPACITY);
    int builds = log->builds;
    assert_in_range(builds, CAPACITY, kit_info(pool).slots);
    kit_destroy(pool);
    assert_int_equal(log->builds, builds);
    assert_int_equal(log->destroys, builds);
    assert_int_equal(reports->count, 0);
}

static void clear_leaves_the_capacity_whole_and_what_is_built_built(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2 * WAYS; kind++) {
        hook_log log;
        misuse_log reports;
        tarn_pool *pool = make(&log, &reports, (way)(kind / 2), kind & 1);
        for (int round = 0; round < 3; round++) {
            void *objects[CAPACITY];
            assert_int_equal(kit_alloc_many(log.cache, objects, CAPACITY - 20), CAPACITY - 20);
            kit_free_many(log.cache, objects, 15); /* into the quarantine, where there is one */
            kit_expect_status(tarn_cache_reserve(log.cache, 10), TARN_OK);
            int resets = log.resets;
            uint64_t allocs = kit_sample(pool).allocs;
            kit_expect_status(tarn_pool_clear(pool), TARN_OK);
            assert_int_equal(kit_sample(pool).allocs, allocs);
            assert_int_equal(log.resets - resets, kind & 1 ? CAPACITY - 35 : 0);
            assert_int_equal(log.destroys, 0);
            kit_expect_conserved(pool, 0);
        }
        expect_whole_and_destroy(&log, &reports, pool);
    }
}

static void hooks_that_take_and_give_in_a_clear_lose_nothing(void **state)
{
    (void)state;
    for (int how = 0; how < WAYS; how++) {
        hook_log log;
        misuse_log reports;
        tarn_pool *pool = make(&log, &reports, (way)how, true);
        void *objects[CAPACITY];
        assert_int_equal(kit_alloc_many(log.cache, objects, 30), 30);
        log.stale = tarn_handle_of(pool, objects[29]); /* the last whose hook runs */
        kit_free_many(log.cache, objects, 12);
        log.pool = pool;
        kit_expect_status(tarn_pool_clear(pool), TARN_OK);
        log.pool = NULL;
        assert_int_equal(log.kept_count, 18);
        kit_expect_conserved(pool, 18);
        for (int i = 0; i < log.kept_count; i++) {
            assert_int_equal(log.kept[i]->built, 1);
            tarn_handle handle = tarn_handle_of(pool, log.kept[i]);
            assert_ptr_equal(tarn_resolve(pool, handle), log.kept[i]);
            kit_expect_status(tarn_release(log.cache, handle), TARN_OK);
        }
        expect_whole_and_destroy(&log, &reports, pool);
    }
}

/* Clear ends the last life of some slots: they are gone for good, and destroyed once. */
static void t41_clear_retires_what_it_uses_up(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        hook_log log = {0};
        tarn_pool_options options = {.object_bytes = sizeof(thing),
                                     .capacity = CAPACITY,
                                     .caches_max = 1,
                                     .exact = true,
                                     .handle_bits = 32,
                                     .handle_index_bits = 10,
                                     .handle_pool_bits = 20,
                                     .checked = kind & 1,
                                     .hooks = {&log, construct, reset, destroy, kind & 2}};
        tarn_pool *pool = kit_pool(&options);
        assert_int_equal(kit_info(pool).lives_max, 2);
        tarn_cache *cache = kit_attach(pool);
        void *objects[CAPACITY];
        assert_int_equal(kit_alloc_many(cache, objects, CAPACITY), CAPACITY);
        kit_free_many(cache, objects, CAPACITY);
        assert_int_equal(kit_alloc_many(cache, objects, 25), 25); /* their second and last lives */
        kit_expect_status(tarn_pool_clear(pool), TARN_OK);
        assert_int_equal(kit_sample(pool).slots_retired, 25);
        assert_int_equal(log.destroys, 25);
        kit_expect_conserved(pool, 0);
        assert_int_equal(kit_alloc_many(cache, objects, CAPACITY), CAPACITY - 25);
        kit_expect_status(tarn_pool_clear(pool), TARN_OK);
        assert_int_equal(kit_sample(pool).slots_retired, CAPACITY);
        assert_null(tarn_alloc(cache));
        kit_expect_conserved(pool, 0);
        kit_destroy(pool);
        assert_int_equal(log.builds, CAPACITY);
        assert_int_equal(log.destroys, CAPACITY);
    }
}

/* What clear dropped is not told of again, and its pointers are stale. */
static void t31_what_clear_dropped_is_no_leak(void **state)
{
    (void)state;
    for (int how = CHECKED; how < WAYS; how++) {
        hook_log log;
        misuse_log reports;
        tarn_pool *pool = make(&log, &reports, (way)how, how & 1);
        void *objects[20];
        assert_int_equal(kit_alloc_many(log.cache, objects, 20), 20);
        kit_expect_status(tarn_pool_clear(pool), TARN_OK);
        tarn_free(log.cache, objects[3]);
        misuse_expect_one(&reports, TARN_MISUSE_DOUBLE_FREE);
        void *object = tarn_alloc(log.cache);
        kit_expect_status(tarn_pool_destroy(pool), TARN_ERROR_LIVE_OBJECTS);
        assert_int_equal(misuse_expect_one(&reports, TARN_MISUSE_LEAK).count, 1);
        tarn_free(log.cache, object);
        expect_whole_and_destroy(&log, &reports, pool);
    }
}

/* Nobody uses the memory of a slot that clear retired: it may go with its neighbours'. */
static void t41_what_clear_retired_can_be_trimmed(void **state)
{
    (void)state;
    tarn_pool_options options = {.object_bytes = 4096,
                                 .capacity = 400,
                                 .caches_max = 1,
                                 .cache_objects_max = 4,
                                 .handle_bits = 32,
                                 .handle_index_bits = 10,
                                 .handle_pool_bits = 20,
                                 .handles = true};
    tarn_pool *pool = kit_pool(&options);
    assert_int_equal(kit_info(pool).lives_max, 2);
    tarn_cache *cache = kit_attach(pool);
    void *objects[400];
    assert_int_equal(kit_alloc_many(cache, objects, 400), 400);
    size_t freed = 0;
    for (size_t i = 0; i < 400; i++) /* one of eight lives on in its first life */
        if (tarn_handle_index(pool, tarn_handle_of(pool, objects[i])) % 8 > 0)
            objects[freed++] = objects[i];
    kit_free_many(cache, objects, freed);
    assert_int_equal(kit_alloc_many(cache, objects, freed), freed);
    kit_expect_status(tarn_pool_clear(pool), TARN_OK);
    assert_in_range(kit_sample(pool).slots_retired, freed - 4, freed);
    size_t bytes, group_bytes = kit_info(pool).group_bytes;
    kit_expect_status(tarn_pool_trim(pool, 0, &bytes), TARN_OK);
    if (group_bytes > 0)
        assert_in_range(bytes, group_bytes, SIZE_MAX);
    kit_expect_conserved(pool, 0);
    kit_destroy(pool);
}

typedef struct caller {
    tarn_pool *pool;
    int called;
    const char *site;
} caller;

static void let_go(void *context, const char *pool_name, void *object, tarn_handle handle,
                   const char *alloc_site)
{
    caller *c = context;
    assert_string_equal(pool_name, "crowd");
    assert_ptr_equal(tarn_resolve(c->pool, handle), object);
    c->called++;
    c->site = alloc_site;
    kit_expect_status(tarn_guest_release(c->pool, handle), TARN_OK);
}

static void t31_who_is_told_of_live_objects_may_release_them(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        caller c = {0};
        misuse_log reports;
        tarn_pool_options options = {.name = "crowd",
                                     .object_bytes = sizeof(thing),
                                     .capacity = CAPACITY,
                                     .exact = kind & 1,
                                     .handles = true,
                                     .live = let_go,
                                     .live_context = &c};
        tarn_pool *pool = kind & 2 ? misuse_pool(&reports, options) : kit_pool(&options);
        c.pool = pool;
        tarn_cache *cache = kit_attach(pool);
        void *objects[20];
        assert_int_equal(kit_alloc_many(cache, objects, 20), 20);
        kit_expect_status(tarn_pool_destroy(pool), TARN_ERROR_LIVE_OBJECTS);
        assert_int_equal(c.called, 20);
        kit_expect_conserved(pool, 0);
        kit_destroy(pool);
        assert_int_equal(c.called, 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clear_leaves_the_capacity_whole_and_what_is_built_built),
        cmocka_unit_test(hooks_that_take_and_give_in_a_clear_lose_nothing),
        cmocka_unit_test(t41_clear_retires_what_it_uses_up),
        cmocka_unit_test(t31_what_clear_dropped_is_no_leak),
        cmocka_unit_test(t41_what_clear_retired_can_be_trimmed),
        cmocka_unit_test(t31_who_is_told_of_live_objects_may_release_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
