#include "tarn/guest.h"

#include "base/os.h"
#include "pool/cache.h"
#include "pool/check.h"
#include "pool/direct.h"
#include "pool/registry.h"

/* What a thread remembers of the pools that it used last. An entry whose pool is gone never
 * matches again, since ids are not reused; one that another pool replaced is found again by the
 * cache's owner word. */
typedef struct guest_entry {
    uint64_t pool_id;
    tarn_cache *cache;    /* NULL: all caches were taken */
    uint32_t calls_until_retry;
} guest_entry;

#define GUEST_ENTRIES 16u
#define CALLS_BETWEEN_CLAIMS 64u

static _Thread_local guest_entry entries[GUEST_ENTRIES];

static guest_entry *entry_of(const tarn_pool *pool)
{
    return &entries[pool->id % GUEST_ENTRIES];
}

static tarn_cache *claim(tarn_pool *pool)
{
    uint64_t owner = TARN_OWNER_GUEST | (uint64_t)tarn_os_thread_id() << 8;
    tarn_cache_state *cache = tarn_cache_find_(pool, owner);
    if (!cache && tarn_registry_watch_thread_())
        cache = tarn_cache_claim_(pool, owner);
    return cache ? &cache->hot : NULL;
}

/* The calling thread's cache, or NULL when all are taken: then it asks again every so many calls. */
static tarn_cache *find_cache(tarn_pool *pool, guest_entry *entry)
{
    if (entry->pool_id == pool->id && entry->calls_until_retry > 0) {
        entry->calls_until_retry--;
        return NULL;
    }
    entry->pool_id = pool->id;
    entry->cache = pool->plan.exact ? NULL : claim(pool);
    entry->calls_until_retry = CALLS_BETWEEN_CLAIMS;
    return entry->cache;
}

static void *alloc_without_entry(tarn_pool *pool, guest_entry *entry)
{
    tarn_cache *cache = find_cache(pool, entry);
    if (cache)
        return tarn_alloc(cache);
    void *object = tarn_direct_alloc_(pool);
    return object ? object : tarn_cache_refused_(pool);
}

static void free_without_entry(tarn_pool *pool, guest_entry *entry, void *object)
{
    tarn_cache *cache = find_cache(pool, entry);
    if (cache)
        tarn_free(cache, object);
    else if (tarn_check_object_(pool, object))
        tarn_direct_free_(pool, object);
}

void *tarn_guest_alloc(tarn_pool *pool)
{
    if (!pool)
        return NULL;
    guest_entry *entry = entry_of(pool);
    if (TARN_LIKELY(entry->pool_id == pool->id && entry->cache))
        return tarn_alloc(entry->cache);
    return alloc_without_entry(pool, entry);
}

void tarn_guest_free(tarn_pool *pool, void *object)
{
    if (!pool)
        return;
    guest_entry *entry = entry_of(pool);
    if (TARN_LIKELY(entry->pool_id == pool->id && entry->cache))
        tarn_free(entry->cache, object);
    else
        free_without_entry(pool, entry, object);
}
