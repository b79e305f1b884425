/* Pools that grow: when, how often, how far, and who may say no. */
#include "support/kit.h"
#include "support/memory_hooks.h"

static memory_hooks hooks;

typedef struct growth {
    size_t now, next; /* of the last request */
    int calls;
    bool refuses;
    tarn_cache *cache; /* used inside the callback, if set */
    void **to_free;
    size_t to_free_count;
    void *allocated;
} growth;

static bool note_growth(void *context, tarn_pool *pool, size_t objects_now, size_t objects_next)
{
    growth *g = context;
    (void)pool;
    g->calls++;
    g->now = objects_now;
    g->next = objects_next;
    return !g->refuses;
}

static tarn_pool_options exact_growing(size_t capacity, size_t capacity_max, growth *g)
{
    return (tarn_pool_options){.object_bytes = 32,
                               .capacity = capacity,
                               .capacity_max = capacity_max,
                               .caches_max = 4,
                               .grow = note_growth,
                               .grow_context = g,
                               .exact = true};
}

static void a_pool_doubles_up_to_its_maximum(void **state)
{
    (void)state;
    growth g = {0};
    tarn_pool_options options = exact_growing(10, 100, &g);
    tarn_pool *pool = kit_pool(&options);
    tarn_cache *cache = kit_attach(pool);
    void *objects[100];
    static const size_t capacities[] = {10, 20, 40, 80, 100};
    for (size_t i = 0; i < 100; i++) {
        assert_non_null(objects[i] = tarn_alloc(cache));
        size_t step = 0;
        while (capacities[step] < i + 1)
            step++;
        assert_int_equal(kit_info(pool).capacity, capacities[step]);
        assert_int_equal(g.calls, step);
        if (step > 0) {
            assert_int_equal(g.now, capacities[step - 1]);
            assert_int_equal(g.next, capacities[step]);
        }
    }
    assert_null(tarn_alloc(cache));
    assert_int_equal(g.calls, 4);
    assert_int_equal(kit_sample(pool).growths, 4);
    assert_true(kit_are_apart(objects, 100, 32));
    kit_free_many(cache, objects, 100);
    kit_destroy(pool);
}

static void a_pool_grows_by_its_step(void **state)
{
    (void)state;
    growth g = {0};
    tarn_pool_options options = exact_growing(10, 55, &g);
    options.grow_objects = 20;
    tarn_pool *pool = kit_pool(&options);
    tarn_cache *cache = kit_attach(pool);
    void *objects[55];
    assert_int_equal(kit_alloc_many(cache, objects, 11), 11);
    assert_int_equal(kit_info(pool).capacity, 30);
    assert_int_equal(kit_alloc_many(cache, objects + 11, 20), 20);
    assert_int_equal(kit_info(pool).capacity, 50);
    assert_int_equal(kit_alloc_many(cache, objects + 31, 24), 24);
    assert_int_equal(kit_info(pool).capacity, 55);
    assert_null(tarn_alloc(cache));
    assert_int_equal(g.calls, 3);
    kit_clear_and_destroy(pool);
}

static void a_pool_with_caches_reaches_its_maximum_too(void **state)
{
    (void)state;
    for (uint32_t bound = 1; bound <= 200; bound += bound < 8 ? 1 : 31) {
        tarn_pool_options options = {.object_bytes = 16,
                                     .capacity = 1,
                                     .capacity_max = 3000,
                                     .caches_max = 3,
                                     .cache_objects_max = bound};
        tarn_pool *pool = kit_pool(&options);
        tarn_cache *cache = kit_attach(pool);
        void *objects[3000];
        assert_int_equal(kit_alloc_many(cache, objects, 3000), 3000);
        assert_true(kit_are_apart(objects, 3000, 16));
        kit_expect_conserved(pool, 3000);
        kit_free_many(cache, objects, 3000);
        uint64_t growths = kit_sample(pool).growths;
        assert_int_equal(kit_alloc_many(cache, objects, 3000), 3000);
        assert_int_equal(kit_sample(pool).growths, growths);
        kit_clear_and_destroy(pool);
    }
}

static void a_refusal_by_the_host_fails_the_allocation_and_nothing_else(void **state)
{
    (void)state;
    growth g = {.refuses = true};
    tarn_pool_options options = exact_growing(10, 20, &g);
    tarn_pool *pool = kit_pool(&options);
    tarn_cache *cache = kit_attach(pool);
    void *objects[20];
    assert_int_equal(kit_alloc_many(cache, objects, 10), 10);
    for (int i = 1; i <= 5; i++) {
        assert_null(tarn_alloc(cache));
        assert_int_equal(g.calls, i);
    }
    assert_int_equal(kit_info(pool).capacity, 10);
    assert_int_equal(kit_sample(pool).growths, 0);
    tarn_free(cache, objects[0]);
    assert_non_null(objects[0] = tarn_alloc(cache));
    g.refuses = false;
    assert_int_equal(kit_alloc_many(cache, objects + 10, 10), 10);
    assert_true(kit_are_apart(objects, 20, 32));
    kit_clear_and_destroy(pool);
}

static void t78_growth_survives_every_memory_call_that_fails(void **state)
{
    (void)state;
    memory_hooks_init(&hooks, 0);
    growth g = {0};
    tarn_pool_options options = exact_growing(100, 4000, &g);
    options.exact = false;
    options.cache_objects_max = 8;
    options.memory = &hooks.memory;
    tarn_pool *pool = kit_pool(&options);
    tarn_cache *cache = kit_attach(pool);
    size_t slots = kit_info(pool).slots;
    void **objects = kit_array(slots);
    size_t count = 0;
    uint64_t failures = 0;
    memory_hooks_restart(&hooks);
    while (kit_info(pool).capacity < 4000) {
        hooks.fail_at = hooks.calls + 1; /* every growth fails once at its first commit */
        uint64_t failed = hooks.failures;
        size_t got = kit_alloc_many(cache, objects + count, slots - count);
        count += got;
        if (hooks.failures == failed)
            break;
        failures++;
        kit_expect_conserved(pool, count);
        hooks.fail_at = hooks.calls + 2; /* and once more at its second */
        count += kit_alloc_many(cache, objects + count, slots - count);
        kit_expect_conserved(pool, count);
    }
    hooks.fail_at = 0;
    count += kit_alloc_many(cache, objects + count, slots - count);
    assert_true(failures >= 3);
    assert_int_equal(kit_info(pool).committed_bytes, hooks.committed_bytes);
    assert_int_equal(count, slots);
    assert_true(kit_are_apart(objects, count, 32));
    for (size_t i = 0; i < count; i++)
        memset(objects[i], 1, 32);
    free(objects);
    kit_clear_and_destroy(pool);
    assert_true(memory_hooks_are_balanced(&hooks));
    memory_hooks_destroy(&hooks);
}

static void growth_stops_at_the_budget(void **state)
{
    (void)state;
    memory_hooks_init(&hooks, 0);
    growth g = {0};
    tarn_pool_options options = exact_growing(1000, 100000, &g);
    options.memory = &hooks.memory;
    options.memory_bytes_max = 1 << 20;
    tarn_pool *pool = kit_pool(&options);
    tarn_cache *cache = kit_attach(pool);
    size_t count = 0;
    while (tarn_alloc(cache))
        count++;
    size_t fewest = kit_is_watched(pool) ? 8000 : 16000; /* books on each slot count too */
    assert_in_range(count, fewest, (1 << 20) / 32);
    assert_int_equal(kit_info(pool).capacity, count);
    assert_in_range(hooks.committed_bytes_peak, 1, options.memory_bytes_max);
    /* The pool doubles, and the host is not asked for what the budget forbids. */
    assert_int_equal(g.calls, count == 8000 ? 3 : 4);
    kit_clear_and_destroy(pool);
    assert_true(memory_hooks_are_balanced(&hooks));
    memory_hooks_destroy(&hooks);
}

static void t51_objects_stay_aligned_and_apart_after_growth(void **state)
{
    (void)state;
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        tarn_pool_options options = {.object_bytes = 40,
                                     .object_alignment = alignment,
                                     .capacity = 3,
                                     .capacity_max = 200,
                                     .caches_max = 2};
        tarn_pool *pool = kit_pool(&options);
        tarn_cache *cache = kit_attach(pool);
        void *objects[200];
        assert_int_equal(kit_alloc_many(cache, objects, 200), 200);
        assert_true(kit_sample(pool).growths > 0);
        assert_true(kit_are_apart(objects, 200, 40));
        for (int i = 0; i < 200; i++) {
            assert_int_equal((uintptr_t)objects[i] % alignment, 0);
            memset(objects[i], i, 40);
        }
        kit_free_many(cache, objects, 200);
        kit_destroy(pool);
    }
}

static bool use_the_pool(void *context, tarn_pool *pool, size_t objects_now, size_t objects_next)
{
    growth *g = context;
    note_growth(context, pool, objects_now, objects_next);
    tarn_pool_statistics statistics;
    tarn_pool_sample(pool, &statistics);
    kit_free_many(g->cache, g->to_free, g->to_free_count);
    g->to_free_count = 0;
    g->allocated = tarn_alloc(g->cache);
    return !g->refuses;
}

static void t47_an_allocation_inside_the_callback_never_grows(void **state)
{
    (void)state;
    for (int exact = 0; exact <= 1; exact++) {
        growth g = {0};
        tarn_pool_options options = exact_growing(10, 400, &g);
        options.exact = exact;
        options.cache_objects_max = 8;
        options.grow = use_the_pool;
        tarn_pool *pool = kit_pool(&options);
        g.cache = kit_attach(pool);
        size_t slots = kit_info(pool).slots;
        void **objects = kit_array(slots);
        assert_int_equal(kit_alloc_many(g.cache, objects, slots), slots);
        assert_null(g.allocated);
        assert_int_equal(g.calls, kit_sample(pool).growths);
        assert_true(g.calls >= 4);
        assert_true(kit_are_apart(objects, slots, 32));
        kit_expect_conserved(pool, slots);
        free(objects);
        kit_clear_and_destroy(pool);
    }
}

/* The host makes room by freeing, to the cache that asks: a little, a magazine, all it can hold. */
static void t47_the_callback_may_free_to_the_cache_that_asks(void **state)
{
    (void)state;
    static const uint32_t bounds[] = {1, 2, 4, 8, 40, 128, 300};
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
        for (int refuses = 0; refuses <= 1; refuses++)
            for (size_t freed = 1; freed <= 400; freed += freed < 10 ? 1 : 39) {
                growth g = {.refuses = refuses};
                tarn_pool_options options = exact_growing(500, 1000, &g);
                options.exact = false;
                options.cache_objects_max = bounds[b];
                options.grow = use_the_pool;
                tarn_pool *pool = kit_pool(&options);
                g.cache = kit_attach(pool);
                size_t first = 500 + (kit_info(pool).slots - 1000);
                void **objects = kit_array(kit_info(pool).slots);
                assert_int_equal(kit_alloc_many(g.cache, objects, first), first);
                assert_int_equal(g.calls, 0);
                g.to_free = objects;
                g.to_free_count = freed;
                void *object = tarn_alloc(g.cache);
                assert_int_equal(g.calls, 1);
                assert_non_null(g.allocated);
                assert_ptr_not_equal(object, g.allocated);
                kit_expect_conserved(pool, first - freed + 1 + (object ? 1 : 0));
                assert_in_range(kit_sample(pool).free_in_caches, 0, bounds[b]);
                free(objects);
                kit_clear_and_destroy(pool);
            }
}

/* Threads that find the pool empty at the same moment. */
enum { RUSH = 4, RUSH_OBJECTS = 250 };

typedef struct rusher {
    tarn_pool *pool;
    kit_barrier *barrier;
    void *objects[RUSH_OBJECTS];
} rusher;

static int rush(void *argument)
{
    rusher *self = argument;
    tarn_cache *cache = NULL;
    int failures = 0;
    if (tarn_cache_attach(self->pool, &cache) != TARN_OK)
        return 1;
    for (int i = 0; i < RUSH_OBJECTS; i++) {
        kit_barrier_wait(self->barrier);
        self->objects[i] = tarn_alloc(cache);
        KIT_EXPECT(&failures, self->objects[i] != NULL);
    }
    return failures;
}

/* Takes its time, so that the others come to the same point meanwhile. */
static bool grow_slowly(void *context, tarn_pool *pool, size_t objects_now, size_t objects_next)
{
    for (int i = 0; i < 30; i++)
        tarn_thread_yield();
    return note_growth(context, pool, objects_now, objects_next);
}

static void t54_threads_that_need_the_same_growth_cause_it_once(void **state)
{
    (void)state;
    for (int exact = 0; exact <= 1; exact++) {
        growth g = {0};
        tarn_pool_options options = exact_growing(RUSH, RUSH * RUSH_OBJECTS, &g);
        options.grow_objects = RUSH;
        options.grow = grow_slowly;
        options.exact = exact;
        options.cache_objects_max = 4;
        tarn_pool *pool = kit_pool(&options);
        kit_barrier barrier = {.count = RUSH};
        static rusher rushers[RUSH];
        for (int i = 0; i < RUSH; i++)
            rushers[i] = (rusher){.pool = pool, .barrier = &barrier};
        assert_int_equal(kit_run_threads(RUSH, rush, rushers, sizeof *rushers), 0);
        size_t growths = kit_sample(pool).growths;
        assert_int_equal(g.calls, growths);
        /* Each growth adds what one round takes, so an exact pool needs one per round but one. */
        if (exact)
            assert_int_equal(growths, RUSH_OBJECTS - 1);
        else
            assert_in_range(growths, 1, RUSH_OBJECTS - 1);
        static void *all[RUSH * RUSH_OBJECTS];
        for (int i = 0; i < RUSH; i++)
            memcpy(all + i * RUSH_OBJECTS, rushers[i].objects, sizeof rushers[i].objects);
        assert_true(kit_are_apart(all, RUSH * RUSH_OBJECTS, 32));
        kit_expect_conserved(pool, RUSH * RUSH_OBJECTS);
        kit_clear_and_destroy(pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pool_doubles_up_to_its_maximum),
        cmocka_unit_test(a_pool_grows_by_its_step),
        cmocka_unit_test(a_pool_with_caches_reaches_its_maximum_too),
        cmocka_unit_test(a_refusal_by_the_host_fails_the_allocation_and_nothing_else),
        cmocka_unit_test(t78_growth_survives_every_memory_call_that_fails),
        cmocka_unit_test(growth_stops_at_the_budget),
        cmocka_unit_test(t51_objects_stay_aligned_and_apart_after_growth),
        cmocka_unit_test(t47_an_allocation_inside_the_callback_never_grows),
        cmocka_unit_test(t47_the_callback_may_free_to_the_cache_that_asks),
        cmocka_unit_test(t54_threads_that_need_the_same_growth_cause_it_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
