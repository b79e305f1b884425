#include "pool/reclaim.h"

#include "pool/array.h"
#include "pool/drain.h"
#include "pool/shelf.h"

static uint32_t caches_used(const tarn_pool *pool)
{
    /* relaxed: a cache that is missed here was attached this moment and is nearly empty. */
    return tarn_u32_load_relaxed(&pool->caches_used);
}

uint32_t tarn_reclaim_magazine_(tarn_pool *pool, const tarn_cache_state *self)
{
    uint32_t count = caches_used(pool);
    uint32_t start = self ? (uint32_t)(self - pool->caches) + 1 : 0;
    for (uint32_t i = 0; i < count; i++) {
        tarn_cache_state *victim = &pool->caches[(start + i) % count];
        uint32_t magazine = victim == self ? TARN_INDEX_NONE : tarn_shelf_steal_(pool, victim);
        if (magazine != TARN_INDEX_NONE)
            return magazine;
    }
    return TARN_INDEX_NONE;
}

static bool empty_if_left(tarn_cache_state *cache)
{
    uint64_t owner = TARN_OWNER_LEFT;
    /* E3 acquire: the content as the finished thread left it. */
    if (!tarn_u64_cas_strong_acquire(&cache->owner, &owner, TARN_OWNER_BUSY))
        return false;
    tarn_drain_all_(cache);
    /* E3 release: the private part, empty. */
    tarn_u64_store_release(&cache->owner, TARN_OWNER_FREE);
    return true;
}

bool tarn_reclaim_left_(tarn_pool *pool)
{
    bool found = false;
    uint32_t count = caches_used(pool);
    for (uint32_t i = 0; i < count; i++)
        found |= empty_if_left(&pool->caches[i]);
    return found;
}

void tarn_reclaim_request_(tarn_pool *pool, const tarn_cache_state *self)
{
    uint32_t count = caches_used(pool);
    for (uint32_t i = 0; i < count; i++) {
        tarn_cache_state *cache = &pool->caches[i];
        if (cache == self || tarn_array_count_(cache) == 0)
            continue;
        /* relaxed: the request before the gate is the usual order, any other costs a retry. */
        tarn_u32_store_relaxed(&cache->drain_requested, 1);
        tarn_gate_close_(cache);
        tarn_u64_fetch_add_relaxed(&pool->drain_requests, 1);
    }
}
