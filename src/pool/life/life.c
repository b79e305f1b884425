#include "pool/life/life.h"

#include "base/inspect.h"
#include "pool/cache.h"
#include "pool/direct.h"
#include "pool/life/word.h"

#include <string.h>

static void count(tarn_u64 *counter)
{
    /* relaxed: a figure for samples; it orders nothing. */
    tarn_u64_fetch_add_relaxed(counter, 1);
}

static uint32_t own_word(const tarn_pool *pool, uint64_t slot)
{
    /* relaxed: whoever holds the slot got its word with it. */
    return tarn_u32_load_relaxed(&pool->lives[slot]);
}

static bool construct(tarn_pool *pool, void *object)
{
    const tarn_hooks *hooks = &pool->hooks;
    if (!hooks->construct || hooks->construct(hooks->context, object))
        return true;
    count(&pool->constructs_refused);
    return false;
}

static void reset(tarn_pool *pool, void *object)
{
    if (pool->hooks.reset)
        pool->hooks.reset(pool->hooks.context, object);
}

/* Before a life that is not the first. */
static void renew(tarn_pool *pool, void *object)
{
    if (pool->zero_fill)
        memset(object, 0, pool->plan.object_bytes);
    else if (!pool->hooks.reset_on_return)
        reset(pool, object);
}

/* From memory checkers. */
static void hide(const tarn_pool *pool, const void *object)
{
    if (pool->hides_free)
        tarn_inspect_hide(object, pool->plan.stride_bytes);
}

bool tarn_life_build_(tarn_pool *pool, uint64_t slot)
{
    uint32_t word = own_word(pool, slot);
    if (word & TARN_LIFE_BUILT)
        return true;
    void *object = tarn_slot_object_(pool, slot);
    if (pool->is_inspected)
        tarn_inspect_show(object, pool->plan.object_bytes);
    bool built = construct(pool, object);
    if (built)
        tarn_life_set_word_(pool, slot, word | TARN_LIFE_BUILT);
    hide(pool, object);
    return built;
}

bool tarn_life_build_all_(tarn_pool *pool, size_t count, void *const *objects)
{
    if (!pool->hooks.construct) /* lives then begin without fail */
        return true;
    for (size_t i = 0; i < count; i++)
        if (!tarn_life_build_(pool, tarn_slot_of_(pool, objects[i])))
            return false;
    return true;
}

bool tarn_life_begin_(tarn_pool *pool, void *object, uint32_t *word)
{
    *word = 0;
    if (!pool->has_lives)
        return true;
    uint64_t slot = tarn_slot_of_(pool, object);
    uint32_t before = own_word(pool, slot);
    if (before & TARN_LIFE_USED)
        renew(pool, object);
    else if (!(before & TARN_LIFE_BUILT) && !construct(pool, object))
        return false;
    *word = (before | TARN_LIFE_BUILT | TARN_LIFE_USED) + 1;
    tarn_life_set_word_(pool, slot, *word);
    return true;
}

bool tarn_life_try_end_(tarn_pool *pool, uint64_t slot, uint32_t word)
{
    uint32_t lives = word & TARN_LIVES_MASK_;
    /* relaxed: it decides who of several ends the life; the object's way back to the pool hands on
     * what was written to it. */
    while ((word & TARN_LIVES_MASK_) == lives && tarn_life_is_live_(word))
        if (tarn_u32_cas_weak_relaxed(&pool->lives[slot], &word, tarn_life_word_after_(pool, word)))
            return true;
    return false;
}

static void destroy(tarn_pool *pool, uint64_t slot)
{
    if (pool->hooks.destroy)
        pool->hooks.destroy(pool->hooks.context, tarn_slot_object_(pool, slot));
}

static void retire_in_group(tarn_group *group)
{
    /* relaxed: a first guess for the CAS. */
    uint32_t retired = tarn_u32_load_relaxed(&group->retired);
    /* E8 release: what the destroy hook did to the object. */
    while (!tarn_u32_cas_weak_release(&group->retired, &retired, retired + 1))
        ;
}

tarn_life_end tarn_life_finish_(tarn_pool *pool, void *object)
{
    if (pool->hooks.reset_on_return)
        reset(pool, object);
    uint64_t slot = tarn_slot_of_(pool, object);
    if (TARN_LIKELY(own_word(pool, slot) != TARN_LIFE_RETIRED))
        return TARN_LIFE_ENDED;
    destroy(pool, slot);
    count(&pool->slots_retired);
    return TARN_LIFE_SPENT;
}

tarn_life_end tarn_life_end_(tarn_pool *pool, void *object)
{
    if (!pool->has_lives)
        return TARN_LIFE_ENDED;
    uint64_t slot = tarn_slot_of_(pool, object);
    /* relaxed: an object's slot was committed before it was handed out. */
    if (slot >= TARN_LOAD_RELAXED(&pool->table.slots_bound))
        return TARN_LIFE_NOT_LIVE;
    uint32_t word = own_word(pool, slot);
    if (!tarn_life_is_live_(word))
        return TARN_LIFE_NOT_LIVE;
    tarn_life_set_word_(pool, slot, tarn_life_word_after_(pool, word));
    return tarn_life_finish_(pool, object);
}

tarn_life_end tarn_life_end_exactly_(tarn_pool *pool, void *object)
{
    uint64_t slot = tarn_slot_of_(pool, object);
    if (!tarn_life_try_end_(pool, slot, tarn_life_word_(pool, slot)))
        return TARN_LIFE_NOT_LIVE;
    return tarn_life_finish_(pool, object);
}

void tarn_life_return_(tarn_pool *pool, tarn_cache_state *cache, void *object, tarn_life_end end)
{
    if (end == TARN_LIFE_NOT_LIVE)
        return;
    if (end == TARN_LIFE_ENDED && cache)
        tarn_cache_put_(cache, object);
    else if (end == TARN_LIFE_ENDED)
        tarn_direct_free_(pool, object);
    else
        tarn_life_forget_(pool, cache, object);
}

/* From here on the slot's memory may go back with its group. */
void tarn_life_forget_(tarn_pool *pool, tarn_cache_state *cache, const void *object)
{
    uint64_t slot = tarn_slot_of_(pool, object);
    if (pool->plan.has_groups)
        retire_in_group(&pool->groups[slot >> pool->plan.group_shift]);
    tarn_cache_forget_(pool, cache);
}

void tarn_life_unbuild_(tarn_pool *pool, uint64_t slot)
{
    uint32_t word = own_word(pool, slot);
    if (!(word & TARN_LIFE_BUILT))
        return;
    void *object = tarn_slot_object_(pool, slot);
    if (pool->is_inspected)
        tarn_inspect_show(object, pool->plan.object_bytes);
    destroy(pool, slot);
    tarn_life_set_word_(pool, slot, word & TARN_LIVES_MASK_);
    hide(pool, object);
}
