/* T78 on the system's own memory, threads and keys: where the system refuses, the call says so,
 * nothing is lost, and once it yields the pool goes on. */
#define _GNU_SOURCE /* setrlimit, alarm */

#include "support/child.h"

#include "base/size.h"

#include <stdio.h>
#include <sys/resource.h>

#define OBJECT_BYTES 64u
#define MIB          ((size_t)1 << 20)

/* Sanitizers take memory for themselves that the limits would refuse. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define HAS_LIMITS 0
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) || \
    __has_feature(memory_sanitizer)
#define HAS_LIMITS 0
#endif
#endif
#ifndef HAS_LIMITS
#define HAS_LIMITS 1
#endif

/* A figure of /proc/self/status, in bytes; 0 where there is none. */
static size_t used_bytes(const char *name)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[200];
    unsigned long kib = 0;
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0)
            kib = strtoul(line + strlen(name) + 1, NULL, 10);
    if (file)
        fclose(file);
    return kib * 1024;
}

/* int: glibc has an enum of its own for it. */
static void limit(int *failures, int resource, size_t bytes)
{
    struct rlimit now;
    KIT_EXPECT(failures, getrlimit(resource, &now) == 0);
    now.rlim_cur = tarn_size_min(bytes, now.rlim_max);
    KIT_EXPECT(failures, setrlimit(resource, &now) == 0);
}

/* ---- memory ---- */

static int create_within_address_space(void *unused)
{
    (void)unused;
    int failures = 0, refusals = 0;
    tarn_pool_options options = {.object_bytes = OBJECT_BYTES, .capacity = 1000000};
    tarn_pool *pool = NULL;
    size_t used = used_bytes("VmSize");
    for (size_t more = 0; !pool && more < 1024 * MIB; more += 8 * MIB) {
        limit(&failures, RLIMIT_AS, used + more);
        tarn_status status = tarn_pool_create(&options, &pool);
        KIT_EXPECT(&failures, status == (pool ? TARN_OK : TARN_ERROR_NO_MEMORY));
        KIT_EXPECT(&failures, pool || used_bytes("VmSize") <= used + MIB);
        refusals += !pool;
    }
    KIT_EXPECT(&failures, pool && refusals >= 7); /* the objects alone are 61 MiB */
    tarn_guest_free(pool, tarn_guest_alloc(pool));
    child_expect_conserved(&failures, pool, 0);
    KIT_EXPECT(&failures, tarn_pool_destroy(pool) == TARN_OK);
    return failures;
}

static void t78_creation_is_refused_until_the_address_space_suffices(void **state)
{
    (void)state;
    if (!HAS_LIMITS)
        skip();
    in_child(create_within_address_space, NULL);
}

static uint64_t alloc_until_refused(int *failures, tarn_pool *pool, uint64_t live)
{
    for (void *object = tarn_guest_alloc(pool); object; object = tarn_guest_alloc(pool)) {
        memset(object, 0x77, OBJECT_BYTES); /* faults where it is not committed */
        live++;
    }
    child_expect_conserved(failures, pool, live);
    return live;
}

/* Pages count against this limit when they are committed. */
static int grow_within_data(void *unused)
{
    (void)unused;
    int failures = 0;
    uint64_t live = 0, refused_early = 0;
    tarn_pool_options options = {.object_bytes = OBJECT_BYTES,
                                 .capacity = 1000,
                                 .capacity_max = 400000,
                                 .grow_objects = 10000};
    tarn_pool *pool = NULL;
    KIT_EXPECT(&failures, tarn_pool_create(&options, &pool) == TARN_OK);
    size_t used = used_bytes("VmData");
    for (size_t more = 0; more < 64 * MIB; more += 2 * MIB) {
        limit(&failures, RLIMIT_DATA, used + more);
        live = alloc_until_refused(&failures, pool, live);
        refused_early += live < options.capacity_max;
        KIT_EXPECT(&failures, used_bytes("VmData") <= used + more);
    }
    KIT_EXPECT(&failures, live >= options.capacity_max && refused_early >= 10);
    KIT_EXPECT(&failures, tarn_pool_clear(pool) == TARN_OK);
    child_expect_conserved(&failures, pool, 0);
    KIT_EXPECT(&failures, tarn_pool_destroy(pool) == TARN_OK);
    return failures;
}

static void t78_growth_is_refused_by_the_system_and_goes_on_when_it_yields(void **state)
{
    (void)state;
    if (!HAS_LIMITS || used_bytes("VmData") == 0)
        skip();
    in_child(grow_within_data, NULL);
}

/* ---- threads ---- */

static int guest_thread(void *argument)
{
    tarn_pool *pool = argument;
    for (int i = 0; i < 100; i++)
        tarn_guest_free(pool, tarn_guest_alloc(pool));
    return 0;
}

static int work_without_threads(void *unused)
{
    (void)unused;
    int failures = 0;
    tarn_pool *pool = NULL;
    tarn_pool_options options = {.object_bytes = OBJECT_BYTES, .capacity = 100};
    KIT_EXPECT(&failures, tarn_pool_create(&options, &pool) == TARN_OK);
    limit(&failures, RLIMIT_AS, used_bytes("VmSize") + MIB / 4); /* no room for a stack */
    tarn_thread thread;
    KIT_EXPECT(&failures, !tarn_thread_create(&thread, guest_thread, pool));
    guest_thread(pool);
    child_expect_conserved(&failures, pool, 0);
    limit(&failures, RLIMIT_AS, SIZE_MAX);
    KIT_EXPECT(&failures, tarn_thread_create(&thread, guest_thread, pool));
    KIT_EXPECT(&failures, tarn_thread_join(thread) == 0);
    child_expect_conserved(&failures, pool, 0);
    KIT_EXPECT(&failures, tarn_pool_destroy(pool) == TARN_OK);
    return failures;
}

static void t78_a_refused_thread_costs_the_pool_nothing(void **state)
{
    (void)state;
    if (!HAS_LIMITS)
        skip();
    in_child(work_without_threads, NULL);
}

/* ---- keys ---- */

static void take_all_keys(int *failures)
{
    tarn_thread_key key;
    int count = 0;
    while (count < 100000 && tarn_thread_key_create(&key, NULL))
        count++;
    KIT_EXPECT(failures, count < 100000);
}

/* A thread whose end would go unnoticed must not hold a cache. */
static int work_without_keys(void *unused)
{
    (void)unused;
    int failures = 0;
    take_all_keys(&failures);
    tarn_pool *pool = NULL;
    tarn_pool_options options = {.object_bytes = OBJECT_BYTES, .capacity = 100};
    KIT_EXPECT(&failures, tarn_pool_create(&options, &pool) == TARN_OK);
    KIT_EXPECT(&failures, alloc_until_refused(&failures, pool, 0) >= 100);
    tarn_pool_clear(pool);
    tarn_thread thread;
    KIT_EXPECT(&failures, tarn_thread_create(&thread, guest_thread, pool));
    KIT_EXPECT(&failures, tarn_thread_join(thread) == 0);
    tarn_pool_statistics statistics;
    tarn_pool_sample(pool, &statistics);
    KIT_EXPECT(&failures, statistics.caches_attached == 0 && statistics.free_in_caches == 0);
    tarn_cache *cache = NULL;
    KIT_EXPECT(&failures, tarn_cache_attach(pool, &cache) == TARN_OK);
    tarn_free(cache, tarn_alloc(cache));
    KIT_EXPECT(&failures, tarn_cache_detach(cache) == TARN_OK);
    child_expect_conserved(&failures, pool, 0);
    KIT_EXPECT(&failures, tarn_pool_destroy(pool) == TARN_OK);
    return failures;
}

static void without_a_thread_specific_key_guests_hold_no_caches(void **state)
{
    (void)state;
    in_child(work_without_keys, NULL); /* this process has no pool, and so no key, yet */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_thread_specific_key_guests_hold_no_caches),
        cmocka_unit_test(t78_creation_is_refused_until_the_address_space_suffices),
        cmocka_unit_test(t78_growth_is_refused_by_the_system_and_goes_on_when_it_yields),
        cmocka_unit_test(t78_a_refused_thread_costs_the_pool_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
