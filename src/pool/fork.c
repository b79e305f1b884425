#include "pool/fork.h"

#include "pool/array.h"
#include "pool/quarantine.h"
#include "pool/space/prepare.h"

static uint64_t owner_after(uint64_t owner, uint32_t before, uint32_t now)
{
    if (owner == tarn_owner_guest_(before))
        return tarn_owner_guest_(now);
    return owner == TARN_OWNER_BUSY || owner >= TARN_OWNER_GUEST ? TARN_OWNER_LOST : owner;
}

static void repair_cache(tarn_pool *pool, uint32_t i, uint32_t before, uint32_t now)
{
    tarn_cache_state *cache = &pool->caches[i];
    /* relaxed: the child has one thread. */
    uint64_t owner = tarn_u64_load_relaxed(&cache->owner);
    if (owner == TARN_OWNER_FREE)
        return;
    tarn_u64_store_relaxed(&cache->owner, owner_after(owner, before, now));
    tarn_u32_store_relaxed(&cache->user, 0);
    /* Its claimer may have vanished before these two. */
    cache->pool = pool;
    if (tarn_u32_load_relaxed(&pool->caches_used) <= i)
        tarn_u32_store_relaxed(&pool->caches_used, i + 1);
}

void tarn_fork_repair_(tarn_pool *pool, uint32_t before, uint32_t now)
{
    pool->is_torn = true;
    for (uint32_t i = 0; i < pool->plan.caches_max; i++)
        repair_cache(pool, i, before, now);
    tarn_quarantine_repair_(pool);
    tarn_prepare_repair_(pool);
    /* A trim that vanished took what it had in hand with it.
     * relaxed: the child has one thread. */
    bool is_trimming = tarn_u64_load_relaxed(&pool->space.trimmer) == before;
    tarn_u64_store_relaxed(&pool->space.trimmer, is_trimming ? now : 0);
    /* Its own growth can be under way where the host's callback or memory functions fork.
     * relaxed: the child has one thread. */
    bool is_growing = tarn_u64_load_relaxed(&pool->growth.grower) == before;
    tarn_u64_store_relaxed(&pool->growth.grower, is_growing ? now : 0);
}

void tarn_fork_forget_(tarn_pool *pool)
{
    /* relaxed: the caller orders clear against every other use. */
    uint32_t used = tarn_u32_load_relaxed(&pool->caches_used);
    for (uint32_t i = 0; i < used; i++) {
        tarn_cache_state *cache = &pool->caches[i];
        if (tarn_u64_load_relaxed(&cache->owner) != TARN_OWNER_LOST)
            continue;
        tarn_gate_close_(cache);
        tarn_u64_store_relaxed(&cache->owner, TARN_OWNER_FREE);
    }
    pool->is_torn = false;
}
