#include "pool/grow.h"

#include "base/inspect.h"
#include "base/os.h"
#include "base/size.h"
#include "base/thread.h"
#include "pool/loan.h"
#include "pool/slots.h"

typedef struct region_need {
    const tarn_region *region;
    size_t bytes; /* rounded to pages, at most the region's */
} region_need;

static region_need need(const tarn_pool *pool, const tarn_region *region, size_t entries,
                        size_t entry_bytes)
{
    size_t page_bytes = pool->memory.page_bytes;
    /* The plan has shown that the largest size does not overflow. */
    size_t bytes = (entries * entry_bytes + page_bytes - 1) & ~(page_bytes - 1);
    return (region_need){region, tarn_size_min(bytes, region->bytes_max)};
}

static void needs_for(const tarn_pool *pool, uint64_t capacity, region_need *needs)
{
    const tarn_plan *plan = &pool->plan;
    size_t slots = (size_t)capacity + plan->slack_slots;
    size_t magazines = plan->exact ? 0 : tarn_plan_magazines(plan, slots) + 1;
    needs[0] = need(pool, &plan->magazine_headers, magazines, sizeof(tarn_magazine));
    needs[1] =
        need(pool, &plan->magazine_lists, magazines, plan->magazine_objects * sizeof(void *));
    needs[2] = need(pool, &plan->slot_links, slots + 1, sizeof(tarn_u32));
    needs[3] = need(pool, &plan->loans, slots, sizeof(tarn_loan));
    needs[4] = need(pool, &plan->quarantine, plan->quarantine_objects, sizeof(uint32_t));
    needs[5] = need(pool, &plan->lives, slots, sizeof(tarn_u32));
    needs[6] = need(pool, &plan->groups, tarn_plan_groups(plan, slots), sizeof(tarn_group));
    needs[7] = need(pool, &plan->slots, slots, plan->stride_bytes);
}

size_t tarn_grow_bytes_(const tarn_pool *pool, uint64_t capacity)
{
    region_need needs[TARN_POOL_REGIONS];
    needs_for(pool, capacity, needs);
    size_t bytes = pool->plan.head.bytes_max;
    for (uint32_t i = 0; i < TARN_POOL_REGIONS; i++)
        bytes += needs[i].bytes;
    return bytes;
}

static bool commit_region(tarn_pool *pool, uint32_t i, const region_need *need)
{
    size_t *committed = &pool->growth.region_bytes[i];
    if (need->bytes <= *committed)
        return true;
    char *start = (char *)pool + need->region->offset_bytes + *committed;
    size_t bytes = need->bytes - *committed;
    if (!pool->memory.commit(pool->memory.context, start, bytes))
        return false;
    if (pool->is_inspected && need->region == &pool->plan.slots)
        tarn_inspect_hide_unused(start, bytes);
    *committed = need->bytes;
    /* relaxed: a figure for samples; trimming takes from it. */
    tarn_u64_fetch_add_relaxed(&pool->growth.committed_bytes, bytes);
    return true;
}

/* A region that was committed before another failed stays so; the next attempt goes on there. */
bool tarn_grow_commit_(tarn_pool *pool, uint64_t capacity)
{
    region_need needs[TARN_POOL_REGIONS];
    needs_for(pool, capacity, needs);
    for (uint32_t i = 0; i < TARN_POOL_REGIONS; i++)
        if (!commit_region(pool, i, &needs[i]))
            return false;
    if (pool->has_lives)
        /* relaxed: who has a handle got it after its slot was committed. */
        TARN_STORE_RELAXED(&pool->table.slots_bound, (uint32_t)(capacity + pool->plan.slack_slots));
    return true;
}

static uint64_t next_capacity(const tarn_pool *pool, uint64_t capacity, uint64_t objects_max)
{
    uint64_t step = pool->plan.grow_objects ? pool->plan.grow_objects : capacity;
    step = step < objects_max ? step : objects_max;
    uint64_t room = pool->plan.capacity_max - capacity;
    return capacity + (step < room ? step : room);
}

static bool is_within_budget(const tarn_pool *pool, uint64_t capacity)
{
    return pool->memory_bytes_max == 0 ||
           tarn_grow_bytes_(pool, capacity) <= pool->memory_bytes_max;
}

static bool grow_as_owner(tarn_pool *pool, uint64_t capacity, uint64_t objects_max)
{
    uint64_t next = next_capacity(pool, capacity, objects_max);
    if (!is_within_budget(pool, next))
        return false;
    if (pool->grow && !pool->grow(pool->grow_context, pool, (size_t)capacity, (size_t)next))
        return false;
    if (!tarn_grow_commit_(pool, next))
        return false;
    /* E2 release: the memory is committed. */
    tarn_u64_store_release(&pool->growth.capacity, next);
    tarn_counter_add_(&pool->growth.growths, 1);
    return true;
}

bool tarn_grow_begin_(tarn_pool *pool)
{
    uint64_t self = tarn_os_thread_id();
    for (;;) {
        uint64_t grower = 0;
        /* E4 acquire: region_bytes as the last grower left them. */
        if (tarn_u64_cas_strong_acquire(&pool->growth.grower, &grower, self))
            return true;
        if (grower == self)
            return false;
        tarn_thread_yield();
    }
}

void tarn_grow_end_(tarn_pool *pool)
{
    /* E4 release: region_bytes. */
    tarn_u64_store_release(&pool->growth.grower, 0);
}

bool tarn_grow_by_(tarn_pool *pool, uint64_t capacity_seen, uint64_t objects)
{
    if (capacity_seen >= pool->plan.capacity_max || !tarn_grow_begin_(pool))
        return false;
    uint64_t capacity = tarn_slots_capacity_(pool);
    bool grown = capacity > capacity_seen || grow_as_owner(pool, capacity, objects);
    tarn_grow_end_(pool);
    return grown;
}

bool tarn_grow_(tarn_pool *pool, uint64_t capacity_seen)
{
    return tarn_grow_by_(pool, capacity_seen, UINT64_MAX);
}
