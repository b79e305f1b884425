#include "short.h"

#include "tarn/tarn.h"

#include <string.h>

#define CAPACITY    300u
#define OBJECTS_MAX 2000u

static void *objects[OBJECTS_MAX];

static tarn_pool *make(const tarn_pool_options *options)
{
    tarn_pool *pool = NULL;
    CHECK(tarn_pool_create(options, &pool) == TARN_OK && pool);
    return pool;
}

static void check_figures(const tarn_pool *pool, uint64_t live)
{
    tarn_pool_statistics statistics;
    tarn_pool_info info;
    CHECK(tarn_pool_sample(pool, &statistics) == TARN_OK);
    CHECK(tarn_pool_describe(pool, &info) == TARN_OK);
    CHECK(statistics.live == live && statistics.allocs - statistics.frees == live);
    CHECK(info.slots_carved - statistics.free_in_caches - statistics.free_in_depot == live);
    CHECK(info.tag_bits >= 32);
}

/* Takes all there is, each object filled with a number of its own. Returns how many. */
static uint32_t take_all(tarn_pool *pool, tarn_cache *cache, size_t object_bytes)
{
    uint32_t count = 0;
    while (count < OBJECTS_MAX) {
        void *object = cache ? tarn_alloc(cache) : tarn_guest_alloc(pool);
        if (!object)
            break;
        memset(object, (int)(count % 251), object_bytes);
        objects[count++] = object;
    }
    return count;
}

static bool is_whole(uint32_t which, size_t object_bytes, size_t alignment)
{
    const unsigned char *bytes = objects[which];
    for (size_t i = 0; i < object_bytes; i++)
        if (bytes[i] != which % 251)
            return false;
    return (uintptr_t)bytes % alignment == 0;
}

static void fill_and_empty(tarn_pool *pool, tarn_cache *cache, bool exact)
{
    tarn_pool_info info;
    CHECK(tarn_pool_describe(pool, &info) == TARN_OK);
    uint32_t count = take_all(pool, cache, info.object_bytes);
    CHECK(exact ? count == CAPACITY : count >= CAPACITY && count <= info.slots);
    check_figures(pool, count);
    bool whole = true;
    for (uint32_t i = 0; i < count; i++)
        whole = whole && is_whole(i, info.object_bytes, info.object_alignment);
    CHECK(whole);
    CHECK(tarn_pool_destroy(pool) == TARN_ERROR_LIVE_OBJECTS);
    for (uint32_t i = 0; i < count; i++)
        cache ? tarn_free(cache, objects[i]) : tarn_guest_free(pool, objects[i]);
    check_figures(pool, 0);
}

/* Destruction is tried too early, which checked pools report. */
static void expect_leak(void *context, const tarn_report *report)
{
    (void)context;
    CHECK(report->misuse == TARN_MISUSE_LEAK && report->count > 0);
}

static void check_kind(size_t object_bytes, bool exact, bool checked, bool growing)
{
    tarn_pool_options options = {.object_bytes = object_bytes,
                                 .capacity = growing ? 1 : CAPACITY,
                                 .capacity_max = CAPACITY,
                                 .caches_max = 3,
                                 .exact = exact,
                                 .checked = checked,
                                 .report = expect_leak};
    tarn_pool *pool = make(&options);
    tarn_cache *cache = NULL;
    CHECK(tarn_cache_attach(pool, &cache) == TARN_OK);
    fill_and_empty(pool, cache, exact);
    fill_and_empty(pool, NULL, exact);
    CHECK(tarn_alloc_bulk(cache, CAPACITY, objects) == TARN_OK);
    check_figures(pool, CAPACITY);
    CHECK(tarn_free_bulk(cache, CAPACITY, objects) == TARN_OK);
    CHECK(tarn_alloc_bulk(cache, OBJECTS_MAX, objects) == TARN_ERROR_FULL && !objects[0]);
    CHECK(tarn_cache_reserve(cache, 50) == TARN_OK);
    take_all(pool, NULL, object_bytes);
    for (uint32_t i = 0; i < 50; i++)
        CHECK(tarn_alloc(cache) != NULL);
    CHECK(tarn_pool_clear(pool) == TARN_OK);
    check_figures(pool, 0);
    CHECK(tarn_cache_detach(cache) == TARN_OK);
    CHECK(tarn_pool_destroy(pool) == TARN_OK);
}

static void count_report(void *context, const tarn_report *report)
{
    unsigned *reports = context;
    ++*reports;
    CHECK(report->misuse == TARN_MISUSE_INTERIOR || report->misuse == TARN_MISUSE_FOREIGN);
}

static void check_reports(void)
{
    unsigned reports = 0;
    tarn_pool_options options = {.object_bytes = 24,
                                 .capacity = 10,
                                 .checked = true,
                                 .report = count_report,
                                 .report_context = &reports};
    tarn_pool *pool = make(&options);
    char *object = tarn_guest_alloc(pool);
    tarn_guest_free(pool, object + 8);
    tarn_guest_free(pool, &reports);
    CHECK(reports == 2);
    tarn_guest_free(pool, object);
    check_figures(pool, 0);
    CHECK(tarn_pool_destroy(pool) == TARN_OK);
}

/* Where size_t is as wide as a pointer, no capacity makes these sums wrap around. */
static void check_too_large(void)
{
    tarn_pool_options options = {.object_bytes = TARN_OBJECT_BYTES_MAX,
                                 .capacity = TARN_CAPACITY_MAX};
    tarn_pool *pool = (tarn_pool *)objects;
    tarn_status expected = SIZE_MAX > UINT32_MAX ? TARN_ERROR_NO_MEMORY : TARN_ERROR_TOO_LARGE;
    CHECK(tarn_pool_create(&options, &pool) == expected && !pool);
    options.object_bytes = 1;
    options.capacity = SIZE_MAX;
    CHECK(tarn_pool_create(&options, &pool) == TARN_ERROR_INVALID && !pool);
}

void short_pools(void)
{
    const size_t sizes[] = {1, 3, 8, 24, 64, 100, 5000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int kind = 0; kind < 8; kind++)
            check_kind(sizes[i], kind & 1, kind & 2, kind & 4);
    check_reports();
    check_too_large();
}
