#include "pool/life/handles.h"

#include "pool/guest.h"
#include "pool/life/calls.h"
#include "pool/life/fast.h"
#include "pool/life/life.h"
#include "pool/life/word.h"
#include "pool/site.h"

/* See tarn/handle.h. */
static uint64_t life_base(const tarn_pool *pool, uint64_t pool_bits)
{
    uint64_t above_lives = TARN_LIFE_BUILT | TARN_LIFE_USED;
    return pool_bits - (above_lives << pool->plan.layout.index_bits);
}

void tarn_handles_init_(tarn_pool *pool)
{
    const tarn_handle_layout *layout = &pool->plan.layout;
    pool->table = (tarn_handle_table_){
        .words = (const uint32_t *)(const void *)pool->lives,
        .slots = pool->slots,
        .stride_bytes = pool->plan.stride_bytes,
        .life_unit = (uint64_t)1 << layout->index_bits,
        .life_base = life_base(pool, 0),
        .index_bits = layout->index_bits,
        .lives_mask = (uint32_t)(((uint64_t)1 << layout->lives_bits) - 1),
    };
}

void tarn_handles_set_number_(tarn_pool *pool, uint32_t number)
{
    const tarn_handle_layout *layout = &pool->plan.layout;
    if (layout->pool_bits == 0)
        return;
    uint64_t mask = ((uint64_t)1 << layout->pool_bits) - 1;
    pool->table.pool_bits = (number & mask) << layout->pool_shift;
    pool->table.life_base = life_base(pool, pool->table.pool_bits);
}

static bool is_foreign(const tarn_pool *pool, tarn_handle handle)
{
    const tarn_handle_layout *layout = &pool->plan.layout;
    uint32_t handle_bits = layout->pool_shift + layout->pool_bits;
    if (handle_bits < 64 && handle.bits >> handle_bits)
        return true;
    return layout->pool_bits &&
           handle.bits >> layout->pool_shift != pool->table.pool_bits >> layout->pool_shift;
}

tarn_status tarn_handles_try_end_(tarn_pool *pool, tarn_handle handle, void **object)
{
    const tarn_handle_table_ *table = &pool->table;
    if (!pool->has_lives)
        return TARN_ERROR_INVALID;
    if (tarn_handle_is_none(handle))
        return TARN_ERROR_STALE;
    if (TARN_UNLIKELY(is_foreign(pool, handle)))
        return TARN_ERROR_FOREIGN;
    size_t slot = tarn_handle_slot_(table->life_unit, handle);
    /* relaxed: a handle of this pool names a slot that was committed before it was made. */
    if (TARN_UNLIKELY(slot >= TARN_LOAD_RELAXED(&table->slots_bound)))
        return TARN_ERROR_STALE;
    uint32_t word = tarn_life_word_(pool, slot);
    if (tarn_life_handle_(pool, slot, word).bits != handle.bits ||
        !tarn_life_try_end_(pool, slot, word))
        return TARN_ERROR_STALE;
    *object = tarn_slot_object_(pool, slot);
    return TARN_OK;
}

/* word: of the life that this thread began. What the slot's says by now may be another's. */
static tarn_status hand_out(const tarn_pool *pool, tarn_status status, void *taken, uint32_t word,
                            tarn_handle *handle, void **object)
{
    if (status == TARN_OK)
        *handle = tarn_life_handle_(pool, tarn_slot_of_(pool, taken), word);
    if (object)
        *object = taken;
    return status;
}

static tarn_status take_failed(tarn_status status, tarn_handle *handle, void **object)
{
    if (handle)
        *handle = (tarn_handle){0};
    if (object)
        *object = NULL;
    return status;
}

static __attribute__((noinline)) tarn_status take_slow(tarn_cache_state *state, tarn_handle *handle,
                                                       void **object)
{
    if (!state->pool->has_lives)
        return take_failed(TARN_ERROR_INVALID, handle, object);
    *handle = (tarn_handle){0};
    void *taken = NULL;
    uint32_t word;
    tarn_status status = tarn_calls_alloc_(state, &taken, &word);
    return hand_out(state->pool, status, taken, word, handle, object);
}

tarn_status tarn_take(tarn_cache *cache, tarn_handle *handle, void **object)
{
    tarn_cache_state *state = tarn_cache_state_of_(cache);
    if (TARN_UNLIKELY(!cache || !handle))
        return take_failed(TARN_ERROR_INVALID, handle, object);
    void *taken = NULL;
    uint64_t slot;
    uint32_t word;
    if (TARN_LIKELY(tarn_fast_take_(state, &taken, &slot, &word))) {
        *handle = tarn_life_handle_(state->pool, slot, word);
        if (object)
            *object = taken;
        return TARN_OK;
    }
    return take_slow(state, handle, object);
}

tarn_status tarn_guest_take(tarn_pool *pool, tarn_handle *handle, void **object)
{
    if (!pool || !handle || !pool->has_lives)
        return take_failed(TARN_ERROR_INVALID, handle, object);
    tarn_cache *cache = tarn_guest_cache_(pool);
    if (cache)
        return tarn_take(cache, handle, object);
    *handle = (tarn_handle){0};
    void *taken = NULL;
    uint32_t word;
    tarn_status status = tarn_calls_direct_alloc_(pool, &taken, &word);
    return hand_out(pool, status, taken, word, handle, object);
}

/* A site that a release noted is not for the next call, when it fails. */
static void forget_site(const tarn_pool *pool, const tarn_cache_state *state)
{
    if (pool->is_watched && state)
        tarn_site_take_(state);
    else if (pool->is_watched)
        tarn_site_take_direct_(pool);
}

static __attribute__((noinline)) tarn_status release_slow(tarn_pool *pool, tarn_cache_state *state,
                                                          tarn_handle handle)
{
    void *object = NULL;
    tarn_status status = tarn_handles_try_end_(pool, handle, &object);
    if (status == TARN_OK)
        tarn_calls_release_(pool, state, object);
    else
        forget_site(pool, state);
    return status;
}

tarn_status tarn_release(tarn_cache *cache, tarn_handle handle)
{
    if (!cache)
        return TARN_ERROR_INVALID;
    tarn_cache_state *state = tarn_cache_state_of_(cache);
    return TARN_LIKELY(tarn_fast_release_(state, handle))
               ? TARN_OK
               : release_slow(state->pool, state, handle);
}

tarn_status tarn_guest_release(tarn_pool *pool, tarn_handle handle)
{
    if (!pool)
        return TARN_ERROR_INVALID;
    tarn_cache *cache = tarn_guest_cache_(pool);
    return cache ? tarn_release(cache, handle) : release_slow(pool, NULL, handle);
}

tarn_handle tarn_handle_of(const tarn_pool *pool, const void *object)
{
    tarn_handle none = {0};
    if (!pool || !pool->has_lives)
        return none;
    uint64_t slot = tarn_slot_of_(pool, object);
    /* relaxed: a live object's slot was committed before it was handed out. */
    if (slot >= TARN_LOAD_RELAXED(&pool->table.slots_bound))
        return none;
    uint32_t word = tarn_life_word_(pool, slot);
    return tarn_life_is_live_(word) ? tarn_life_handle_(pool, slot, word) : none;
}
