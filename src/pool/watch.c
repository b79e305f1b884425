#include "pool/watch.h"

#include "pool/array.h"
#include "pool/bulk.h"
#include "pool/cache.h"
#include "pool/check.h"
#include "pool/direct.h"
#include "pool/full.h"
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
    return pool->is_ending ||
           (pool->check.fail_one_in && draw(pool) % pool->check.fail_one_in == 0);
}

static bool is_refused(tarn_cache_state *cache, size_t count)
{
    if (cache->pool->is_ending)
        return true;
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

/* Gives an object back to where it was taken from. */
static void untake(tarn_pool *pool, tarn_cache_state *cache, void *object)
{
    if (cache)
        tarn_cache_untake_(cache, 1, &object);
    else
        tarn_direct_undo_(pool, object);
}

/* Hands the object to the host. */
static tarn_status begin(tarn_pool *pool, tarn_cache_state *cache, void *object, const char *site,
                         uint32_t *word)
{
    tarn_loan_begin_(pool, object, site);
    if (tarn_life_begin_(pool, object, word))
        return TARN_OK;
    tarn_loan_end_(pool, object, site);
    untake(pool, cache, object);
    return TARN_ERROR_CONSTRUCT;
}

static tarn_status alloc(tarn_cache_state *cache, void **object, const char *site, uint32_t *word)
{
    tarn_pool *pool = cache->pool;
    if (!tarn_cache_is_attached_(cache)) {
        tarn_check_detached_(pool, NULL, site);
        return TARN_ERROR_NOT_ATTACHED;
    }
    if (is_refused(cache, 1))
        return TARN_ERROR_FULL;
    *object = take(cache);
    tarn_status status = *object ? TARN_OK : tarn_full_take_(pool, cache, object);
    return status == TARN_OK ? begin(pool, cache, *object, site, word) : status;
}

/* Counts a refusal, but for a cache that cannot be used at all. */
static tarn_status answer(tarn_pool *pool, tarn_status status, void **object)
{
    if (status == TARN_OK)
        return TARN_OK;
    *object = NULL;
    if (status != TARN_ERROR_NOT_ATTACHED)
        tarn_cache_refused_(pool);
    return status;
}

tarn_status tarn_watch_alloc_(tarn_cache_state *cache, void **object, uint32_t *word)
{
    *object = NULL;
    const char *site = tarn_site_take_(cache);
    tarn_user_entry entry = tarn_user_enter_(cache, site);
    if (entry == TARN_USER_REFUSED)
        return TARN_ERROR_NOT_ATTACHED;
    tarn_status status = alloc(cache, object, site, word);
    tarn_user_leave_(cache, entry);
    return answer(cache->pool, status, object);
}

/* Ends the object's life and its loan. Of several that try, one succeeds; others are reported. */
static bool end(tarn_pool *pool, void *object, const char *site, tarn_life_end *how)
{
    *how = TARN_LIFE_ENDED;
    if (pool->has_lives) {
        *how = tarn_life_end_exactly_(pool, object);
        if (*how == TARN_LIFE_NOT_LIVE) {
            tarn_loan_refuse_end_(pool, object, site);
            return false;
        }
    }
    return tarn_loan_end_(pool, object, site);
}

static void put(tarn_pool *pool, tarn_cache_state *cache, void *object, tarn_life_end how)
{
    if (how == TARN_LIFE_SPENT)
        tarn_life_forget_(pool, cache, object);
    else
        tarn_quarantine_put_(pool, cache, object);
}

void tarn_watch_return_(tarn_pool *pool, tarn_cache_state *cache, void *object, tarn_life_end how)
{
    const char *site = cache ? tarn_site_take_(cache) : tarn_site_take_direct_(pool);
    tarn_user_entry entry = cache ? tarn_user_enter_(cache, site) : TARN_USER_NESTED;
    if (entry == TARN_USER_REFUSED) /* reported; the life has ended all the same */
        cache = NULL;
    tarn_loan_end_(pool, object, site);
    put(pool, cache, object, how);
    if (cache)
        tarn_user_leave_(cache, entry);
}

/* An object that comes too late for its cache still goes to the pool, unless that is checked. */
static void free_one(tarn_cache_state *cache, void *object, const char *site)
{
    tarn_pool *pool = cache->pool;
    bool is_attached = tarn_cache_is_attached_(cache);
    tarn_life_end how;
    if (!is_attached && pool->checked)
        tarn_check_detached_(pool, object, site);
    else if (tarn_check_object_(pool, object, site) && end(pool, object, site, &how))
        put(pool, is_attached ? cache : NULL, object, how);
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

static void begin_built(tarn_pool *pool, void *object, const char *site)
{
    uint32_t word;
    tarn_loan_begin_(pool, object, site);
    tarn_life_begin_(pool, object, &word);
}

static tarn_status alloc_bulk(tarn_cache_state *cache, size_t count, void **objects,
                              const char *site)
{
    if (!tarn_cache_is_attached_(cache)) {
        tarn_check_detached_(cache->pool, NULL, site);
        return TARN_ERROR_NOT_ATTACHED;
    }
    tarn_status status = take_bulk(cache, count, objects);
    if (status != TARN_OK)
        return status;
    if (!tarn_life_build_all_(cache->pool, count, objects)) {
        tarn_cache_untake_(cache, count, objects);
        return TARN_ERROR_CONSTRUCT;
    }
    for (size_t i = 0; i < count; i++)
        begin_built(cache->pool, objects[i], site);
    return TARN_OK;
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

void *tarn_watch_take_(tarn_pool *pool, tarn_cache_state *cache)
{
    return cache ? take(cache) : take_direct(pool);
}

static tarn_status alloc_direct(tarn_pool *pool, void **object, const char *site, uint32_t *word)
{
    if (is_to_fail(pool))
        return TARN_ERROR_FULL;
    *object = take_direct(pool);
    tarn_status status = *object ? TARN_OK : tarn_full_take_(pool, NULL, object);
    return status == TARN_OK ? begin(pool, NULL, *object, site, word) : status;
}

tarn_status tarn_watch_direct_alloc_(tarn_pool *pool, void **object, uint32_t *word)
{
    *object = NULL;
    const char *site = tarn_site_take_direct_(pool);
    return answer(pool, alloc_direct(pool, object, site, word), object);
}

void tarn_watch_direct_free_(tarn_pool *pool, void *object)
{
    const char *site = tarn_site_take_direct_(pool);
    tarn_life_end how;
    if (tarn_check_object_(pool, object, site) && end(pool, object, site, &how))
        put(pool, NULL, object, how);
}
