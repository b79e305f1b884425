#include "pool/life/ends.h"

#include "pool/array.h"
#include "pool/life/life.h"
#include "pool/life/word.h"
#include "pool/loan.h"
#include "pool/space/groups.h"
#include "pool/space/trim.h"

static uint64_t carved(const tarn_pool *pool)
{
    /* relaxed: nobody else is at work. */
    return tarn_u64_load_relaxed(&pool->slots_carved);
}

/* Ends all lives that there are, and links their slots. Returns the first of the chain. */
static uint32_t end_all(tarn_pool *pool)
{
    uint32_t first = TARN_INDEX_NONE;
    for (uint64_t slot = carved(pool); slot-- > 0;) {
        if (!tarn_life_try_end_(pool, slot, tarn_life_word_(pool, slot)))
            continue;
        tarn_links_set(&pool->depot.slots, (uint32_t)slot + 1, first);
        first = (uint32_t)slot + 1;
    }
    return first;
}

static void finish(tarn_pool *pool, void *object)
{
    tarn_life_end end = tarn_life_finish_(pool, object);
    if (pool->is_watched)
        tarn_loan_end_(pool, object, NULL);
    if (end == TARN_LIFE_SPENT)
        tarn_life_forget_(pool, NULL, object);
}

/* Hooks run when all lives have ended, so that what they allocate is not among them. */
void tarn_ends_lives_(tarn_pool *pool)
{
    for (uint32_t index = end_all(pool); index != TARN_INDEX_NONE;) {
        uint32_t next = tarn_links_get(&pool->depot.slots, index);
        finish(pool, tarn_slot_index_object_(pool, index));
        index = next;
    }
}

/* Neither live nor retired, and not given back to the system. */
static bool is_to_list(const tarn_pool *pool, uint64_t slot, uint64_t *live)
{
    if (tarn_groups_is_trimmed_(pool, slot))
        return false;
    uint32_t word = pool->has_lives ? tarn_life_word_(pool, slot) : 0;
    if (tarn_life_is_live_(word))
        ++*live;
    return !tarn_life_is_live_(word) && word != TARN_LIFE_RETIRED;
}

/* From the last to the first, so that the first is on top. */
uint64_t tarn_ends_relist_(tarn_pool *pool, uint64_t *live)
{
    uint64_t count = 0;
    uint32_t first = TARN_INDEX_NONE, last = TARN_INDEX_NONE;
    *live = 0;
    for (uint64_t slot = carved(pool); slot-- > 0;) {
        if (!is_to_list(pool, slot, live))
            continue;
        uint32_t index = (uint32_t)slot + 1;
        tarn_links_set(&pool->depot.slots, index, first);
        first = index;
        if (count++ == 0)
            last = index;
    }
    if (count > 0)
        tarn_slots_put_loose_chain_(pool, first, last);
    return count;
}

/* The checks know what is live in a pool without lives. */
static bool is_live(const tarn_pool *pool, uint64_t slot)
{
    if (pool->has_lives)
        return tarn_life_is_live_(tarn_life_word_(pool, slot));
    /* relaxed: nobody else is at work. */
    return pool->is_watched && tarn_u32_load_relaxed(&pool->loans[slot].state) == TARN_LOAN_LENT;
}

void tarn_ends_report_live_(tarn_pool *pool)
{
    if (!pool->live)
        return;
    for (uint64_t slot = 0; slot < carved(pool); slot++) {
        if (!is_live(pool, slot))
            continue;
        tarn_handle handle = {0};
        if (pool->has_lives)
            handle = tarn_life_handle_(pool, slot, tarn_life_word_(pool, slot));
        const char *site = pool->is_watched ? tarn_loan_site_(&pool->loans[slot].alloc_site) : NULL;
        pool->live(pool->live_context, pool->name, tarn_slot_object_(pool, slot), handle, site);
    }
}

/* From here on no cache serves its hooks by the short way, where is_ending is not seen. */
static void close_caches(tarn_pool *pool)
{
    pool->opens_to_lives = false;
    /* relaxed: nobody else is at work. */
    uint32_t used = tarn_u32_load_relaxed(&pool->caches_used);
    for (uint32_t i = 0; i < used; i++)
        tarn_gate_close_(&pool->caches[i]);
}

void tarn_ends_destroy_all_(tarn_pool *pool)
{
    if (!pool->has_lives)
        return;
    pool->is_ending = true;
    close_caches(pool);
    tarn_trim_begin_(pool); /* without end: a hook that trims is told that somebody does */
    for (uint64_t slot = 0; slot < carved(pool); slot++)
        tarn_life_unbuild_(pool, slot);
}
