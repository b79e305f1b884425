#include "tarn/guest.h"

#include "base/os.h"
#include "pool/cache.h"
#include "pool/direct.h"
#include "pool/guest.h"
#include "pool/life/calls.h"
#include "pool/registry.h"

#include <string.h>

/* The caches that a thread claimed last, by pool. An entry whose pool is gone never matches again,
 * since ids are not reused; one that another pool pushed out is found again by the cache's owner
 * word. */
typedef struct guest_claim {
    uint64_t pool_id;
    tarn_cache *cache;
} guest_claim;

/* The last pool that had no cache left, so that not every call searches them all. */
typedef struct guest_crowd {
    uint64_t pool_id;
    uint32_t calls_until_retry;
} guest_crowd;

#define GUEST_CLAIMS           16u
#define CALLS_BETWEEN_SEARCHES 64u

static _Thread_local guest_claim claims[GUEST_CLAIMS];
static _Thread_local guest_crowd crowd;
static _Thread_local bool thread_ends;

static guest_claim *claim_of(const tarn_pool *pool)
{
    return &claims[pool->id % GUEST_CLAIMS];
}

static uint64_t owner_word(void)
{
    return tarn_owner_guest_(tarn_os_thread_id());
}

void tarn_guest_thread_ends_(void *unused)
{
    (void)unused;
    thread_ends = true;
    memset(claims, 0, sizeof claims);
    tarn_registry_leave_all_(owner_word());
}

static tarn_cache_state *search(tarn_pool *pool)
{
    tarn_cache_state *cache = tarn_cache_find_(pool, owner_word());
    if (!cache && tarn_registry_watch_thread_())
        cache = tarn_cache_claim_(pool, owner_word());
    return cache;
}

/* A cache for the calling thread, or NULL when all are taken. */
static tarn_cache *find_cache(tarn_pool *pool)
{
    if (pool->plan.exact || thread_ends)
        return NULL;
    if (crowd.pool_id == pool->id && crowd.calls_until_retry > 0) {
        crowd.calls_until_retry--;
        return NULL;
    }
    tarn_cache_state *cache = search(pool);
    if (!cache) {
        crowd = (guest_crowd){pool->id, CALLS_BETWEEN_SEARCHES};
        return NULL;
    }
    *claim_of(pool) = (guest_claim){pool->id, &cache->hot};
    return &cache->hot;
}

tarn_cache *tarn_guest_cache_(tarn_pool *pool)
{
    guest_claim *claim = claim_of(pool);
    return claim->pool_id == pool->id ? claim->cache : find_cache(pool);
}

/* Not inlined, so that the calls below need no stack frame for it. */
static __attribute__((noinline)) void *alloc_without_claim(tarn_pool *pool)
{
    if (!pool)
        return NULL;
    tarn_cache *cache = find_cache(pool);
    if (cache)
        return tarn_alloc(cache);
    void *object = NULL;
    if (pool->is_featured) {
        uint32_t word;
        tarn_calls_direct_alloc_(pool, &object, &word);
        return object;
    }
    object = tarn_direct_alloc_(pool);
    return object ? object : tarn_cache_refused_(pool);
}

static __attribute__((noinline)) void free_without_claim(tarn_pool *pool, void *object)
{
    if (!pool)
        return;
    tarn_cache *cache = find_cache(pool);
    if (cache)
        tarn_free(cache, object);
    else if (pool->is_featured)
        tarn_calls_direct_free_(pool, object);
    else
        tarn_direct_free_(pool, object);
}

void *tarn_guest_alloc(tarn_pool *pool)
{
    if (TARN_LIKELY(pool)) {
        guest_claim *claim = claim_of(pool);
        if (TARN_LIKELY(claim->pool_id == pool->id))
            return tarn_alloc(claim->cache);
    }
    return alloc_without_claim(pool);
}

void tarn_guest_free(tarn_pool *pool, void *object)
{
    if (TARN_LIKELY(pool)) {
        guest_claim *claim = claim_of(pool);
        if (TARN_LIKELY(claim->pool_id == pool->id)) {
            tarn_free(claim->cache, object);
            return;
        }
    }
    free_without_claim(pool, object);
}
