#include "pool/quarantine.h"

#include "base/thread.h"
#include "pool/cache.h"
#include "pool/direct.h"
#include "pool/slots.h"

static void lock(tarn_quarantine *quarantine)
{
    /* E5 acquire: the ring as its last user left it. */
    while (tarn_u32_exchange_acquire(&quarantine->lock, 1) != 0)
        tarn_thread_yield();
}

static void unlock(tarn_quarantine *quarantine)
{
    /* E5 release: the ring. */
    tarn_u32_store_release(&quarantine->lock, 0);
}

uint64_t tarn_quarantine_count_(const tarn_pool *pool)
{
    /* relaxed: changed under the lock; others take samples. */
    return tarn_u64_load_relaxed(&pool->quarantine.count);
}

uint64_t tarn_quarantine_releases_(const tarn_pool *pool)
{
    /* relaxed: as above; an old number costs its reader another look. */
    return tarn_u64_load_relaxed(&pool->quarantine.releases);
}

static uint32_t *place_of(const tarn_pool *pool, uint64_t i)
{
    return &pool->quarantined[(pool->quarantine.first + i) % pool->plan.quarantine_objects];
}

uint64_t tarn_quarantine_slot_(const tarn_pool *pool, uint64_t i)
{
    return *place_of(pool, i);
}

static void pass_on(tarn_pool *pool, tarn_cache_state *cache, void *object)
{
    if (cache)
        tarn_cache_put_(cache, object);
    else
        tarn_direct_free_(pool, object);
}

/* Under the lock to the end, so that an object is always in the ring or in the pool. */
static void release_oldest(tarn_pool *pool, tarn_cache_state *cache)
{
    tarn_quarantine *quarantine = &pool->quarantine;
    void *oldest = tarn_slot_object_(pool, *place_of(pool, 0));
    quarantine->first = (quarantine->first + 1) % pool->plan.quarantine_objects;
    /* relaxed: under the lock. */
    tarn_u64_store_relaxed(&quarantine->count, tarn_quarantine_count_(pool) - 1);
    pass_on(pool, cache, oldest);
    tarn_counter_add_(&quarantine->releases, 1);
}

void tarn_quarantine_put_(tarn_pool *pool, tarn_cache_state *cache, void *object)
{
    if (pool->plan.quarantine_objects == 0) {
        pass_on(pool, cache, object);
        return;
    }
    lock(&pool->quarantine);
    if (tarn_quarantine_count_(pool) == pool->plan.quarantine_objects)
        release_oldest(pool, cache);
    *place_of(pool, tarn_quarantine_count_(pool)) = (uint32_t)tarn_slot_of_(pool, object);
    tarn_counter_add_(&pool->quarantine.count, 1);
    unlock(&pool->quarantine);
}

bool tarn_quarantine_release_(tarn_pool *pool, tarn_cache_state *cache, uint64_t releases)
{
    if (pool->plan.quarantine_objects == 0)
        return false;
    lock(&pool->quarantine);
    if (tarn_quarantine_count_(pool) > 0)
        release_oldest(pool, cache);
    bool any = tarn_quarantine_releases_(pool) != releases;
    unlock(&pool->quarantine);
    return any;
}

void tarn_quarantine_repair_(tarn_pool *pool)
{
    /* relaxed: the child has one thread. */
    if (tarn_u32_load_relaxed(&pool->quarantine.lock) == 0)
        return;
    tarn_quarantine_clear_(pool);
    tarn_u32_store_relaxed(&pool->quarantine.lock, 0);
}

void tarn_quarantine_clear_(tarn_pool *pool)
{
    pool->quarantine.first = 0;
    /* relaxed: the caller orders clear against every other use. */
    tarn_u64_store_relaxed(&pool->quarantine.count, 0);
}
