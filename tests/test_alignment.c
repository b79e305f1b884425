/* T51: every object of every size at every alignment is aligned, apart from the others, and its
 * own whole size is usable; also after growth. */
#include "support/check.h"

#include "tarn/tarn.h"

#include <string.h>

#define OBJECTS 7u
#define START   3u

static tarn_pool *create(size_t bytes, size_t alignment)
{
    tarn_pool_options options = {
        .object_bytes = bytes,
        .object_alignment = alignment,
        .capacity = START,
        .capacity_max = OBJECTS,
        .grow_objects = 1,
        .caches_max = 1,
        .cache_objects_max = 2,
    };
    tarn_pool *pool = NULL;
    assert_int_equal(tarn_pool_create(&options, &pool), TARN_OK);
    return pool;
}

static void check_object(const unsigned char *object, unsigned char mark, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        check_that(object[i] == mark, "object %u, byte %zu of %zu", mark, i, bytes);
}

static void check_pool(size_t bytes, size_t alignment)
{
    tarn_pool *pool = create(bytes, alignment);
    tarn_cache *cache = NULL;
    assert_int_equal(tarn_cache_attach(pool, &cache), TARN_OK);
    void *objects[OBJECTS];
    for (uint32_t i = 0; i < OBJECTS; i++) {
        objects[i] = tarn_alloc(cache);
        check_that(objects[i] && (uintptr_t)objects[i] % alignment == 0,
                   "object %u of %zu bytes, aligned to %zu: %p", i, bytes, alignment, objects[i]);
        memset(objects[i], (int)i, bytes);
    }
    for (uint32_t i = 0; i < OBJECTS; i++) {
        check_object(objects[i], (unsigned char)i, bytes);
        tarn_free(cache, objects[i]);
    }
    assert_int_equal(tarn_pool_destroy(pool), TARN_OK);
}

static void t51_every_object_is_aligned_and_keeps_to_its_own_bytes(void **state)
{
    (void)state;
    for (size_t alignment = 1; alignment <= TARN_OBJECT_ALIGNMENT_MAX; alignment *= 2)
        for (size_t bytes = 1; bytes <= 300; bytes += bytes < 40 || alignment < 64 ? 1 : 13)
            check_pool(bytes, alignment);
}

static size_t default_alignment(size_t bytes)
{
    tarn_pool *pool = create(bytes, 0);
    tarn_pool_info info;
    assert_int_equal(tarn_pool_describe(pool, &info), TARN_OK);
    assert_int_equal(tarn_pool_destroy(pool), TARN_OK);
    return info.object_alignment;
}

static void the_default_is_the_largest_power_of_two_in_the_size_up_to_64(void **state)
{
    (void)state;
    for (size_t bytes = 1; bytes <= 300; bytes++) {
        size_t expected = 1;
        while (expected < 64 && bytes % (expected * 2) == 0)
            expected *= 2;
        assert_int_equal(default_alignment(bytes), expected);
    }
}

static void the_largest_object_works(void **state)
{
    (void)state;
    check_pool(TARN_OBJECT_BYTES_MAX, TARN_OBJECT_ALIGNMENT_MAX);
    check_pool(TARN_OBJECT_BYTES_MAX - 1, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t51_every_object_is_aligned_and_keeps_to_its_own_bytes),
        cmocka_unit_test(the_default_is_the_largest_power_of_two_in_the_size_up_to_64),
        cmocka_unit_test(the_largest_object_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
