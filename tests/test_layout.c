/* T75: words of different writers lie on different lines, and what is configuration stays as it
 * was at creation. */
#include "support/check.h"

#include "base/line.h"
#include "pool/shelf.h"
#include "tarn/tarn.h"

#include <string.h>

static tarn_pool *create(void)
{
    tarn_pool_options options = {
        .object_bytes = 24,
        .capacity = 300,
        .capacity_max = 3000,
        .caches_max = 4,
        .cache_objects_max = 32,
    };
    tarn_pool *pool = NULL;
    assert_int_equal(tarn_pool_create(&options, &pool), TARN_OK);
    return pool;
}

static uintptr_t line_of(const void *address)
{
    return (uintptr_t)address / TARN_LINE_BYTES;
}

static void t75_caches_share_no_line(void **state)
{
    (void)state;
    tarn_pool *pool = create();
    for (uint32_t i = 0; i < 4; i++) {
        const tarn_cache_state *cache = &pool->caches[i];
        assert_int_equal((uintptr_t)cache % TARN_LINE_BYTES, 0);
        assert_true(line_of(cache + 1) > line_of((const char *)(cache + 1) - 1));
    }
    assert_true(line_of(pool->caches) > line_of((const char *)(pool + 1) - 1));
    assert_int_equal(tarn_pool_destroy(pool), TARN_OK);
}

static void t75_what_thieves_write_lies_apart_from_what_the_user_writes(void **state)
{
    (void)state;
    const size_t shared = offsetof(tarn_cache_state, shelf);
    const size_t private_end = offsetof(tarn_cache_state, counters) + sizeof(tarn_cache_counters);
    assert_int_equal(shared % TARN_LINE_BYTES, 0);
    assert_true(private_end <= shared);
    const size_t shared_words[] = {
        offsetof(tarn_cache_state, shelf_stolen),
        offsetof(tarn_cache_state, owner),
        offsetof(tarn_cache_state, drain_requested),
    };
    for (size_t i = 0; i < sizeof shared_words / sizeof shared_words[0]; i++)
        assert_int_equal(shared_words[i] / TARN_LINE_BYTES, shared / TARN_LINE_BYTES);
}

static void t75_what_any_thread_writes_lies_apart_from_each_other_and_from_constants(void **state)
{
    (void)state;
    const size_t offsets[] = {
        offsetof(tarn_pool, registry_next), /* the last of the configuration */
        offsetof(tarn_pool, slots_carved),
        offsetof(tarn_pool, growth),
        offsetof(tarn_pool, caches_used),
        offsetof(tarn_pool, direct),
        offsetof(tarn_pool, refusals),
        offsetof(tarn_pool, depot.magazines),
        offsetof(tarn_pool, depot.loose),
        offsetof(tarn_pool, depot.shards[0].full),
        offsetof(tarn_pool, depot.shards[0].empty),
        offsetof(tarn_pool, depot.shards[1].full),
        sizeof(tarn_pool),
    };
    for (size_t i = 1; i < sizeof offsets / sizeof offsets[0]; i++) {
        check_that(offsets[i] % TARN_LINE_BYTES == 0, "word %zu", i);
        check_that(offsets[i] > offsets[i - 1], "word %zu", i);
    }
}

static void the_words_of_the_inline_calls_begin_their_cache_on_one_line(void **state)
{
    (void)state;
    tarn_pool *pool = create();
    tarn_cache *cache = NULL;
    assert_int_equal(tarn_cache_attach(pool, &cache), TARN_OK);
    assert_ptr_equal(cache, &pool->caches[0]);
    assert_int_equal((uintptr_t)cache % TARN_LINE_BYTES, 0);
    assert_true(offsetof(tarn_cache, objects) < 64); /* the narrowest line of any processor */
    assert_int_equal(tarn_pool_destroy(pool), TARN_OK);
}

/* ---- what stays the same ---- */

#define OBJECTS 2900u

static void exchange(tarn_cache *giver, tarn_cache *taker, void **objects)
{
    for (uint32_t i = 0; i < OBJECTS; i++)
        assert_non_null(objects[i] = tarn_alloc(giver));
    for (uint32_t i = 0; i < OBJECTS; i++)
        tarn_free(taker, objects[i]);
}

static void exhaust(tarn_pool *pool, tarn_cache *cache)
{
    while (tarn_alloc(cache))
        ;
    while (tarn_guest_alloc(pool))
        ;
    assert_int_equal(tarn_pool_clear(pool), TARN_OK);
}

/* Everything that a pool can do, so that whatever writes is used. */
static void use_heavily(tarn_pool *pool)
{
    static void *objects[OBJECTS];
    tarn_cache *caches[3];
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(tarn_cache_attach(pool, &caches[i]), TARN_OK);
    for (uint32_t round = 0; round < 5; round++) {
        exchange(caches[round % 3], caches[(round + 1) % 3], objects);
        assert_int_equal(tarn_cache_reserve(caches[0], 100), TARN_OK);
        assert_int_equal(tarn_alloc_bulk(caches[1], 500, objects), TARN_OK);
        assert_int_equal(tarn_free_bulk(caches[2], 500, objects), TARN_OK);
        for (uint32_t i = 0; i < 500; i++)
            assert_non_null(objects[i] = tarn_guest_alloc(pool));
        for (uint32_t i = 0; i < 500; i++)
            tarn_guest_free(pool, objects[i]);
        exhaust(pool, caches[round % 3]);
    }
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(tarn_cache_detach(caches[i]), TARN_OK);
}

static void t75_configuration_is_never_written_after_creation(void **state)
{
    (void)state;
    static char before[offsetof(tarn_pool, registry_next)];
    tarn_pool *pool = create();
    memcpy(before, pool, sizeof before);
    tarn_links slots = pool->depot.slots;
    tarn_magazines magazines = pool->depot.magazines;
    use_heavily(pool);
    assert_memory_equal(pool, before, sizeof before);
    assert_memory_equal(&pool->depot.slots, &slots, sizeof slots);
    assert_memory_equal(&pool->depot.magazines, &magazines, offsetof(tarn_magazines, carved));
    assert_int_equal(tarn_pool_destroy(pool), TARN_OK);
}

static void t75_a_thief_writes_nothing_but_the_shared_line(void **state)
{
    (void)state;
    static void *objects[20];
    static char before[offsetof(tarn_cache_state, shelf)];
    tarn_pool *pool = create();
    tarn_cache *cache = NULL;
    assert_int_equal(tarn_cache_attach(pool, &cache), TARN_OK);
    for (uint32_t i = 0; i < 20; i++)
        assert_non_null(objects[i] = tarn_alloc(cache));
    for (uint32_t i = 0; i < 20; i++)
        tarn_free(cache, objects[i]);
    tarn_cache_state *victim = &pool->caches[0];
    memcpy(before, victim, sizeof before);
    uint64_t shelved = tarn_shelf_count_(victim);
    assert_true(shelved > 0);
    uint32_t magazine = tarn_shelf_steal_(pool, victim);
    assert_int_not_equal(magazine, TARN_INDEX_NONE);
    assert_int_equal(tarn_shelf_count_(victim), shelved - 1);
    assert_memory_equal(victim, before, sizeof before);
    assert_int_equal(tarn_pool_clear(pool), TARN_OK);
    assert_int_equal(tarn_pool_destroy(pool), TARN_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t75_caches_share_no_line),
        cmocka_unit_test(t75_what_thieves_write_lies_apart_from_what_the_user_writes),
        cmocka_unit_test(t75_what_any_thread_writes_lies_apart_from_each_other_and_from_constants),
        cmocka_unit_test(the_words_of_the_inline_calls_begin_their_cache_on_one_line),
        cmocka_unit_test(t75_configuration_is_never_written_after_creation),
        cmocka_unit_test(t75_a_thief_writes_nothing_but_the_shared_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
