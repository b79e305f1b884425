#include "pool/watch.h"

#include "pool/array.h"
#include "pool/bulk.h"
#include "pool/cache.h"
#include "pool/check.h"
#include "pool/direct.h"
#include "pool/loan.h"
#include "pool/quarantine.h"
#include "pool/reserve.h"
#include "pool/site.h"
#include "pool/user.h"

/* SplitMix64 over a counter, so that threads share one sequence without a lock (G. L. Steele,
 * D. Lea, C. H. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014). */
static uint64_t draw(tarn_pool *pool)
{
    /* relaxed: only that each number is drawn once. */
    uint64_t drawn = tarn_u64_fetch_add_relaxed(&pool->randoms_drawn, 1) + 1;
    uint64_t x = pool->check.seed + drawn * 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

static bool is_to_fail(tarn_pool *pool)
{
    return pool->check.fail_one_in && draw(pool) % pool->check.fail_one_in == 0;
}

static bool is_refused(tarn_cache_state *cache, size_t count)
{
    return tarn_reserve_left_(cache) < count && is_to_fail(cache->pool);
}

/* Puts any one of the array's objects on top. */
static void shuffle(tarn_cache_state *cache)
{
    uint32_t count = tarn_array_count_(cache);
    if (!cache->pool->check.random_order || count < 2)
        return;
    void **chosen = &cache->hot.objects[draw(cache->pool) % count];
    void **top = &cache->hot.objects[count - 1];
    void *object = *chosen;
    *chosen = *top;
    *top = object;
}

static void *take(tarn_cache_state *cache)
{
    uint64_t releases;
    void *object;
    do {
        releases = tarn_quarantine_releases_(cache->pool);
        shuffle(cache);
        object = tarn_cache_take_(cache);
    } while (!object && tarn_quarantine_release_(cache->pool, cache, releases));
    return object;
}

void *tarn_watch_alloc_(tarn_cache_state *cache)
{
    const char *site = tarn_site_take_(cache);
    tarn_user_entry entry = tarn_user_enter_(cache, site);
    if (entry == TARN_USER_REFUSED)
        return NULL;
    void *object = NULL;
    if (!tarn_cache_is_attached_(cache))
        tarn_check_detached_(cache->pool, NULL, site);
    else if (is_refused(cache, 1) || !(object = take(cache)))
        tarn_cache_refused_(cache->pool);
    else
        tarn_loan_begin_(cache->pool, object, site);
    tarn_user_leave_(cache, entry);
    return object;
}

/* An object that comes too late for its cache still goes to the pool, unless that is checked. */
static void free_detached(tarn_cache_state *cache, void *object, const char *site)
{
    tarn_pool *pool = cache->pool;
    if (pool->checked)
        tarn_check_detached_(pool, object, site);
    else if (tarn_check_object_(pool, object, site) && tarn_loan_end_(pool, object, site))
        tarn_direct_free_(pool, object);
}

static void free_one(tarn_cache_state *cache, void *object, const char *site)
{
    tarn_pool *pool = cache->pool;
    if (!tarn_cache_is_attached_(cache))
        free_detached(cache, object, site);
    else if (tarn_check_object_(pool, object, site) && tarn_loan_end_(pool, object, site))
        tarn_quarantine_put_(pool, cache, object);
}

void tarn_watch_free_(tarn_cache_state *cache, void *object)
{
    tarn_watch_free_bulk_(cache, 1, &object);
}

void tarn_watch_free_bulk_(tarn_cache_state *cache, size_t count, void *const *objects)
{
    const char *site = tarn_site_take_(cache);
    tarn_user_entry entry = tarn_user_enter_(cache, site);
    if (entry == TARN_USER_REFUSED)
        return;
    for (size_t i = 0; i < count; i++)
        free_one(cache, objects[i], site);
    tarn_user_leave_(cache, entry);
}

static tarn_status take_bulk(tarn_cache_state *cache, size_t count, void **objects)
{
    if (is_refused(cache, count))
        return TARN_ERROR_FULL;
    uint64_t releases;
    tarn_status status;
    do {
        releases = tarn_quarantine_releases_(cache->pool);
        status = tarn_bulk_take_(cache, count, objects);
    } while (status == TARN_ERROR_FULL && tarn_quarantine_release_(cache->pool, cache, releases));
    return status;
}

static tarn_status alloc_bulk(tarn_cache_state *cache, size_t count, void **objects,
                              const char *site)
{
    if (!tarn_cache_is_attached_(cache)) {
        tarn_check_detached_(cache->pool, NULL, site);
        return TARN_ERROR_NOT_ATTACHED;
    }
    tarn_status status = take_bulk(cache, count, objects);
    for (size_t i = 0; status == TARN_OK && i < count; i++)
        tarn_loan_begin_(cache->pool, objects[i], site);
    return status;
}

tarn_status tarn_watch_alloc_bulk_(tarn_cache_state *cache, size_t count, void **objects)
{
    const char *site = tarn_site_take_(cache);
    tarn_user_entry entry = tarn_user_enter_(cache, site);
    if (entry == TARN_USER_REFUSED)
        return TARN_ERROR_NOT_ATTACHED;
    tarn_status status = alloc_bulk(cache, count, objects, site);
    tarn_user_leave_(cache, entry);
    return status;
}

static tarn_status reserve(tarn_cache_state *cache, size_t count)
{
    if (count > 0 && is_to_fail(cache->pool))
        return TARN_ERROR_FULL;
    uint64_t releases;
    tarn_status status;
    do {
        releases = tarn_quarantine_releases_(cache->pool);
        status = tarn_reserve_make_(cache, count);
    } while (status == TARN_ERROR_FULL && tarn_quarantine_release_(cache->pool, cache, releases));
    return status;
}

tarn_status tarn_watch_reserve_(tarn_cache_state *cache, size_t count)
{
    tarn_user_entry entry = tarn_user_enter_(cache, tarn_site_take_(cache));
    if (entry == TARN_USER_REFUSED)
        return TARN_ERROR_NOT_ATTACHED;
    tarn_status status = reserve(cache, count);
    tarn_user_leave_(cache, entry);
    return status;
}

static void *take_direct(tarn_pool *pool)
{
    uint64_t releases;
    void *object;
    do {
        releases = tarn_quarantine_releases_(pool);
        object = tarn_direct_alloc_(pool);
    } while (!object && tarn_quarantine_release_(pool, NULL, releases));
    return object;
}

void *tarn_watch_direct_alloc_(tarn_pool *pool)
{
    const char *site = tarn_site_take_direct_(pool);
    void *object = is_to_fail(pool) ? NULL : take_direct(pool);
    if (!object)
        return tarn_cache_refused_(pool);
    tarn_loan_begin_(pool, object, site);
    return object;
}

void tarn_watch_direct_free_(tarn_pool *pool, void *object)
{
    const char *site = tarn_site_take_direct_(pool);
    if (tarn_check_object_(pool, object, site) && tarn_loan_end_(pool, object, site))
        tarn_quarantine_put_(pool, NULL, object);
}
