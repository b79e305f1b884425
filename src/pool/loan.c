#include "pool/loan.h"

#include "base/inspect.h"
#include "pool/report.h"
#include "pool/slots.h"

#include <string.h>

static tarn_loan *loan_of(const tarn_pool *pool, const void *object)
{
    return &pool->loans[tarn_slot_of_(pool, object)];
}

const char *tarn_loan_site_(const tarn_u64 *site)
{
    /* relaxed: a text for people; in a race, either side's will do. */
    return (const char *)(uintptr_t)tarn_u64_load_relaxed(site);
}

static void set_site(tarn_u64 *word, const char *site)
{
    /* relaxed: as above. */
    tarn_u64_store_relaxed(word, (uint64_t)(uintptr_t)site);
}

static uint32_t state_of(const tarn_loan *loan)
{
    /* relaxed: whoever has the object rightly got the word with it. */
    return tarn_u32_load_relaxed(&loan->state);
}

static void report(const tarn_pool *pool, tarn_misuse misuse, const void *object, uint64_t offset,
                   const char *site)
{
    const tarn_loan *loan = loan_of(pool, object);
    tarn_report_(pool, misuse,
                 (tarn_report){.object = object,
                               .offset = offset,
                               .call_site = site,
                               .alloc_site = tarn_loan_site_(&loan->alloc_site),
                               .free_site = tarn_loan_site_(&loan->free_site)});
}

static size_t red_zone_bytes(const tarn_pool *pool)
{
    return pool->check.red_zone_bytes ? pool->plan.stride_bytes - pool->plan.object_bytes : 0;
}

/* Reports the first of the bytes that is not as it was left, and makes all of them so again. */
static void expect_bytes(const tarn_pool *pool, unsigned char *object, size_t first, size_t end,
                         unsigned char byte, tarn_misuse misuse, const char *site)
{
    size_t offset = first;
    while (offset < end && object[offset] == byte)
        offset++;
    if (offset == end)
        return;
    memset(object + offset, byte, end - offset);
    report(pool, misuse, object, offset, site);
}

static void expect_red_zone(const tarn_pool *pool, void *object, const char *site)
{
    size_t first = pool->plan.object_bytes;
    expect_bytes(pool, object, first, first + red_zone_bytes(pool), TARN_BYTE_RED_ZONE,
                 TARN_MISUSE_OVERRUN, site);
}

/* What was never lent has no pattern yet. */
static void expect_untouched(const tarn_pool *pool, void *object, const char *site)
{
    if (pool->check.fill)
        expect_bytes(pool, object, 0, pool->plan.object_bytes, TARN_BYTE_FREE,
                     TARN_MISUSE_WRITE_AFTER_FREE, site);
    expect_red_zone(pool, object, site);
}

static bool looks_at_bytes(const tarn_pool *pool)
{
    return pool->checked && (pool->check.fill || pool->check.red_zone_bytes);
}

/* Makes the bytes what they are to be when the object goes out. */
static void prepare(const tarn_pool *pool, char *object, bool is_new, const char *site)
{
    if (!looks_at_bytes(pool))
        return;
    tarn_inspect_show(object, pool->plan.stride_bytes);
    if (is_new)
        memset(object + pool->plan.object_bytes, TARN_BYTE_RED_ZONE, red_zone_bytes(pool));
    else
        expect_untouched(pool, object, site);
}

/* Where free objects may be looked at: all but what is behind them. */
static void show_for_good(const tarn_pool *pool, char *object)
{
    if (!pool->is_inspected)
        return;
    size_t bytes = pool->plan.object_bytes;
    tarn_inspect_show(object, bytes);
    if (pool->plan.stride_bytes % TARN_INSPECT_UNIT_BYTES == 0)
        tarn_inspect_hide(object + bytes, pool->plan.stride_bytes - bytes);
}

/* Tells memory checkers that the object is the host's, and what is behind it is nobody's. */
static void reveal(const tarn_pool *pool, char *object, bool is_new)
{
    const tarn_plan *plan = &pool->plan;
    if (!pool->hides_free) {
        show_for_good(pool, object);
        return;
    }
    tarn_inspect_hide(object, plan->stride_bytes);
    tarn_inspect_begin_block(pool, object, plan->object_bytes);
    tarn_inspect_show(object, plan->object_bytes);
    if (!is_new && !pool->check.keeps_content)
        tarn_inspect_forget(object, plan->object_bytes);
}

void tarn_loan_begin_(tarn_pool *pool, void *object, const char *site)
{
    tarn_loan *loan = loan_of(pool, object);
    bool is_new = state_of(loan) == TARN_LOAN_NEVER;
    prepare(pool, object, is_new, site);
    reveal(pool, object, is_new);
    set_site(&loan->alloc_site, site);
    /* relaxed: the object's way to another thread carries it. */
    tarn_u32_store_relaxed(&loan->state, TARN_LOAN_LENT);
}

static bool try_end(tarn_loan *loan)
{
    uint32_t state = TARN_LOAN_LENT;
    /* relaxed: it decides who of several returns the object, and hands on nothing else. */
    while (state == TARN_LOAN_LENT)
        if (tarn_u32_cas_weak_relaxed(&loan->state, &state, TARN_LOAN_RETURNED))
            return true;
    return false;
}

/* The opposite of prepare and reveal. */
static void withdraw(const tarn_pool *pool, char *object, const char *site)
{
    const tarn_plan *plan = &pool->plan;
    if (pool->hides_free)
        tarn_inspect_end_block(pool, object);
    if (looks_at_bytes(pool)) {
        tarn_inspect_show(object, plan->stride_bytes);
        expect_red_zone(pool, object, site);
        if (pool->check.fill)
            memset(object, TARN_BYTE_FREE, plan->object_bytes);
    }
    if (pool->hides_free)
        tarn_inspect_hide(object, plan->stride_bytes);
}

void tarn_loan_refuse_end_(tarn_pool *pool, void *object, const char *site)
{
    if (pool->checked) {
        report(pool, TARN_MISUSE_DOUBLE_FREE, object, 0, site);
        return;
    }
    tarn_inspect_expect_shown(object);
    tarn_inspect_end_block(pool, object);
}

bool tarn_loan_end_(tarn_pool *pool, void *object, const char *site)
{
    tarn_loan *loan = loan_of(pool, object);
    if (!try_end(loan)) {
        tarn_loan_refuse_end_(pool, object, site);
        return false;
    }
    set_site(&loan->free_site, site);
    withdraw(pool, object, site);
    return true;
}

static uint64_t carved(const tarn_pool *pool)
{
    /* relaxed: nobody else is at work. */
    return tarn_u64_load_relaxed(&pool->slots_carved);
}

uint64_t tarn_loan_slots_used_(const tarn_pool *pool)
{
    uint64_t count = carved(pool);
    return count > pool->slots_cleared ? count : pool->slots_cleared;
}

void tarn_loan_end_all_(tarn_pool *pool)
{
    uint64_t count = carved(pool);
    for (uint64_t slot = 0; slot < count; slot++)
        if (try_end(&pool->loans[slot]))
            withdraw(pool, tarn_slot_object_(pool, slot), NULL);
    pool->slots_cleared = tarn_loan_slots_used_(pool);
}

static void inspect(tarn_pool *pool, uint64_t slot)
{
    void *object = tarn_slot_object_(pool, slot);
    if (state_of(&pool->loans[slot]) != TARN_LOAN_RETURNED)
        return;
    tarn_inspect_show(object, pool->plan.stride_bytes);
    expect_untouched(pool, object, NULL);
    if (pool->hides_free)
        tarn_inspect_hide(object, pool->plan.stride_bytes);
}

void tarn_loan_inspect_all_(tarn_pool *pool)
{
    uint64_t count = looks_at_bytes(pool) ? tarn_loan_slots_used_(pool) : 0;
    for (uint64_t slot = 0; slot < count; slot++)
        inspect(pool, slot);
}

void tarn_loan_forget_(tarn_pool *pool, uint64_t slot)
{
    if (looks_at_bytes(pool))
        inspect(pool, slot);
    /* relaxed: whoever holds the slot alone knows it. */
    tarn_u32_store_relaxed(&pool->loans[slot].state, TARN_LOAN_NEVER);
}
