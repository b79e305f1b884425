#include "tarn/pool.h"

#include "base/inspect.h"
#include "base/os.h"
#include "base/size.h"
#include "pool/array.h"
#include "pool/audit.h"
#include "pool/checks.h"
#include "pool/fork.h"
#include "pool/grow.h"
#include "pool/leaks.h"
#include "pool/life/ends.h"
#include "pool/life/handles.h"
#include "pool/loan.h"
#include "pool/quarantine.h"
#include "pool/registry.h"
#include "pool/reserve.h"
#include "pool/slots.h"
#include "pool/space/groups.h"

#include <string.h>

#define PAGE_BYTES_DEFAULT ((size_t)4096)
#define PAGE_BYTES_MAX     ((size_t)2 << 20)

/* The pool, then its caches from some line of the next page on. */
#define CACHES_OFFSET_BYTES \
    ((sizeof(tarn_pool) + TARN_CACHE_PAGE_BYTES - 1) & ~(size_t)(TARN_CACHE_PAGE_BYTES - 1))
#define HEAD_BYTES (CACHES_OFFSET_BYTES + TARN_CACHE_PAGE_BYTES)

_Static_assert(sizeof(tarn_cache_state) == TARN_CACHE_PAGE_BYTES, "a page for each cache");
_Static_assert(offsetof(tarn_cache_state, user) + (TARN_CACHE_COLOURS - 1) * TARN_LINE_BYTES +
                       sizeof(tarn_u32) <=
                   TARN_CACHE_PAGE_BYTES,
               "a cache of any colour ends on the page where it begins");
_Static_assert(offsetof(tarn_cache_state, hot) == 0, "a public cache is its state's first member");

static bool choose_memory(const tarn_pool_options *options, tarn_memory *memory)
{
    *memory = options->memory ? *options->memory : tarn_os_memory();
    if (memory->page_bytes == 0)
        memory->page_bytes = PAGE_BYTES_DEFAULT;
    return memory->reserve && memory->commit && memory->decommit && memory->release &&
           tarn_is_power_of_two(memory->page_bytes) && memory->page_bytes >= PAGE_BYTES_DEFAULT &&
           memory->page_bytes <= PAGE_BYTES_MAX;
}

static void copy_name(tarn_pool *pool, const char *name)
{
    const char *source = name ? name : "pool";
    size_t length = strlen(source);
    memcpy(pool->name, source, tarn_size_min(length, sizeof pool->name - 1));
}

static bool has_hooks(const tarn_pool_options *options)
{
    return options->hooks.construct || options->hooks.reset || options->hooks.destroy;
}

static bool are_functions_valid(const tarn_pool_options *options)
{
    return !(options->zero_fill && has_hooks(options)) && !(options->evict && options->full);
}

/* What the options come to: checks as resolved, and lives where anything needs them. What hooks
 * made must survive in a free object, so it is not filled, and its next user may read it. So it is
 * where victims are looked for: one that is looked at may be freed at that moment. */
static tarn_pool_options resolve(const tarn_pool_options *options, tarn_checks *checks)
{
    tarn_pool_options resolved = *options;
    if (has_hooks(options) || options->evict) {
        checks->options.fill = false;
        checks->options.keeps_content = checks->is_watched;
    }
    resolved.checked = checks->is_watched;
    resolved.check = checks->options;
    resolved.handles =
        options->handles || options->zero_fill || options->evict || has_hooks(options);
    return resolved;
}

static size_t colour_bytes(uint64_t id)
{
    return (size_t)(id >> 60) % TARN_CACHE_COLOURS * TARN_LINE_BYTES;
}

/* What the host gave: functions, and bounds of its own. */
static void set_up_host(tarn_pool *pool, const tarn_pool_options *options)
{
    pool->hooks = options->hooks;
    pool->zero_fill = options->zero_fill;
    pool->renews_on_take =
        options->zero_fill || (options->hooks.reset && !options->hooks.reset_on_return);
    pool->evict = options->evict;
    pool->evict_context = options->evict_context;
    pool->full = options->full;
    pool->full_context = options->full_context;
    pool->live = options->live;
    pool->live_context = options->live_context;
    pool->shrink = options->shrink;
    pool->grow = options->grow;
    pool->grow_context = options->grow_context;
    pool->memory_bytes_max = options->memory_bytes_max;
    pool->report = options->report;
    pool->report_context = options->report_context;
}

/* Not where a unit is shared with a neighbour, nor where victims are looked for: see resolve. */
static bool hides_free(const tarn_pool *pool)
{
    return pool->is_inspected && !pool->evict &&
           pool->plan.stride_bytes % TARN_INSPECT_UNIT_BYTES == 0;
}

/* The memory is zero, so only what differs from zero is set. */
static void set_up(tarn_pool *pool, const tarn_pool_options *options, const tarn_checks *checks)
{
    char *base = (char *)pool;
    const tarn_plan *plan = &pool->plan;
    copy_name(pool, options->name);
    pool->id = tarn_registry_new_id_();
    pool->caches = (tarn_cache_state *)(base + CACHES_OFFSET_BYTES + colour_bytes(pool->id));
    pool->checked = checks->is_checked;
    pool->is_inspected = checks->is_inspected;
    pool->is_watched = checks->is_watched;
    pool->has_lives = plan->layout.lives_bits > 0;
    pool->is_featured = pool->is_watched || pool->has_lives || options->full;
    pool->always_slow = pool->is_watched || pool->has_lives || plan->exact;
    pool->opens_to_lives = pool->has_lives && !pool->is_watched && !plan->exact;
    pool->check = checks->options;
    pool->loans = (tarn_loan *)(base + plan->loans.offset_bytes);
    pool->quarantined = (uint32_t *)(base + plan->quarantine.offset_bytes);
    pool->lives = (tarn_u32 *)(base + plan->lives.offset_bytes);
    pool->groups = (tarn_group *)(base + plan->groups.offset_bytes);
    set_up_host(pool, options);
    pool->hides_free = hides_free(pool);
    pool->depot.shard_count = (uint32_t)tarn_size_min(plan->caches_max, TARN_DEPOT_SHARDS_MAX);
    tarn_slots_init_(pool, base + plan->slots.offset_bytes);
    tarn_handles_init_(pool);
    tarn_groups_init_(pool);
    tarn_links_init(&pool->depot.slots, (tarn_u32 *)(base + plan->slot_links.offset_bytes),
                    sizeof(tarn_u32), (uint32_t)plan->slots_max);
    tarn_magazines_init(&pool->depot.magazines,
                        (tarn_magazine *)(base + plan->magazine_headers.offset_bytes),
                        (void **)(base + plan->magazine_lists.offset_bytes), plan->magazine_objects,
                        plan->magazines_max);
}

static tarn_status build(const tarn_pool_options *options, const tarn_checks *checks,
                         const tarn_plan *plan, const tarn_memory *memory, tarn_pool *pool)
{
    if (!memory->commit(memory->context, pool, plan->head.bytes_max))
        return TARN_ERROR_NO_MEMORY;
    pool->plan = *plan;
    pool->memory = *memory;
    set_up(pool, options, checks);
    if (pool->memory_bytes_max && tarn_grow_bytes_(pool, plan->capacity) > pool->memory_bytes_max)
        return TARN_ERROR_BUDGET;
    tarn_counter_add_(&pool->growth.committed_bytes, plan->head.bytes_max);
    if (!tarn_grow_commit_(pool, plan->capacity))
        return TARN_ERROR_NO_MEMORY;
    /* E2 release: the memory is committed. */
    tarn_u64_store_release(&pool->growth.capacity, plan->capacity);
    return TARN_OK;
}

/* The memory's next user must find nothing hidden. */
static void take_from_inspectors(const tarn_pool *pool)
{
    tarn_inspect_end_allocator(pool);
    tarn_inspect_show(pool->slots, (size_t)tarn_loan_slots_used_(pool) * pool->plan.stride_bytes);
    tarn_inspect_show_unused(pool->slots, pool->growth.region_bytes[TARN_POOL_REGIONS - 1]);
}

tarn_status tarn_pool_create(const tarn_pool_options *options, tarn_pool **pool)
{
    if (pool)
        *pool = NULL;
    tarn_memory memory;
    if (!options || !pool || !choose_memory(options, &memory) ||
        !tarn_checks_are_valid_(&options->check) || !are_functions_valid(options))
        return TARN_ERROR_INVALID;
    tarn_checks checks = tarn_checks_for_(options);
    tarn_pool_options resolved = resolve(options, &checks);
    tarn_plan plan;
    tarn_status status =
        tarn_plan_make(&resolved, memory.page_bytes, HEAD_BYTES, sizeof(tarn_cache_state), &plan);
    if (status != TARN_OK)
        return status;
    tarn_pool *made = memory.reserve(memory.context, plan.reserved_bytes, memory.page_bytes);
    if (!made)
        return TARN_ERROR_NO_MEMORY;
    status = build(options, &checks, &plan, &memory, made);
    if (status != TARN_OK) {
        memory.release(memory.context, made, plan.reserved_bytes);
        return status;
    }
    if (checks.is_inspected)
        tarn_inspect_begin_allocator(made);
    tarn_registry_add_(made);
    *pool = made;
    return TARN_OK;
}

tarn_status tarn_pool_destroy(tarn_pool *pool)
{
    if (!pool)
        return TARN_OK;
    TARN_AUDIT(tarn_audit_(pool));
    tarn_pool_statistics statistics;
    tarn_pool_sample(pool, &statistics);
    if (statistics.live > 0) {
        tarn_ends_report_live_(pool);
        if (pool->checked)
            tarn_leaks_report_(pool);
        return TARN_ERROR_LIVE_OBJECTS;
    }
    tarn_ends_destroy_all_(pool);
    if (pool->is_watched)
        tarn_loan_inspect_all_(pool);
    if (pool->is_inspected)
        take_from_inspectors(pool);
    tarn_registry_remove_(pool);
    tarn_memory memory = pool->memory;
    memory.release(memory.context, pool, pool->plan.reserved_bytes);
    return TARN_OK;
}

/* Counters restart, so that what is allocated so far counts as freed: see statistics.c. */
static void clear_cache(tarn_pool *pool, tarn_cache_state *cache)
{
    tarn_stack_take_all(&cache->shelf, &pool->depot.magazines.links);
    /* relaxed: the caller orders clear against every other use. */
    tarn_u64_store_relaxed(&cache->shelf_stolen, 0);
    if (pool->plan.exact) /* what is reserved there was taken, but never allocated */
        tarn_u64_fetch_add_relaxed(&pool->direct.allocs, -tarn_reserve_count_(cache));
    memset(&cache->counters, 0, sizeof cache->counters);
    tarn_array_set_count_(cache, 0);
    cache->empty_count = 0;
    cache->foreign_magazines = 0;
    cache->reserve_first = TARN_INDEX_NONE;
    cache->reserve_end = tarn_array_allocs_(cache);
}

/* After all lists were emptied. What was carved stays so where slots have lives to go on with, or
 * where some have no memory. */
static void clear_slots(tarn_pool *pool)
{
    uint64_t listed = 0, live = 0;
    /* relaxed: the caller orders clear against every other use. */
    uint64_t trimmed = tarn_u64_load_relaxed(&pool->space.slots_trimmed);
    if (pool->has_lives || trimmed > 0)
        listed = tarn_ends_relist_(pool, &live);
    else
        tarn_u64_store_relaxed(&pool->slots_carved, 0);
    tarn_direct_counters *direct = &pool->direct;
    tarn_u64_store_relaxed(&direct->frees, tarn_u64_load_relaxed(&direct->allocs) - live);
    tarn_u64_store_relaxed(&direct->carves, listed + live + trimmed);
    tarn_u64_store_relaxed(&direct->splits, 0);
    tarn_u64_store_relaxed(&direct->steals, 0);
    tarn_u64_store_relaxed(&pool->retired_directly, 0);
}

tarn_status tarn_pool_clear(tarn_pool *pool)
{
    if (!pool)
        return TARN_ERROR_INVALID;
    if (pool->has_lives)
        tarn_ends_lives_(pool);
    else if (pool->is_watched)
        tarn_loan_end_all_(pool);
    if (pool->is_watched)
        tarn_quarantine_clear_(pool);
    /* relaxed: the caller orders clear against every other use. */
    uint32_t used = tarn_u32_load_relaxed(&pool->caches_used);
    for (uint32_t i = 0; i < used; i++)
        clear_cache(pool, &pool->caches[i]);
    tarn_fork_forget_(pool);
    tarn_depot_clear(&pool->depot);
    tarn_groups_clear_(pool);
    clear_slots(pool);
    return TARN_OK;
}

bool tarn_pool_owns(const tarn_pool *pool, const void *object)
{
    /* relaxed: whoever holds an object has seen its carving. */
    return pool && tarn_slot_of_(pool, object) < tarn_u64_load_relaxed(&pool->slots_carved);
}
