/* A checked pool with patterns finds what was written where nobody may write: into free objects,
 * with the first byte's place, and behind objects. Where a memory checker watches, the writes
 * themselves would end the test: those are tests/sanitizers'. */
#include "support/misuse.h"

#define OBJECTS 8u

typedef struct stage {
    tarn_pool *pool;
    tarn_cache *cache;
    misuse_log log;
    size_t object_bytes;
    void *objects[OBJECTS];
} stage;

static void start(stage *s, size_t object_bytes, tarn_check_options check, bool exact)
{
    tarn_pool_options options = {.object_bytes = object_bytes,
                                 .capacity = OBJECTS,
                                 .caches_max = 1,
                                 .exact = exact,
                                 .check = check};
    s->pool = misuse_pool(&s->log, options);
    s->object_bytes = object_bytes;
    if (kit_info(s->pool).inspected) {
        kit_destroy(s->pool);
        skip();
    }
    s->cache = kit_attach(s->pool);
    assert_int_equal(kit_alloc_many(s->cache, s->objects, OBJECTS), OBJECTS);
}

static const tarn_check_options all = {.fill = true, .red_zone_bytes = 1};

static void expect_damage(stage *s, tarn_misuse misuse, void *object, uint64_t offset)
{
    tarn_report report = misuse_expect_one(&s->log, misuse);
    assert_ptr_equal(report.object, object);
    assert_int_equal(report.offset, offset);
    assert_true(report.slot < kit_info(s->pool).slots);
}

static void t38_a_write_after_free_is_found_at_the_next_allocation(void **state)
{
    (void)state;
    for (int exact = 0; exact <= 1; exact++)
        for (size_t bytes = 1; bytes <= 32; bytes++)
            for (size_t offset = 0; offset < bytes; offset++) {
                stage s;
                start(&s, bytes, all, exact);
                unsigned char *victim = s.objects[3];
                tarn_free(s.cache, victim);
                victim[offset] ^= 1;
                assert_ptr_equal(tarn_alloc(s.cache), victim); /* the call goes on */
                expect_damage(&s, TARN_MISUSE_WRITE_AFTER_FREE, victim, offset);
                kit_free_many(s.cache, s.objects, OBJECTS);
                kit_destroy(s.pool);
                assert_int_equal(s.log.count, 0);
            }
}

static void t38_a_write_after_free_is_found_at_destruction(void **state)
{
    (void)state;
    stage s;
    start(&s, 40, all, false);
    kit_free_many(s.cache, s.objects, OBJECTS);
    kit_detach(s.cache);
    memset((char *)s.objects[2] + 17, 0, 5);
    tarn_pool *pool = s.pool;
    kit_destroy(pool);
    assert_int_equal(s.log.count, 1);
    assert_int_equal(s.log.reports[0].misuse, TARN_MISUSE_WRITE_AFTER_FREE);
    assert_ptr_equal(s.log.reports[0].object, s.objects[2]);
    assert_int_equal(s.log.reports[0].offset, 17);
}

static void t38_a_write_to_an_object_that_clear_dropped_is_found(void **state)
{
    (void)state;
    stage s;
    start(&s, 16, all, false);
    kit_expect_status(tarn_pool_clear(s.pool), TARN_OK);
    memset(s.objects[5], 1, 3);
    void *again[OBJECTS];
    assert_int_equal(kit_alloc_many(s.cache, again, OBJECTS), OBJECTS);
    expect_damage(&s, TARN_MISUSE_WRITE_AFTER_FREE, s.objects[5], 0);
    kit_clear_and_destroy(s.pool);
}

static void t39_an_overrun_by_a_byte_is_found_at_every_small_size(void **state)
{
    (void)state;
    for (int exact = 0; exact <= 1; exact++)
        for (size_t bytes = 1; bytes <= 32; bytes++) {
            stage s;
            start(&s, bytes, all, exact);
            assert_true(kit_info(s.pool).stride_bytes > bytes);
            assert_true(kit_are_apart(s.objects, OBJECTS, bytes + 1));
            for (uint32_t i = 0; i < OBJECTS; i++)
                memset(s.objects[i], 0x5A, bytes);
            unsigned char *victim = s.objects[4];
            victim[bytes] = 0x5A;
            tarn_free(s.cache, victim);
            expect_damage(&s, TARN_MISUSE_OVERRUN, victim, bytes);
            kit_expect_conserved(s.pool, OBJECTS - 1); /* it was freed all the same */
            assert_ptr_equal(tarn_alloc(s.cache), victim);
            kit_free_many(s.cache, s.objects, OBJECTS);
            kit_destroy(s.pool);
            assert_int_equal(s.log.count, 0);
        }
}

static void t39_each_byte_of_a_red_zone_is_looked_at(void **state)
{
    (void)state;
    stage s;
    start(&s, 20, (tarn_check_options){.red_zone_bytes = 100}, false);
    size_t stride = kit_info(s.pool).stride_bytes;
    assert_in_range(stride, 120, 127);
    for (size_t offset = 20; offset < stride; offset++) {
        unsigned char *victim = s.objects[0];
        victim[offset] = 0;
        tarn_free(s.cache, victim);
        expect_damage(&s, TARN_MISUSE_OVERRUN, victim, offset);
        assert_ptr_equal(tarn_alloc(s.cache), victim);
    }
    kit_clear_and_destroy(s.pool);
}

static void red_zones_keep_the_alignment(void **state)
{
    (void)state;
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        misuse_log log;
        tarn_pool_options options = {.object_bytes = 24,
                                     .object_alignment = alignment,
                                     .capacity = 10,
                                     .check = {.red_zone_bytes = 8}};
        tarn_pool *pool = misuse_pool(&log, options);
        for (int i = 0; i < 10; i++)
            assert_int_equal((uintptr_t)tarn_guest_alloc(pool) % alignment, 0);
        kit_clear_and_destroy(pool);
        assert_int_equal(log.count, 0);
    }
}

static void what_is_freed_is_filled_and_what_is_live_is_not(void **state)
{
    (void)state;
    stage s;
    start(&s, 12, (tarn_check_options){.fill = true}, false);
    unsigned char ones[12], filled[12], zeros[12] = {0};
    memset(ones, 1, sizeof ones);
    memset(filled, TARN_BYTE_FREE, sizeof filled);
    assert_memory_equal(s.objects[0], zeros, sizeof zeros);
    for (uint32_t i = 0; i < OBJECTS; i++)
        memset(s.objects[i], 1, 12);
    tarn_free(s.cache, s.objects[1]);
    assert_memory_equal(s.objects[1], filled, sizeof filled);
    assert_memory_equal(s.objects[0], ones, sizeof ones);
    assert_memory_equal(s.objects[2], ones, sizeof ones);
    kit_clear_and_destroy(s.pool);
}

static void without_fill_a_checked_pool_writes_into_no_object(void **state)
{
    (void)state;
    stage s;
    start(&s, 12, (tarn_check_options){.red_zone_bytes = 4, .quarantine_objects = 2}, false);
    unsigned char ones[12];
    memset(ones, 1, sizeof ones);
    for (uint32_t i = 0; i < OBJECTS; i++)
        memset(s.objects[i], 1, 12);
    kit_free_many(s.cache, s.objects, OBJECTS);
    for (uint32_t i = 0; i < OBJECTS; i++)
        assert_memory_equal(s.objects[i], ones, sizeof ones);
    kit_destroy(s.pool);
    assert_int_equal(s.log.count, 0);
}

static void options_out_of_range_are_invalid(void **state)
{
    (void)state;
    tarn_pool_options options = {.object_bytes = 8, .capacity = 8, .checked = true};
    tarn_pool *pool = NULL;
    options.check.red_zone_bytes = TARN_RED_ZONE_BYTES_MAX + 1;
    kit_expect_status(tarn_pool_create(&options, &pool), TARN_ERROR_INVALID);
    options.check.red_zone_bytes = TARN_RED_ZONE_BYTES_MAX;
    options.check.quarantine_objects = TARN_QUARANTINE_MAX + 1;
    kit_expect_status(tarn_pool_create(&options, &pool), TARN_ERROR_INVALID);
    options.check.quarantine_objects = TARN_QUARANTINE_MAX;
    kit_expect_status(tarn_pool_create(&options, &pool), TARN_OK);
    kit_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t38_a_write_after_free_is_found_at_the_next_allocation),
        cmocka_unit_test(t38_a_write_after_free_is_found_at_destruction),
        cmocka_unit_test(t38_a_write_to_an_object_that_clear_dropped_is_found),
        cmocka_unit_test(t39_an_overrun_by_a_byte_is_found_at_every_small_size),
        cmocka_unit_test(t39_each_byte_of_a_red_zone_is_looked_at),
        cmocka_unit_test(red_zones_keep_the_alignment),
        cmocka_unit_test(what_is_freed_is_filled_and_what_is_live_is_not),
        cmocka_unit_test(without_fill_a_checked_pool_writes_into_no_object),
        cmocka_unit_test(options_out_of_range_are_invalid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
