/* T78: wherever the memory functions fail, the call says so, nothing is lost, nothing leaks, and
 * the next attempt goes on. */
#include "support/check.h"
#include "support/kit.h"
#include "support/memory_hooks.h"

#include "tarn/tarn.h"

#include <string.h>

#define START        1000u
#define STEP         5000u /* at 64 bytes, every region needs more pages at each growth */
#define CAPACITY_MAX 16000u
#define FAULTS_MAX   100u /* more memory calls than any one call of the pool makes */

static memory_hooks hooks;

static tarn_pool_options options_of(bool exact)
{
    return (tarn_pool_options){
        .object_bytes = 64,
        .capacity = START,
        .capacity_max = CAPACITY_MAX,
        .grow_objects = STEP,
        .caches_max = 2,
        .cache_objects_max = 8,
        .exact = exact,
        .memory = &hooks.memory,
    };
}

static tarn_pool *create(const tarn_pool_options *options)
{
    tarn_pool *pool = NULL;
    assert_int_equal(tarn_pool_create(options, &pool), TARN_OK);
    return pool;
}

static tarn_pool_statistics sample(const tarn_pool *pool)
{
    tarn_pool_statistics statistics;
    assert_int_equal(tarn_pool_sample(pool, &statistics), TARN_OK);
    return statistics;
}

static tarn_pool_info describe(const tarn_pool *pool)
{
    tarn_pool_info info;
    assert_int_equal(tarn_pool_describe(pool, &info), TARN_OK);
    return info;
}

static void end(tarn_pool *pool)
{
    assert_int_equal(tarn_pool_clear(pool), TARN_OK);
    assert_int_equal(tarn_pool_destroy(pool), TARN_OK);
    check_that(memory_hooks_are_balanced(&hooks), "%s", hooks.violation ? hooks.violation : "");
    memory_hooks_destroy(&hooks);
}

/* ---- creation ---- */

/* Returns at which call creation succeeded, which is one more than it makes. */
static uint64_t fail_each_call_of_create(const tarn_pool_options *options)
{
    for (uint64_t n = 1; n <= FAULTS_MAX; n++) {
        memory_hooks_init(&hooks, 4096);
        hooks.fail_at = n;
        tarn_pool *pool = (tarn_pool *)&hooks;
        tarn_status status = tarn_pool_create(options, &pool);
        if (status == TARN_OK) {
            assert_int_equal(hooks.failures, 0);
            uint64_t books = kit_is_watched(pool); /* on each slot: one region more */
            end(pool);
            return n - books;
        }
        assert_int_equal(status, TARN_ERROR_NO_MEMORY);
        assert_null(pool);
        assert_int_equal(hooks.calls, n); /* it stopped at the failure */
        assert_int_equal(hooks.releases, n > 1);
        assert_true(memory_hooks_are_balanced(&hooks));
        memory_hooks_destroy(&hooks);
    }
    fail_msg("creation never succeeded");
    return 0;
}

static void t78_create_fails_cleanly_at_each_of_its_memory_calls(void **state)
{
    (void)state;
    tarn_pool_options options = options_of(false);
    assert_int_equal(fail_each_call_of_create(&options), 8); /* reserve, head, five regions */
    options.exact = true;
    assert_int_equal(fail_each_call_of_create(&options), 5); /* none for magazines and groups */
}

static void incomplete_memory_functions_are_invalid(void **state)
{
    (void)state;
    for (uint32_t missing = 0; missing < 4; missing++) {
        memory_hooks_init(&hooks, 4096);
        tarn_memory *memory = &hooks.memory;
        memory->reserve = missing == 0 ? NULL : memory->reserve;
        memory->commit = missing == 1 ? NULL : memory->commit;
        memory->decommit = missing == 2 ? NULL : memory->decommit;
        memory->release = missing == 3 ? NULL : memory->release;
        tarn_pool_options options = options_of(false);
        tarn_pool *pool = (tarn_pool *)&hooks;
        assert_int_equal(tarn_pool_create(&options, &pool), TARN_ERROR_INVALID);
        assert_null(pool);
        assert_int_equal(hooks.calls, 0);
        memory_hooks_destroy(&hooks);
    }
}

static void page_sizes_out_of_range_are_invalid(void **state)
{
    (void)state;
    const size_t wrong[] = {1, 2048, 4095, 4097, 12288, (size_t)4 << 20, SIZE_MAX};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        memory_hooks_init(&hooks, wrong[i]);
        tarn_pool_options options = options_of(false);
        tarn_pool *pool = NULL;
        assert_int_equal(tarn_pool_create(&options, &pool), TARN_ERROR_INVALID);
        assert_int_equal(hooks.calls, 0);
        memory_hooks_destroy(&hooks);
    }
}

static void fill(tarn_cache *cache, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned char *object = tarn_alloc(cache);
        assert_non_null(object);
        memset(object, 0xA5, 64); /* faults if it was not committed */
    }
}

static void memory_is_asked_for_in_the_hosts_own_pages(void **state)
{
    (void)state;
    const size_t page_bytes[] = {0, 4096, (size_t)64 << 10, (size_t)2 << 20};
    for (size_t i = 0; i < sizeof page_bytes / sizeof page_bytes[0]; i++)
        for (int exact = 0; exact < 2; exact++) {
            memory_hooks_init(&hooks, page_bytes[i]);
            tarn_pool_options options = options_of(exact);
            tarn_pool *pool = create(&options);
            assert_int_equal(hooks.alignment_last, page_bytes[i] ? page_bytes[i] : 4096);
            tarn_cache *cache = NULL;
            assert_int_equal(tarn_cache_attach(pool, &cache), TARN_OK);
            fill(cache, CAPACITY_MAX);
            tarn_pool_info info = describe(pool);
            assert_int_equal(info.committed_bytes, hooks.committed_bytes);
            assert_int_equal(info.reserved_bytes, hooks.reserved_bytes);
            end(pool);
        }
}

/* ---- growth ---- */

typedef void *alloc_function(tarn_pool *pool, tarn_cache *cache);

static void *alloc_by_cache(tarn_pool *pool, tarn_cache *cache)
{
    (void)pool;
    return tarn_alloc(cache);
}

static void *alloc_by_guest(tarn_pool *pool, tarn_cache *cache)
{
    (void)cache;
    return tarn_guest_alloc(pool);
}

static void *alloc_by_bulk(tarn_pool *pool, tarn_cache *cache)
{
    (void)pool;
    void *object = NULL;
    tarn_status status = tarn_alloc_bulk(cache, 1, &object);
    assert_int_equal(status, object ? TARN_OK : TARN_ERROR_FULL);
    return object;
}

static void *alloc_by_reserve(tarn_pool *pool, tarn_cache *cache)
{
    (void)pool;
    tarn_status status = tarn_cache_reserve(cache, 1);
    if (status == TARN_OK)
        return tarn_alloc(cache);
    assert_int_equal(status, TARN_ERROR_FULL);
    return NULL;
}

typedef struct growing {
    tarn_pool *pool;
    tarn_cache *cache;
    alloc_function *alloc;
} growing;

static growing start(bool exact, alloc_function *alloc)
{
    memory_hooks_init(&hooks, 4096);
    tarn_pool_options options = options_of(exact);
    growing g = {.pool = create(&options), .alloc = alloc};
    assert_int_equal(tarn_cache_attach(g.pool, &g.cache), TARN_OK);
    return g;
}

/* Takes objects until one more would need growth. */
static void exhaust(growing *g)
{
    memory_hooks_restart(&hooks);
    hooks.fail_from = 1;
    while (g->alloc(g->pool, g->cache))
        ;
    memory_hooks_restart(&hooks);
}

/* Fails the memory calls of one growth, one more each time. Returns how many there were. */
static uint64_t fail_each_call_of_growth(growing *g)
{
    for (uint64_t n = 1; n <= FAULTS_MAX; n++) {
        tarn_pool_statistics before = sample(g->pool);
        size_t capacity = describe(g->pool).capacity;
        memory_hooks_restart(&hooks);
        hooks.fail_from = n;
        if (g->alloc(g->pool, g->cache))
            return hooks.calls;
        assert_int_equal(hooks.failures, 1); /* one try per allocation */
        tarn_pool_statistics after = sample(g->pool);
        assert_int_equal(after.live, before.live);
        assert_int_equal(after.growths, before.growths);
        assert_int_equal(describe(g->pool).capacity, capacity);
        assert_int_equal(describe(g->pool).committed_bytes, hooks.committed_bytes);
        exhaust(g);
        assert_int_equal(sample(g->pool).live, before.live);
        hooks.fail_from = 0;
    }
    fail_msg("growth never succeeded");
    return 0;
}

static void check_growth(bool exact, alloc_function *alloc)
{
    growing g = start(exact, alloc);
    uint32_t growths = 0;
    while (describe(g.pool).capacity < CAPACITY_MAX) {
        exhaust(&g);
        assert_true(sample(g.pool).live >= describe(g.pool).capacity);
        fail_each_call_of_growth(&g);
        assert_int_equal(sample(g.pool).growths, ++growths);
    }
    assert_int_equal(growths, (CAPACITY_MAX - START) / STEP);
    exhaust(&g);
    tarn_pool_info info = describe(g.pool);
    if (exact)
        assert_int_equal(sample(g.pool).live, CAPACITY_MAX);
    assert_in_range(sample(g.pool).live, CAPACITY_MAX, info.slots);
    end(g.pool);
}

static void t78_growth_that_fails_anywhere_loses_nothing_and_works_later(void **state)
{
    (void)state;
    alloc_function *const functions[] = {alloc_by_cache, alloc_by_guest, alloc_by_bulk,
                                         alloc_by_reserve};
    for (uint32_t i = 0; i < 4; i++)
        for (int exact = 0; exact < 2; exact++)
            check_growth(exact, functions[i]);
}

static void t78_a_growth_goes_on_where_the_last_attempt_failed(void **state)
{
    (void)state;
    growing g = start(false, alloc_by_cache);
    exhaust(&g);
    hooks.fail_from = 3;
    assert_null(tarn_alloc(g.cache));
    assert_int_equal(hooks.calls, 3);
    memory_hooks_restart(&hooks);
    assert_non_null(tarn_alloc(g.cache));
    /* Of four regions, or five, two were committed already. */
    assert_int_equal(hooks.calls, kit_is_watched(g.pool) ? 3 : 2);
    end(g.pool);
}

static void t78_a_refused_growth_is_counted_once_for_each_allocation(void **state)
{
    (void)state;
    for (int exact = 0; exact < 2; exact++) {
        growing g = start(exact, alloc_by_cache);
        exhaust(&g);
        uint64_t refusals = sample(g.pool).refusals;
        hooks.fail_from = 1;
        for (uint32_t i = 1; i <= 10; i++) {
            assert_null(tarn_alloc(g.cache));
            assert_null(tarn_guest_alloc(g.pool));
            assert_int_equal(sample(g.pool).refusals, refusals + 2 * i);
        }
        end(g.pool);
    }
}

static void t78_a_bulk_that_cannot_grow_leaves_the_pool_as_it_was(void **state)
{
    (void)state;
    static void *objects[START + STEP];
    growing g = start(false, alloc_by_cache);
    for (uint64_t n = 1; n <= 2; n++) {
        memory_hooks_restart(&hooks);
        hooks.fail_from = n;
        memset(objects, 0xFF, sizeof objects);
        assert_int_equal(tarn_alloc_bulk(g.cache, START + STEP, objects), TARN_ERROR_FULL);
        for (uint32_t i = 0; i < START + STEP; i++)
            assert_null(objects[i]);
        assert_int_equal(sample(g.pool).live, 0);
        assert_int_equal(describe(g.pool).capacity, START);
    }
    memory_hooks_restart(&hooks);
    assert_int_equal(tarn_alloc_bulk(g.cache, START + STEP, objects), TARN_OK);
    assert_int_equal(sample(g.pool).live, START + STEP);
    end(g.pool);
}

/* ---- the budget ---- */

static void a_start_over_the_budget_is_refused_and_one_at_it_is_not(void **state)
{
    (void)state;
    for (int exact = 0; exact < 2; exact++) {
        memory_hooks_init(&hooks, 4096);
        tarn_pool_options options = options_of(exact);
        tarn_pool *pool = create(&options);
        options.memory_bytes_max = describe(pool).committed_bytes;
        assert_int_equal(tarn_pool_destroy(pool), TARN_OK);
        pool = create(&options);
        assert_int_equal(tarn_pool_destroy(pool), TARN_OK);
        options.memory_bytes_max--;
        pool = (tarn_pool *)&hooks;
        assert_int_equal(tarn_pool_create(&options, &pool), TARN_ERROR_BUDGET);
        assert_null(pool);
        options.memory_bytes_max = 1;
        assert_int_equal(tarn_pool_create(&options, &pool), TARN_ERROR_BUDGET);
        assert_true(memory_hooks_are_balanced(&hooks));
        memory_hooks_destroy(&hooks);
    }
}

static size_t committed_after_one_growth(bool exact)
{
    growing g = start(exact, alloc_by_cache);
    exhaust(&g);
    assert_non_null(tarn_alloc(g.cache));
    size_t bytes = describe(g.pool).committed_bytes;
    end(g.pool);
    return bytes;
}

static void a_growth_over_the_budget_is_refused_and_one_at_it_is_not(void **state)
{
    (void)state;
    for (int exact = 0; exact < 2; exact++)
        for (size_t missing = 0; missing < 2; missing++) {
            size_t budget = committed_after_one_growth(exact) - missing;
            memory_hooks_init(&hooks, 4096);
            tarn_pool_options options = options_of(exact);
            options.memory_bytes_max = budget;
            growing g = {.pool = create(&options), .alloc = alloc_by_cache};
            assert_int_equal(tarn_cache_attach(g.pool, &g.cache), TARN_OK);
            uint64_t calls = hooks.calls;
            while (tarn_alloc(g.cache))
                ;
            assert_int_equal(sample(g.pool).growths, missing ? 0 : 1);
            assert_true(!missing || hooks.calls == calls);
            assert_int_equal(sample(g.pool).refusals, 1);
            assert_true(hooks.committed_bytes_peak <= budget);
            end(g.pool);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t78_create_fails_cleanly_at_each_of_its_memory_calls),
        cmocka_unit_test(incomplete_memory_functions_are_invalid),
        cmocka_unit_test(page_sizes_out_of_range_are_invalid),
        cmocka_unit_test(memory_is_asked_for_in_the_hosts_own_pages),
        cmocka_unit_test(t78_growth_that_fails_anywhere_loses_nothing_and_works_later),
        cmocka_unit_test(t78_a_growth_goes_on_where_the_last_attempt_failed),
        cmocka_unit_test(t78_a_refused_growth_is_counted_once_for_each_allocation),
        cmocka_unit_test(t78_a_bulk_that_cannot_grow_leaves_the_pool_as_it_was),
        cmocka_unit_test(a_start_over_the_budget_is_refused_and_one_at_it_is_not),
        cmocka_unit_test(a_growth_over_the_budget_is_refused_and_one_at_it_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
