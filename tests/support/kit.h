/* What the pool's tests share: pools and caches made in one line, counting what can be taken,
 * telling whether objects overlap, and running threads that report their failures. */
#ifndef TARN_TESTS_SUPPORT_KIT_H
#define TARN_TESTS_SUPPORT_KIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/thread.h"
#include "tarn/tarn.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Threads cannot use cmocka's assertions: they return how many of their expectations failed. */
#define KIT_EXPECT(failures, condition)                                           \
    do {                                                                          \
        if (!(condition)) {                                                       \
            ++*(failures);                                                        \
            print_error("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
        }                                                                         \
    } while (0)

static inline tarn_pool *kit_pool(const tarn_pool_options *options)
{
    tarn_pool *pool = NULL;
    tarn_status status = tarn_pool_create(options, &pool);
    assert_string_equal(tarn_status_name(status), "TARN_OK");
    assert_non_null(pool);
    return pool;
}

/* A pool with the three options that most tests set. 0 means the default, as ever. */
static inline tarn_pool *kit_small_pool(size_t capacity, uint32_t caches_max,
                                        uint32_t cache_objects_max)
{
    tarn_pool_options options = {.object_bytes = 16,
                                 .capacity = capacity,
                                 .caches_max = caches_max,
                                 .cache_objects_max = cache_objects_max};
    return kit_pool(&options);
}

static inline tarn_cache *kit_attach(tarn_pool *pool)
{
    tarn_cache *cache = NULL;
    tarn_status status = tarn_cache_attach(pool, &cache);
    assert_string_equal(tarn_status_name(status), "TARN_OK");
    assert_non_null(cache);
    return cache;
}

static inline void kit_expect_status(tarn_status status, tarn_status expected)
{
    assert_string_equal(tarn_status_name(status), tarn_status_name(expected));
}

static inline void kit_detach(tarn_cache *cache)
{
    kit_expect_status(tarn_cache_detach(cache), TARN_OK);
}

/* Fails when an object is still live. */
static inline void kit_destroy(tarn_pool *pool)
{
    kit_expect_status(tarn_pool_destroy(pool), TARN_OK);
}

static inline void kit_clear_and_destroy(tarn_pool *pool)
{
    kit_expect_status(tarn_pool_clear(pool), TARN_OK);
    kit_destroy(pool);
}

static inline tarn_pool_info kit_info(const tarn_pool *pool)
{
    tarn_pool_info info;
    kit_expect_status(tarn_pool_describe(pool, &info), TARN_OK);
    return info;
}

/* Whether the pool keeps books on each slot, and every call takes the slow path. */
static inline bool kit_is_watched(const tarn_pool *pool)
{
    return kit_info(pool).checked || kit_info(pool).inspected;
}

static inline tarn_pool_statistics kit_sample(const tarn_pool *pool)
{
    tarn_pool_statistics statistics;
    kit_expect_status(tarn_pool_sample(pool, &statistics), TARN_OK);
    return statistics;
}

/* At quiescence: allocs - frees = live = slots_carved - free - retired, and live is what the test
 * counts. */
static inline void kit_expect_conserved(const tarn_pool *pool, uint64_t live)
{
    tarn_pool_statistics statistics = kit_sample(pool);
    assert_int_equal(statistics.live, live);
    assert_int_equal(statistics.allocs - statistics.frees, live);
    assert_int_equal(kit_info(pool).slots_carved - statistics.slots_retired -
                         (statistics.free_in_caches + statistics.free_in_depot),
                     live);
}

static inline size_t kit_alloc_many(tarn_cache *cache, void **objects, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        objects[i] = tarn_alloc(cache);
        if (!objects[i])
            return i;
    }
    return count;
}

static inline void kit_free_many(tarn_cache *cache, void **objects, size_t count)
{
    for (size_t i = 0; i < count; i++)
        tarn_free(cache, objects[i]);
}

static inline void **kit_array(size_t count)
{
    void **array = calloc(count + 1, sizeof *array);
    assert_non_null(array);
    return array;
}

static inline int kit_compare_addresses(const void *a, const void *b)
{
    uintptr_t left = (uintptr_t) * (void *const *)a;
    uintptr_t right = (uintptr_t) * (void *const *)b;
    return (left > right) - (left < right);
}

/* No two objects share a byte. Sorts its own copy. */
static inline bool kit_are_apart(void *const *objects, size_t count, size_t object_bytes)
{
    void **sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted)
        return false;
    memcpy(sorted, objects, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, kit_compare_addresses);
    bool apart = count == 0 || sorted[0] != NULL;
    for (size_t i = 1; i < count; i++)
        apart = apart && (uintptr_t)sorted[i] - (uintptr_t)sorted[i - 1] >= object_bytes;
    free(sorted);
    return apart;
}

/* A reproducible sequence (xorshift64*). The seed is not 0. */
static inline uint64_t kit_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * UINT64_C(0x2545F4914F6CDD1D);
}

#define KIT_THREADS_MAX 16u

/* Runs count threads, each on its element of an array of arguments; with argument_bytes 0, all on
 * the same. Adds up the failures that they return. */
static inline int kit_run_threads(uint32_t count, tarn_thread_fn *function, void *arguments,
                                  size_t argument_bytes)
{
    tarn_thread threads[KIT_THREADS_MAX];
    int failures = 0;
    assert_true(count <= KIT_THREADS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        void *argument = argument_bytes ? (char *)arguments + i * argument_bytes : arguments;
        assert_true(tarn_thread_create(&threads[i], function, argument));
    }
    for (uint32_t i = 0; i < count; i++)
        failures += tarn_thread_join(threads[i]);
    return failures;
}

/* One thread, start to end. */
static inline void kit_run_thread(tarn_thread_fn *function, void *argument)
{
    assert_int_equal(kit_run_threads(1, function, argument, 0), 0);
}

/* A place where threads meet, any number of times. */
typedef struct kit_barrier {
    uint32_t count;
    atomic_uint arrived, round;
} kit_barrier;

static inline void kit_barrier_wait(kit_barrier *barrier)
{
    unsigned round = atomic_load(&barrier->round);
    if (atomic_fetch_add(&barrier->arrived, 1) + 1 == barrier->count) {
        atomic_store(&barrier->arrived, 0);
        atomic_store(&barrier->round, round + 1);
        return;
    }
    while (atomic_load(&barrier->round) == round)
        tarn_thread_yield();
}

/* A flag that one thread raises and another waits for. */
static inline void kit_raise(atomic_uint *flag, unsigned step)
{
    atomic_store(flag, step);
}
static inline void kit_await(atomic_uint *flag, unsigned step)
{
    while (atomic_load(flag) < step)
        tarn_thread_yield();
}

#endif
