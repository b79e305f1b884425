#include "pool/cache.h"

#include "base/thread.h"
#include "pool/array.h"
#include "pool/direct.h"
#include "pool/drain.h"
#include "pool/life/calls.h"
#include "pool/refill.h"
#include "pool/reserve.h"
#include "pool/site.h"
#include "pool/user.h"

static uint64_t owner_of(const tarn_cache_state *cache)
{
    /* relaxed: a user asks about itself, and knows what it did last. */
    return tarn_u64_load_relaxed(&cache->owner);
}

bool tarn_cache_is_attached_(const tarn_cache_state *cache)
{
    uint64_t owner = owner_of(cache);
    return owner == TARN_OWNER_ATTACHED || owner >= TARN_OWNER_GUEST;
}

/* Caches below this index may hold something, so that searches need not look at all of them. */
static void note_use(tarn_pool *pool, uint32_t index)
{
    /* relaxed: a bound for searches that may find nothing anyway. */
    uint32_t used = tarn_u32_load_relaxed(&pool->caches_used);
    while (used <= index)
        if (tarn_u32_cas_weak_relaxed(&pool->caches_used, &used, index + 1))
            return;
}

static bool try_claim(tarn_cache_state *cache, uint64_t from, uint64_t to)
{
    /* E3 acquire: the private part as its last user left it. */
    return owner_of(cache) == from && tarn_u64_cas_strong_acquire(&cache->owner, &from, to);
}

/* A cache's memory is all zero until it is claimed first. */
static void set_up_once(tarn_pool *pool, tarn_cache_state *cache)
{
    if (cache->pool)
        return;
    cache->pool = pool;
    cache->shard = (uint32_t)(cache - pool->caches) % pool->depot.shard_count;
    tarn_array_set_count_(cache, 0);
    tarn_gate_close_(cache);
}

static tarn_cache_state *claim_from(tarn_pool *pool, uint64_t from, uint64_t to, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        tarn_cache_state *cache = &pool->caches[i];
        if (!try_claim(cache, from, to))
            continue;
        set_up_once(pool, cache);
        note_use(pool, i);
        tarn_gate_open_(cache);
        return cache;
    }
    return NULL;
}

tarn_cache_state *tarn_cache_claim_(tarn_pool *pool, uint64_t owner)
{
    /* relaxed: one that is missed was attached this moment. */
    uint32_t used = tarn_u32_load_relaxed(&pool->caches_used);
    tarn_cache_state *cache = claim_from(pool, TARN_OWNER_LEFT, owner, used);
    return cache ? cache : claim_from(pool, TARN_OWNER_FREE, owner, pool->plan.caches_max);
}

tarn_cache_state *tarn_cache_find_(tarn_pool *pool, uint64_t owner)
{
    /* relaxed: the thread's own claim is what it looks for. */
    uint32_t used = tarn_u32_load_relaxed(&pool->caches_used);
    for (uint32_t i = 0; i < used; i++)
        if (owner_of(&pool->caches[i]) == owner)
            return &pool->caches[i];
    return NULL;
}

void tarn_cache_leave_(tarn_pool *pool, uint64_t owner)
{
    tarn_cache_state *cache = tarn_cache_find_(pool, owner);
    if (!cache)
        return;
    tarn_gate_close_(cache);
    /* E3 release: the private part, for whoever adopts or empties it. */
    tarn_u64_store_release(&cache->owner, TARN_OWNER_LEFT);
}

/* Whether a cache is not in a user's hands: one that is being emptied will be free at once. */
static bool may_come_free(const tarn_pool *pool)
{
    for (uint32_t i = 0; i < pool->plan.caches_max; i++)
        if (!tarn_cache_is_attached_(&pool->caches[i]))
            return true;
    return false;
}

tarn_status tarn_cache_attach(tarn_pool *pool, tarn_cache **cache)
{
    if (cache)
        *cache = NULL;
    if (!pool || !cache)
        return TARN_ERROR_INVALID;
    tarn_cache_state *state = tarn_cache_claim_(pool, TARN_OWNER_ATTACHED);
    while (!state && may_come_free(pool)) {
        tarn_thread_yield();
        state = tarn_cache_claim_(pool, TARN_OWNER_ATTACHED);
    }
    if (!state)
        return TARN_ERROR_NO_CACHE;
    *cache = &state->hot;
    return TARN_OK;
}

tarn_status tarn_cache_detach(tarn_cache *cache)
{
    if (!cache)
        return TARN_ERROR_INVALID;
    tarn_cache_state *state = tarn_cache_state_of_(cache);
    tarn_user_entry entry = tarn_user_enter_(state, tarn_site_take_(state));
    if (entry == TARN_USER_REFUSED)
        return TARN_ERROR_NOT_ATTACHED;
    uint64_t owner = TARN_OWNER_ATTACHED;
    /* E3 acquire: two threads that detach the same cache must not both empty it. */
    if (!tarn_u64_cas_strong_acquire(&state->owner, &owner, TARN_OWNER_BUSY)) {
        tarn_user_leave_(state, entry);
        return TARN_ERROR_NOT_ATTACHED;
    }
    tarn_gate_close_(state);
    tarn_drain_all_(state);
    tarn_user_leave_(state, entry); /* before the next user can come */
    /* E3 release: the private part, empty. */
    tarn_u64_store_release(&state->owner, TARN_OWNER_FREE);
    return TARN_OK;
}

void *tarn_cache_refused_(tarn_pool *pool)
{
    /* relaxed: a figure for samples. */
    tarn_u64_fetch_add_relaxed(&pool->refusals, 1);
    return NULL;
}

static void *alloc_exact(tarn_cache_state *cache)
{
    void *object = tarn_reserve_take_(cache);
    if (!object)
        object = tarn_direct_alloc_(cache->pool);
    if (object) /* only a reservation's length is measured by it here */
        tarn_array_count_allocs_(cache, 1);
    return object;
}

static void *alloc_cached(tarn_cache_state *cache)
{
    if (tarn_array_count_(cache) == 0 && !tarn_refill_(cache))
        return NULL;
    void *object = tarn_array_take_(cache);
    tarn_drain_settle_(cache);
    return object;
}

static void untake_one(tarn_cache_state *cache, void *object)
{
    if (!cache->pool->plan.exact)
        tarn_cache_put_(cache, object);
    else if (tarn_reserve_count_(cache) < tarn_reserve_left_(cache))
        tarn_reserve_put_(cache, object);
    else
        tarn_direct_undo_(cache->pool, object);
}

/* Newest last, as they lay. Their count goes back first, so that each object that comes back finds
 * what the reservation is owed again. */
void tarn_cache_untake_(tarn_cache_state *cache, size_t count, void *const *objects)
{
    tarn_array_count_allocs_(cache, -count);
    for (size_t i = count; i-- > 0;)
        untake_one(cache, objects[i]);
}

void tarn_cache_forget_(tarn_pool *pool, tarn_cache_state *cache)
{
    if (cache && !pool->plan.exact) {
        tarn_counter_add_(&cache->counters.objects_out, 1);
        return;
    }
    /* relaxed: figures for samples. */
    tarn_u64_fetch_add_relaxed(&pool->direct.frees, 1);
    tarn_u64_fetch_add_relaxed(&pool->retired_directly, 1);
}

void *tarn_cache_take_(tarn_cache_state *cache)
{
    return cache->pool->plan.exact ? alloc_exact(cache) : alloc_cached(cache);
}

void *tarn_alloc_slow_(tarn_cache *cache)
{
    tarn_cache_state *state = tarn_cache_state_of_(cache);
    tarn_pool *pool = state->pool;
    void *object = NULL;
    if (TARN_UNLIKELY(pool->is_featured)) {
        uint32_t word;
        tarn_calls_alloc_(state, &object, &word);
        return object;
    }
    if (!tarn_cache_is_attached_(state))
        return NULL;
    object = tarn_cache_take_(state);
    return object ? object : tarn_cache_refused_(pool);
}

static void free_cached(tarn_cache_state *cache, void *object)
{
    tarn_drain_settle_(cache);
    if (tarn_array_count_(cache) == cache->pool->plan.array_objects)
        tarn_drain_(cache);
    tarn_array_put_(cache, object);
}

void tarn_cache_put_(tarn_cache_state *cache, void *object)
{
    if (cache->pool->plan.exact)
        tarn_direct_free_(cache->pool, object);
    else
        free_cached(cache, object);
}

/* An object that comes too late for its cache still goes to the pool. */
void tarn_free_slow_(tarn_cache *cache, void *object)
{
    tarn_cache_state *state = tarn_cache_state_of_(cache);
    if (TARN_UNLIKELY(state->pool->is_featured))
        tarn_calls_free_(state, object);
    else if (!tarn_cache_is_attached_(state))
        tarn_direct_free_(state->pool, object);
    else
        tarn_cache_put_(state, object);
}
