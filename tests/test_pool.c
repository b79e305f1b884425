/* Creation, description and destruction. */
#define _GNU_SOURCE /* mincore */

#include "support/kit.h"
#include "support/memory_hooks.h"

#include <sys/mman.h>
#include <unistd.h>

static memory_hooks hooks;

static void expect_refused(tarn_pool_options options, tarn_status expected)
{
    tarn_pool *pool = (tarn_pool *)&options; /* anything but NULL */
    tarn_status status = tarn_pool_create(&options, &pool);
    assert_string_equal(tarn_status_name(status), tarn_status_name(expected));
    assert_null(pool);
}

static const tarn_pool_options valid = {.object_bytes = 16, .capacity = 100};

static void create_refuses_null_arguments(void **state)
{
    (void)state;
    tarn_pool *pool = (tarn_pool *)&valid;
    kit_expect_status(tarn_pool_create(NULL, &pool), TARN_ERROR_INVALID);
    assert_null(pool);
    kit_expect_status(tarn_pool_create(&valid, NULL), TARN_ERROR_INVALID);
    kit_expect_status(tarn_pool_create(NULL, NULL), TARN_ERROR_INVALID);
}

static void t50_create_refuses_each_option_out_of_range(void **state)
{
    (void)state;
    tarn_pool_options o = {0};
    expect_refused(o, TARN_ERROR_INVALID);
#define REFUSED(...)                           \
    do {                                       \
        o = valid;                             \
        __VA_ARGS__;                           \
        expect_refused(o, TARN_ERROR_INVALID); \
    } while (0)
    REFUSED(o.object_bytes = 0);
    REFUSED(o.object_bytes = TARN_OBJECT_BYTES_MAX + 1);
    REFUSED(o.object_bytes = SIZE_MAX);
    REFUSED(o.object_alignment = 3);
    REFUSED(o.object_alignment = 8192);
    REFUSED(o.object_alignment = SIZE_MAX / 2 + 1);
    REFUSED(o.capacity = 0);
    REFUSED(o.capacity = TARN_CAPACITY_MAX + 1);
    REFUSED(o.capacity = SIZE_MAX);
    REFUSED(o.capacity_max = 99);
    REFUSED(o.capacity_max = TARN_CAPACITY_MAX + 1);
    REFUSED(o.caches_max = TARN_CACHES_MAX + 1);
    REFUSED(o.caches_max = UINT32_MAX);
#undef REFUSED
}

static void create_refuses_incomplete_memory_functions(void **state)
{
    (void)state;
    memory_hooks_init(&hooks, 0);
    tarn_memory memory = hooks.memory;
    tarn_pool_options options = valid;
    options.memory = &memory;
#define REFUSED(field, value)                        \
    do {                                             \
        memory = hooks.memory;                       \
        memory.field = value;                        \
        expect_refused(options, TARN_ERROR_INVALID); \
    } while (0)
    REFUSED(reserve, NULL);
    REFUSED(commit, NULL);
    REFUSED(decommit, NULL);
    REFUSED(release, NULL);
    REFUSED(page_bytes, 1);
    REFUSED(page_bytes, 2048);
    REFUSED(page_bytes, 4096 * 3);
    REFUSED(page_bytes, (size_t)4 << 20);
#undef REFUSED
    assert_int_equal(hooks.calls, 0);
    memory_hooks_destroy(&hooks);
}

static void t78_create_holds_nothing_when_a_memory_call_fails(void **state)
{
    (void)state;
    memory_hooks_init(&hooks, 0);
    tarn_pool_options options = valid;
    options.memory = &hooks.memory;
    tarn_pool *pool = NULL;
    uint64_t n = 1;
    for (;; n++) {
        memory_hooks_restart(&hooks);
        hooks.fail_at = n;
        tarn_status status = tarn_pool_create(&options, &pool);
        if (hooks.failures == 0)
            break;
        kit_expect_status(status, TARN_ERROR_NO_MEMORY);
        assert_null(pool);
        assert_true(memory_hooks_are_balanced(&hooks));
    }
    assert_true(n > 3);
    assert_non_null(pool);
    kit_destroy(pool);
    assert_true(memory_hooks_are_balanced(&hooks));
    memory_hooks_destroy(&hooks);
}

static void create_refuses_a_start_over_the_budget_and_takes_one_that_just_fits(void **state)
{
    (void)state;
    memory_hooks_init(&hooks, 0);
    tarn_pool_options options = valid;
    options.memory = &hooks.memory;
    tarn_pool *pool = kit_pool(&options);
    size_t committed_bytes = kit_info(pool).committed_bytes;
    assert_int_equal(committed_bytes, hooks.committed_bytes);
    kit_destroy(pool);
    options.memory_bytes_max = committed_bytes - 1;
    expect_refused(options, TARN_ERROR_BUDGET);
    assert_true(memory_hooks_are_balanced(&hooks));
    options.memory_bytes_max = committed_bytes;
    kit_destroy(kit_pool(&options));
    assert_true(memory_hooks_are_balanced(&hooks));
    memory_hooks_destroy(&hooks);
}

static void options_that_are_zero_take_their_defaults(void **state)
{
    (void)state;
    tarn_pool_options options = {.object_bytes = 48, .capacity = 1000};
    tarn_pool *pool = kit_pool(&options);
    tarn_pool_info info = kit_info(pool);
    assert_string_equal(info.name, "pool");
    assert_int_equal(info.object_bytes, 48);
    assert_int_equal(info.object_alignment, 16);
    assert_int_equal(info.stride_bytes, info.inspected ? 64 : 48);
    assert_int_equal(info.capacity, 1000);
    assert_int_equal(info.capacity_max, 1000);
    assert_int_equal(info.slots_carved, 0);
    assert_int_equal(info.caches_max, 64);
    assert_in_range(info.cache_objects_max, 2, 1000 / 16);
    assert_in_range(info.magazine_objects, 1, info.cache_objects_max);
    assert_true(info.slots >= 1000 + (size_t)info.caches_max * info.cache_objects_max);
    assert_true(info.tag_bits >= 32);
    assert_true(info.committed_bytes <= info.reserved_bytes);
    assert_false(info.exact);
    kit_destroy(pool);
}

static void describe_answers_what_was_asked_for(void **state)
{
    (void)state;
    tarn_pool_options options = {.name = "voices",
                                 .object_bytes = 100,
                                 .object_alignment = 64,
                                 .capacity = 500,
                                 .capacity_max = 2000,
                                 .caches_max = 3,
                                 .cache_objects_max = 40,
                                 .checked = true};
    tarn_pool *pool = kit_pool(&options);
    tarn_pool_info info = kit_info(pool);
    assert_string_equal(info.name, "voices");
    assert_int_equal(info.stride_bytes, 128);
    assert_int_equal(info.object_alignment, 64);
    assert_int_equal(info.capacity, 500);
    assert_int_equal(info.capacity_max, 2000);
    assert_int_equal(info.caches_max, 3);
    assert_in_range(info.cache_objects_max, 1, 40);
    assert_true(info.checked);
    kit_destroy(pool);
}

static void a_name_is_copied_and_cut_at_31_bytes(void **state)
{
    (void)state;
    char name[] = "0123456789012345678901234567890123456789";
    tarn_pool_options options = valid;
    options.name = name;
    tarn_pool *pool = kit_pool(&options);
    memset(name, 'x', sizeof name - 1);
    assert_string_equal(kit_info(pool).name, "0123456789012345678901234567890");
    kit_destroy(pool);
}

static void describe_sample_and_owns_take_null(void **state)
{
    (void)state;
    tarn_pool_info info;
    tarn_pool_statistics statistics;
    tarn_pool *pool = kit_pool(&valid);
    kit_expect_status(tarn_pool_describe(NULL, &info), TARN_ERROR_INVALID);
    kit_expect_status(tarn_pool_describe(pool, NULL), TARN_ERROR_INVALID);
    kit_expect_status(tarn_pool_sample(NULL, &statistics), TARN_ERROR_INVALID);
    kit_expect_status(tarn_pool_sample(pool, NULL), TARN_ERROR_INVALID);
    kit_expect_status(tarn_pool_clear(NULL), TARN_ERROR_INVALID);
    kit_expect_status(tarn_pool_destroy(NULL), TARN_OK);
    assert_false(tarn_pool_owns(NULL, &info));
    assert_false(tarn_pool_owns(pool, NULL));
    kit_destroy(pool);
}

static void owns_knows_the_start_of_each_carved_slot_and_nothing_else(void **state)
{
    (void)state;
    tarn_pool_options options = {.object_bytes = 24, .capacity = 10, .exact = true};
    tarn_pool *pool = kit_pool(&options);
    tarn_cache *cache = kit_attach(pool);
    void *objects[10];
    char *first = tarn_alloc(cache);
    objects[0] = first;
    size_t stride = kit_info(pool).stride_bytes;
    assert_false(tarn_pool_owns(pool, first + stride));
    assert_int_equal(kit_alloc_many(cache, objects + 1, 9), 9);
    for (int i = 0; i < 10; i++) {
        assert_true(tarn_pool_owns(pool, objects[i]));
        for (size_t byte = 1; byte < stride; byte++)
            assert_false(tarn_pool_owns(pool, (char *)objects[i] + byte));
    }
    assert_false(tarn_pool_owns(pool, first - stride));
    assert_false(tarn_pool_owns(pool, first + 10 * stride));
    kit_free_many(cache, objects, 10);
    assert_true(tarn_pool_owns(pool, first));
    kit_destroy(pool);
}

static void t31_destroy_refuses_live_objects_and_changes_nothing(void **state)
{
    (void)state;
    memory_hooks_init(&hooks, 0);
    tarn_pool_options options = valid;
    options.memory = &hooks.memory;
    tarn_pool *pool = kit_pool(&options);
    tarn_cache *cache = kit_attach(pool);
    int *object = tarn_alloc(cache);
    tarn_free(cache, tarn_alloc(cache));
    *object = 1234;
    kit_expect_status(tarn_pool_destroy(pool), TARN_ERROR_LIVE_OBJECTS);
    assert_int_equal(hooks.releases, 0);
    assert_int_equal(*object, 1234);
    kit_expect_conserved(pool, 1);
    tarn_free(cache, tarn_alloc(cache));
    kit_expect_status(tarn_pool_clear(pool), TARN_OK);
    kit_destroy(pool);
    assert_true(memory_hooks_are_balanced(&hooks));
    memory_hooks_destroy(&hooks);
}

static int cache_something_and_leave(void *pool)
{
    int failures = 0;
    void *objects[30];
    for (int i = 0; i < 30; i++)
        objects[i] = tarn_guest_alloc(pool);
    for (int i = 0; i < 30; i++) {
        KIT_EXPECT(&failures, objects[i] != NULL);
        tarn_guest_free(pool, objects[i]);
    }
    return failures;
}

static void t30_destroy_gives_all_memory_back_whatever_caches_hold(void **state)
{
    (void)state;
    memory_hooks_init(&hooks, 0);
    tarn_pool_options options = valid;
    options.memory = &hooks.memory;
    tarn_pool *pool = kit_pool(&options);
    void *objects[4][20];
    tarn_cache *caches[4];
    for (int i = 0; i < 4; i++) {
        caches[i] = kit_attach(pool);
        assert_int_equal(kit_alloc_many(caches[i], objects[i], 20), 20);
    }
    for (int i = 0; i < 4; i++)
        kit_free_many(caches[i], objects[3 - i], 20);
    kit_run_thread(cache_something_and_leave, pool);
    assert_true(kit_sample(pool).free_in_caches > 0);
    kit_destroy(pool);
    assert_true(memory_hooks_are_balanced(&hooks));
    assert_int_equal(hooks.reserves, hooks.releases);
    memory_hooks_destroy(&hooks);
}

/* Bytes of a page range that the system has backed. */
static size_t touched_bytes(const void *start, size_t bytes)
{
    enum { PAGES = 1 << 16 };
    static unsigned char resident[PAGES];
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    size_t touched = 0;
    for (size_t at = 0; at < bytes; at += PAGES * page_bytes) {
        size_t part = bytes - at < PAGES * page_bytes ? bytes - at : PAGES * page_bytes;
        assert_int_equal(mincore((char *)(uintptr_t)start + at, part, resident), 0);
        for (size_t page = 0; page < part / page_bytes; page++)
            touched += (resident[page] & 1) ? page_bytes : 0;
    }
    return touched;
}

static void t58_a_pool_of_2_to_the_30_touches_less_than_256_kib(void **state)
{
    (void)state;
    tarn_pool_options options = {.object_bytes = 64, .capacity = (size_t)1 << 30};
    tarn_pool *pool = kit_pool(&options);
    size_t reserved_bytes = kit_info(pool).reserved_bytes;
    assert_true(reserved_bytes > (size_t)64 << 30);
    size_t before = touched_bytes(pool, reserved_bytes);
    assert_in_range(before, 1, ((size_t)256 << 10) - 1);
    tarn_cache *cache = kit_attach(pool);
    char *object = tarn_alloc(cache);
    assert_non_null(object);
    memset(object, 1, 64);
    assert_true(touched_bytes(pool, reserved_bytes) > before);
    tarn_free(cache, object);
    kit_destroy(pool);
}

static void each_object_is_zero_the_first_time(void **state)
{
    (void)state;
    tarn_pool *pool = kit_pool(&valid);
    tarn_cache *cache = kit_attach(pool);
    static const char zeros[16];
    void *objects[100];
    assert_int_equal(kit_alloc_many(cache, objects, 100), 100);
    for (int i = 0; i < 100; i++)
        assert_memory_equal(objects[i], zeros, sizeof zeros);
    kit_clear_and_destroy(pool);
}

static void a_free_object_keeps_its_content(void **state)
{
    (void)state;
    tarn_pool *pool = kit_pool(&valid);
    tarn_cache *cache = kit_attach(pool);
    void *objects[100];
    if (kit_info(pool).inspected) { /* nobody may look */
        kit_destroy(pool);
        skip();
    }
    assert_int_equal(kit_alloc_many(cache, objects, 100), 100);
    for (int i = 0; i < 100; i++)
        memset(objects[i], i + 1, 16);
    kit_free_many(cache, objects, 100);
    kit_detach(cache);
    for (int i = 0; i < 100; i++)
        for (int byte = 0; byte < 16; byte++)
            assert_int_equal(((unsigned char *)objects[i])[byte], i + 1);
    kit_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(create_refuses_null_arguments),
        cmocka_unit_test(t50_create_refuses_each_option_out_of_range),
        cmocka_unit_test(create_refuses_incomplete_memory_functions),
        cmocka_unit_test(t78_create_holds_nothing_when_a_memory_call_fails),
        cmocka_unit_test(create_refuses_a_start_over_the_budget_and_takes_one_that_just_fits),
        cmocka_unit_test(options_that_are_zero_take_their_defaults),
        cmocka_unit_test(describe_answers_what_was_asked_for),
        cmocka_unit_test(a_name_is_copied_and_cut_at_31_bytes),
        cmocka_unit_test(describe_sample_and_owns_take_null),
        cmocka_unit_test(owns_knows_the_start_of_each_carved_slot_and_nothing_else),
        cmocka_unit_test(t31_destroy_refuses_live_objects_and_changes_nothing),
        cmocka_unit_test(t30_destroy_gives_all_memory_back_whatever_caches_hold),
        cmocka_unit_test(t58_a_pool_of_2_to_the_30_touches_less_than_256_kib),
        cmocka_unit_test(each_object_is_zero_the_first_time),
        cmocka_unit_test(a_free_object_keeps_its_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
