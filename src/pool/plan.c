#include "pool/plan.h"

#include "base/atomic.h"
#include "base/inspect.h"
#include "base/size.h"
#include "depot/magazine.h"
#include "pool/loan.h"
#include "pool/state.h"

#define DEFAULT_CACHES_MAX        64u
#define DEFAULT_ALIGNMENT_MAX     64u
#define DEFAULT_CACHE_OBJECTS_MIN 2u
#define DEFAULT_CACHE_BYTES_MAX   ((size_t)1 << 20)
#define SHELF_MAGAZINES_DEFAULT   32u
#define SHELF_MAGAZINES_MAX       4096u
#define GROUP_BYTES_MAX           ((size_t)64 << 10)
#define GROUPS_WANTED             16u /* in a small pool */
#define GROUPS_MIN                4u  /* in any pool that has them */
#define GROUP_PAGES_MIN           4u
#define LIVES_BITS_MIN            2u /* one life, and what follows it */
#define LIVES_BITS_MAX            30u

/* The array holds two magazines, so that after moving one there is one left to give and room for
 * one to take: no alternation at an edge can go to the shelf twice in a row (Bonwick 1994). */
#define ARRAY_MAGAZINES 2u

#define DEFAULT_CACHE_OBJECTS_MAX \
    (TARN_MAGAZINE_OBJECTS_MAX * (ARRAY_MAGAZINES + SHELF_MAGAZINES_DEFAULT))

_Static_assert(TARN_MAGAZINE_OBJECTS_MAX *ARRAY_MAGAZINES == TARN_CACHE_ARRAY_OBJECTS,
               "a cache's array is as long as the public header says");

static size_t natural_alignment(size_t object_bytes)
{
    size_t lowest_bit = object_bytes & (~object_bytes + 1);
    return tarn_size_min(lowest_bit, DEFAULT_ALIGNMENT_MAX);
}

/* Behind a red zone the next object begins at a unit of the memory checkers'. */
static bool plan_stride(size_t red_zone_bytes, tarn_plan *plan)
{
    size_t unit = red_zone_bytes ? TARN_INSPECT_UNIT_BYTES : 1;
    return tarn_size_round_up(plan->object_bytes + red_zone_bytes,
                              tarn_size_max(plan->object_alignment, unit), &plan->stride_bytes);
}

static bool plan_object(const tarn_pool_options *options, tarn_plan *plan)
{
    plan->object_bytes = options->object_bytes;
    plan->object_alignment = options->object_alignment ? options->object_alignment
                                                       : natural_alignment(options->object_bytes);
    return plan->object_bytes >= 1 && plan->object_bytes <= TARN_OBJECT_BYTES_MAX &&
           tarn_is_power_of_two(plan->object_alignment) &&
           plan->object_alignment <= TARN_OBJECT_ALIGNMENT_MAX &&
           plan_stride(options->check.red_zone_bytes, plan);
}

static bool plan_capacity(const tarn_pool_options *options, tarn_plan *plan)
{
    plan->capacity = options->capacity;
    plan->capacity_max = options->capacity_max ? options->capacity_max : options->capacity;
    plan->grow_objects = options->grow_objects; /* 0: doubles, see grow.c */
    plan->caches_max = options->caches_max ? options->caches_max : DEFAULT_CACHES_MAX;
    plan->exact = options->exact;
    plan->quarantine_objects = options->check.quarantine_objects;
    return plan->capacity >= 1 && plan->capacity_max >= plan->capacity &&
           plan->caches_max <= TARN_CACHES_MAX;
}

static size_t default_cache_objects(const tarn_plan *plan)
{
    size_t by_capacity = tarn_size_clamp(plan->capacity_max / 16, DEFAULT_CACHE_OBJECTS_MIN,
                                         DEFAULT_CACHE_OBJECTS_MAX);
    size_t by_bytes = tarn_size_max(1, DEFAULT_CACHE_BYTES_MAX / plan->stride_bytes);
    return tarn_size_min(by_capacity, by_bytes);
}

/* Splits a cache's bound: a quarter of it, at most 64, is a magazine; two of them are the array,
 * the others the shelf. Half a shelf moves at once. A bound of 1 has no room for two. */
static void split_cache(tarn_plan *plan, size_t cache_objects_max)
{
    size_t magazine = tarn_size_clamp(cache_objects_max / 4, 1, TARN_MAGAZINE_OBJECTS_MAX);
    size_t array = tarn_size_min(magazine * ARRAY_MAGAZINES, cache_objects_max);
    size_t shelf = tarn_size_min((cache_objects_max - array) / magazine, SHELF_MAGAZINES_MAX);
    plan->magazine_objects = (uint32_t)magazine;
    plan->array_objects = (uint32_t)array;
    plan->shelf_magazines = (uint32_t)shelf;
    plan->chain_magazines = (uint32_t)tarn_size_clamp(shelf / 2, 1, TARN_CHAIN_MAGAZINES_MAX);
    plan->cache_objects_max = (uint32_t)(array + shelf * magazine);
}

/* The hands of cacheless threads, and of the one that trims: it holds a chain or a group. */
static size_t stranded_slots(const tarn_plan *plan)
{
    size_t chain = (size_t)plan->chain_magazines * plan->magazine_objects;
    return (size_t)plan->caches_max * plan->cache_objects_max +
           TARN_DIRECT_THREADS_COUNTED * chain +
           (plan->has_groups ? tarn_size_max(chain, (size_t)1 << plan->group_shift) : 0);
}

static void plan_exact(tarn_plan *plan)
{
    plan->exact = true;
    plan->has_groups = false;
    plan->slack_slots = 0;
    plan->cache_objects_max = plan->array_objects = plan->magazine_objects = 0;
    plan->shelf_magazines = plan->chain_magazines = 0;
}

static bool magazines_are_countable(const tarn_plan *plan)
{
    return tarn_plan_magazines(plan, plan->capacity_max + plan->slack_slots) < UINT32_MAX;
}

/* A group is a power of two of slots in 64 KiB at most, or on a page of the memory functions where
 * that is larger, less in small pools. Where it does not end with a page, it spans a few, of which
 * those inside are its own. A pool of a few pages has none. */
static void plan_groups(size_t page_bytes, tarn_plan *plan)
{
    size_t pool_bytes = 0;
    if (!tarn_size_multiply(plan->capacity_max, plan->stride_bytes, &pool_bytes))
        pool_bytes = SIZE_MAX;
    size_t bytes =
        tarn_size_max(tarn_size_min(pool_bytes / GROUPS_WANTED, GROUP_BYTES_MAX), page_bytes);
    size_t slots = bytes / plan->stride_bytes;
    plan->group_shift = slots > 1 ? tarn_bits_for(slots) - 1 : 0;
    while ((plan->stride_bytes << plan->group_shift) % page_bytes != 0 &&
           plan->stride_bytes << plan->group_shift < GROUP_PAGES_MIN * page_bytes)
        plan->group_shift++;
    plan->has_groups = !plan->exact && plan->capacity_max >> plan->group_shift >= GROUPS_MIN;
}

/* Chosen split or not, an index has room for all slots; lives get the rest. */
static bool plan_handles(const tarn_pool_options *options, tarn_plan *plan)
{
    tarn_handle_layout *layout = &plan->layout;
    uint32_t bits = options->handle_bits ? options->handle_bits : 64;
    bool is_compact = bits == 32;
    if ((bits != 64 && !is_compact) ||
        (!is_compact && (options->handle_index_bits || options->handle_pool_bits)))
        return false;
    if (!options->handles)
        return true;
    layout->pool_bits = is_compact ? options->handle_pool_bits : TARN_HANDLE_POOL_BITS;
    layout->index_bits = is_compact && options->handle_index_bits
                             ? options->handle_index_bits
                             : tarn_bits_for(plan->slots_max - 1);
    layout->pool_shift = bits - tarn_size_min(layout->pool_bits, bits);
    if (layout->index_bits + LIVES_BITS_MIN > layout->pool_shift)
        return false;
    layout->lives_bits =
        (uint32_t)tarn_size_min(layout->pool_shift - layout->index_bits, LIVES_BITS_MAX);
    return true;
}

/* Slots that can be named. */
static size_t slots_limit(const tarn_plan *plan)
{
    return plan->index_bits_chosen ? (size_t)1 << plan->index_bits_chosen : TARN_CAPACITY_MAX;
}

/* Chooses the caches' bound, and the slack that makes up for what they can strand. Near the
 * largest capacity there are no indices left for slack, or for the magazines of small caches:
 * caches then shrink until it fits, at last to nothing. */
static void plan_caches(size_t asked_objects, tarn_plan *plan)
{
    size_t bound = asked_objects ? asked_objects : default_cache_objects(plan);
    size_t room = slots_limit(plan) - plan->capacity_max;
    for (; !plan->exact && bound > 0; bound /= 2) {
        split_cache(plan, bound);
        plan->slack_slots = stranded_slots(plan);
        if (plan->slack_slots <= room && magazines_are_countable(plan))
            return;
    }
    plan_exact(plan);
}

size_t tarn_plan_magazines(const tarn_plan *plan, size_t slots)
{
    if (plan->exact)
        return 0;
    size_t hands = (size_t)plan->caches_max + TARN_DIRECT_THREADS_COUNTED;
    return slots / plan->magazine_objects + hands * 2 * TARN_CHAIN_MAGAZINES_MAX;
}

size_t tarn_plan_groups(const tarn_plan *plan, size_t slots)
{
    return plan->has_groups ? (slots >> plan->group_shift) + 1 : 0;
}

/* Appends a region of count entries at the end of what is laid out so far. */
static bool place(tarn_region *region, size_t count, size_t entry_bytes, size_t page_bytes,
                  size_t *end)
{
    size_t bytes = 0;
    if (!tarn_size_multiply(count, entry_bytes, &bytes) ||
        !tarn_size_round_up(bytes, page_bytes, &bytes))
        return false;
    region->offset_bytes = *end;
    region->bytes_max = bytes;
    return tarn_size_add(*end, bytes, end);
}

static bool place_all(tarn_plan *plan, bool is_watched, size_t page_bytes, size_t head_bytes)
{
    size_t end = 0;
    size_t loans = is_watched ? plan->slots_max : 0;
    size_t lives = plan->layout.lives_bits ? plan->slots_max : 0;
    size_t groups = tarn_plan_groups(plan, plan->slots_max);
    size_t magazines = plan->exact ? 0 : (size_t)plan->magazines_max + 1;
    return place(&plan->head, 1, head_bytes, page_bytes, &end) &&
           place(&plan->magazine_headers, magazines, sizeof(tarn_magazine), page_bytes, &end) &&
           place(&plan->magazine_lists, magazines, plan->magazine_objects * sizeof(void *),
                 page_bytes, &end) &&
           place(&plan->slot_links, plan->slots_max + 1, sizeof(tarn_u32), page_bytes, &end) &&
           place(&plan->loans, loans, sizeof(tarn_loan), page_bytes, &end) &&
           place(&plan->quarantine, plan->quarantine_objects, sizeof(uint32_t), page_bytes, &end) &&
           place(&plan->lives, lives, sizeof(tarn_u32), page_bytes, &end) &&
           place(&plan->groups, groups, sizeof(tarn_group), page_bytes, &end) &&
           place(&plan->slots, plan->slots_max, plan->stride_bytes, page_bytes, &end) &&
           (plan->reserved_bytes = end, end <= PTRDIFF_MAX);
}

tarn_status tarn_plan_make(const tarn_pool_options *options, size_t page_bytes,
                           size_t head_bytes_per_pool, size_t head_bytes_per_cache, tarn_plan *plan)
{
    *plan = (tarn_plan){0};
    if (!plan_object(options, plan) || !plan_capacity(options, plan))
        return TARN_ERROR_INVALID;
    plan_groups(page_bytes, plan);
    plan->index_bits_chosen = options->handle_index_bits;
    if (plan->index_bits_chosen > 31 || slots_limit(plan) < plan->capacity_max)
        return TARN_ERROR_INVALID;
    plan_caches(options->cache_objects_max, plan);
    plan->slots_max = plan->capacity_max + plan->slack_slots;
    if (!plan_handles(options, plan))
        return TARN_ERROR_INVALID;
    plan->magazines_max = (uint32_t)tarn_plan_magazines(plan, plan->slots_max);
    size_t head_bytes = head_bytes_per_pool + plan->caches_max * head_bytes_per_cache;
    return place_all(plan, options->checked, page_bytes, head_bytes) ? TARN_OK
                                                                     : TARN_ERROR_TOO_LARGE;
}
