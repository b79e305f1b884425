/* Memory ahead of its use: after prepare, allocations find everything done; before, nothing is. */
#define _GNU_SOURCE /* mincore */
#include "support/kit.h"
#include "support/memory_hooks.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

enum { CAPACITY = 4096, OBJECT_BYTES = 256, BUDGET = 100 * OBJECT_BYTES };

static memory_hooks hooks;

typedef struct calls {
    uint64_t growths, constructed, fail_at;
} calls;

static bool note_growth(void *context, tarn_pool *pool, size_t now, size_t next)
{
    calls *c = context;
    (void)pool;
    c->growths++;
    return next > now;
}

static bool construct(void *context, void *object)
{
    calls *c = context;
    *(uint64_t *)object = ++c->constructed;
    return c->constructed != c->fail_at;
}

static tarn_pool_options options_of(calls *c)
{
    memory_hooks_init(&hooks, 0);
    return (tarn_pool_options){.object_bytes = OBJECT_BYTES,
                               .capacity = 64,
                               .capacity_max = CAPACITY,
                               .caches_max = 2,
                               .cache_objects_max = 32,
                               .grow = note_growth,
                               .grow_context = c,
                               .hooks = {.context = c, .construct = construct},
                               .memory = &hooks.memory};
}

static void end(tarn_pool *pool)
{
    kit_destroy(pool);
    assert_true(memory_hooks_are_balanced(&hooks));
    memory_hooks_destroy(&hooks);
}

static size_t prepare(tarn_pool *pool, size_t objects, size_t budget_bytes)
{
    size_t left = SIZE_MAX;
    kit_expect_status(tarn_pool_prepare(pool, objects, budget_bytes, &left), TARN_OK);
    return left;
}

static void after_prepare_no_allocation_grows_commits_or_constructs(void **state)
{
    (void)state;
    for (int exact = 0; exact <= 1; exact++) {
        calls c = {0};
        tarn_pool_options options = options_of(&c);
        options.exact = exact;
        tarn_pool *pool = kit_pool(&options);
        tarn_cache *cache = kit_attach(pool);
        size_t left = 2000, bites = 0;
        while (left > 0) {
            uint64_t before = c.constructed;
            size_t now = prepare(pool, 2000, BUDGET);
            assert_int_equal(left - now, c.constructed - before);
            assert_in_range(c.constructed - before, 1, 100);
            left = now;
            bites++;
        }
        size_t objects_each = BUDGET / kit_info(pool).stride_bytes;
        assert_in_range(bites, 2000 / objects_each, 2000 / objects_each + 2);
        kit_expect_conserved(pool, 0);
        uint64_t growths = c.growths, constructed = c.constructed, memory_calls = hooks.calls;
        void *objects[2000];
        assert_int_equal(kit_alloc_many(cache, objects, 2000), 2000);
        assert_true(kit_are_apart(objects, 2000, OBJECT_BYTES));
        assert_int_equal(c.growths, growths);
        assert_int_equal(c.constructed, constructed);
        assert_int_equal(hooks.calls, memory_calls);
        kit_expect_conserved(pool, 2000);
        kit_free_many(cache, objects, 2000);
        kit_detach(cache);
        assert_int_equal(prepare(pool, 2000, BUDGET), 0);
        assert_int_equal(c.constructed, constructed);
        end(pool);
    }
}

static void what_was_trimmed_is_made_ready_again(void **state)
{
    (void)state;
    calls c = {0};
    tarn_pool_options options = options_of(&c);
    options.capacity = CAPACITY;
    tarn_pool *pool = kit_pool(&options);
    assert_int_equal(prepare(pool, CAPACITY, SIZE_MAX), 0);
    kit_expect_status(tarn_pool_trim(pool, 0, NULL), TARN_OK);
    assert_true(kit_sample(pool).slots_trimmed > 0);
    assert_int_equal(prepare(pool, CAPACITY, SIZE_MAX), 0);
    assert_int_equal(kit_sample(pool).slots_trimmed, 0);
    kit_expect_conserved(pool, 0);
    uint64_t constructed = c.constructed;
    tarn_cache *cache = kit_attach(pool);
    void **objects = kit_array(CAPACITY);
    assert_int_equal(kit_alloc_many(cache, objects, CAPACITY), CAPACITY);
    assert_int_equal(c.constructed, constructed);
    kit_free_many(cache, objects, CAPACITY);
    kit_detach(cache);
    free(objects);
    end(pool);
}

static void a_pool_that_has_no_more_says_how_many_are_missing(void **state)
{
    (void)state;
    calls c = {0};
    tarn_pool_options options = options_of(&c);
    tarn_pool *pool = kit_pool(&options);
    size_t left = 0;
    kit_expect_status(tarn_pool_prepare(pool, CAPACITY + 10, SIZE_MAX, &left), TARN_ERROR_FULL);
    assert_int_equal(left, 10);
    kit_expect_status(tarn_pool_prepare(NULL, 3, 1, &left), TARN_ERROR_INVALID);
    assert_int_equal(left, 3);
    kit_expect_conserved(pool, 0);
    end(pool);
}

static void a_construct_that_fails_loses_nothing(void **state)
{
    (void)state;
    calls c = {.fail_at = 42};
    tarn_pool_options options = options_of(&c);
    tarn_pool *pool = kit_pool(&options);
    size_t left = 0;
    kit_expect_status(tarn_pool_prepare(pool, 64, SIZE_MAX, &left), TARN_ERROR_CONSTRUCT);
    assert_int_equal(left, 64 - 41);
    assert_int_equal(kit_sample(pool).constructs_refused, 1);
    kit_expect_conserved(pool, 0);
    tarn_cache *cache = kit_attach(pool);
    void *objects[64];
    assert_int_equal(kit_alloc_many(cache, objects, 64), 64);
    assert_int_equal(c.constructed, 65);
    kit_free_many(cache, objects, 64);
    kit_detach(cache);
    end(pool);
}

/* While the construct hook of an exact pool has an object in hand that prepare makes ready,
 * somebody allocates. */
typedef struct meeting {
    tarn_pool *pool;
    tarn_cache *caches[2];
    atomic_uint step; /* 1: the hook runs, 2: the other is about to allocate, 3: it has */
    uint32_t refused_in_hook;
} meeting;

enum { MEETING_OBJECTS = 3, LOOKS_MAX = 20000 };

/* Time enough for a refusal. An allocation that waits for this hook ends after it. */
static void let_the_other_allocate(meeting *m)
{
    kit_raise(&m->step, 1);
    kit_await(&m->step, 2);
    for (int looks = 0; looks < LOOKS_MAX && atomic_load(&m->step) < 3; looks++)
        tarn_thread_yield();
}

static bool construct_slowly(void *context, void *object)
{
    meeting *m = context;
    *(uint64_t *)object = 1;
    if (atomic_load(&m->step) == 0)
        let_the_other_allocate(m);
    return true;
}

static int allocate_all_and_one_more(void *argument)
{
    meeting *m = argument;
    int failures = 0;
    void *objects[MEETING_OBJECTS];
    size_t count = kit_alloc_many(m->caches[1], objects, MEETING_OBJECTS);
    kit_raise(&m->step, 3);
    KIT_EXPECT(&failures, count == MEETING_OBJECTS);
    KIT_EXPECT(&failures, tarn_alloc(m->caches[1]) == NULL);
    kit_free_many(m->caches[1], objects, count);
    return failures;
}

static int allocate_meanwhile(void *argument)
{
    meeting *m = argument;
    kit_await(&m->step, 1);
    kit_raise(&m->step, 2);
    return allocate_all_and_one_more(m);
}

static void open_meeting(meeting *m, bool (*construct_fn)(void *context, void *object))
{
    tarn_pool_options options = {.object_bytes = 16,
                                 .capacity = MEETING_OBJECTS,
                                 .caches_max = 2,
                                 .exact = true,
                                 .hooks = {.context = m, .construct = construct_fn}};
    m->pool = kit_pool(&options);
    for (int i = 0; i < 2; i++)
        m->caches[i] = kit_attach(m->pool);
}

static void close_meeting(meeting *m)
{
    kit_expect_conserved(m->pool, 0);
    for (int i = 0; i < 2; i++)
        kit_detach(m->caches[i]);
    kit_destroy(m->pool);
}

static void an_exact_pool_refuses_nothing_that_another_thread_makes_ready(void **state)
{
    (void)state;
    meeting m = {0};
    open_meeting(&m, construct_slowly);
    tarn_thread other;
    assert_true(tarn_thread_create(&other, allocate_meanwhile, &m));
    assert_int_equal(prepare(m.pool, 1, SIZE_MAX), 0);
    assert_int_equal(tarn_thread_join(other), 0);
    close_meeting(&m);
}

/* Takes all others, and one more, which this very hook keeps it from having. */
static bool construct_and_take_all(void *context, void *object)
{
    meeting *m = context;
    *(uint64_t *)object = 1;
    if (atomic_fetch_add(&m->step, 1) > 0)
        return true;
    void *objects[MEETING_OBJECTS];
    size_t count = kit_alloc_many(m->caches[0], objects, MEETING_OBJECTS);
    kit_free_many(m->caches[0], objects, count);
    m->refused_in_hook = (uint32_t)(MEETING_OBJECTS - count);
    return true;
}

static void a_construct_hook_waits_for_nothing_that_it_has_in_hand_itself(void **state)
{
    (void)state;
    meeting m = {0};
    open_meeting(&m, construct_and_take_all);
    kit_expect_status(tarn_pool_prepare(m.pool, MEETING_OBJECTS, SIZE_MAX, NULL),
                      TARN_ERROR_FULL);     /* the hook's own allocations made the rest */
    assert_int_equal(m.refused_in_hook, 1); /* one at a time is in hand */
    kit_run_thread(allocate_all_and_one_more, &m);
    close_meeting(&m);
}

#if defined(__linux__)
static size_t pages_there(const void *start, size_t bytes)
{
    static unsigned char there[CAPACITY * OBJECT_BYTES / 4096];
    assert_true(bytes / 4096 <= sizeof there);
    assert_int_equal(mincore((void *)(uintptr_t)start, bytes, there), 0);
    size_t count = 0;
    for (size_t i = 0; i < bytes / 4096; i++)
        count += there[i] & 1;
    return count;
}

static void t58_prepare_touches_the_pages_of_what_it_prepares_and_no_others(void **state)
{
    (void)state;
    tarn_pool_options options = {.object_bytes = OBJECT_BYTES,
                                 .capacity = CAPACITY,
                                 .caches_max = 2,
                                 .cache_objects_max = 8};
    tarn_pool *pool = kit_pool(&options);
    if (kit_is_watched(pool)) { /* memory checkers and checks touch what they like */
        kit_destroy(pool);
        return;
    }
    tarn_cache *cache = kit_attach(pool);
    char *lowest = tarn_alloc(cache);
    tarn_free(cache, lowest);
    kit_detach(cache);
    size_t bytes = (size_t)CAPACITY * OBJECT_BYTES;
    lowest = (char *)((uintptr_t)lowest & ~(uintptr_t)4095);
    assert_in_range(pages_there(lowest, bytes), 0, 1);
    assert_int_equal(prepare(pool, CAPACITY / 4, SIZE_MAX), 0);
    size_t expected = bytes / 4 / 4096;
    assert_in_range(pages_there(lowest, bytes), expected, expected + 2);
    kit_destroy(pool);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_prepare_no_allocation_grows_commits_or_constructs),
        cmocka_unit_test(what_was_trimmed_is_made_ready_again),
        cmocka_unit_test(a_pool_that_has_no_more_says_how_many_are_missing),
        cmocka_unit_test(a_construct_that_fails_loses_nothing),
        cmocka_unit_test(an_exact_pool_refuses_nothing_that_another_thread_makes_ready),
        cmocka_unit_test(a_construct_hook_waits_for_nothing_that_it_has_in_hand_itself),
#if defined(__linux__)
        cmocka_unit_test(t58_prepare_touches_the_pages_of_what_it_prepares_and_no_others),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
