#include "pool/space/groups.h"

#include "base/inspect.h"
#include "base/size.h"
#include "pool/grow.h"
#include "pool/life/life.h"
#include "pool/life/word.h"
#include "pool/loan.h"
#include "pool/slots.h"

#include <string.h>

static uint64_t group_slots(const tarn_pool *pool)
{
    return (uint64_t)1 << pool->plan.group_shift;
}

void tarn_groups_init_(tarn_pool *pool)
{
    if (!pool->plan.has_groups)
        return;
    size_t groups = tarn_plan_groups(&pool->plan, pool->plan.slots_max);
    /* The link of index g + 1 is group g's: index 0 would lie before the first group. */
    tarn_u32 *before_first = (tarn_u32 *)((char *)&pool->groups[0].next - sizeof(tarn_group));
    tarn_links_init(&pool->space.links, before_first, sizeof(tarn_group), (uint32_t)groups);
}

uint32_t tarn_groups_used_(const tarn_pool *pool)
{
    if (!pool->plan.has_groups)
        return 0;
    /* relaxed: slots carved meanwhile are in use. */
    uint64_t carved = tarn_u64_load_relaxed(&pool->slots_carved);
    return (uint32_t)((carved + group_slots(pool) - 1) >> pool->plan.group_shift);
}

/* The number in the word, negative for a moment now and then. */
static int64_t sorted_in(uint64_t word)
{
    return (int64_t)(word << TARN_SORTED_TAG_BITS) >> TARN_SORTED_TAG_BITS;
}

uint64_t tarn_groups_sorted_(const tarn_pool *pool)
{
    /* relaxed: an old value costs another look. */
    int64_t sorted = sorted_in(tarn_u64_load_relaxed(&pool->space.sorted));
    return sorted > 0 ? (uint64_t)sorted : 0;
}

/* Also with 0, changes the word. */
static void add_sorted(tarn_pool *pool, uint64_t count)
{
    uint64_t change = ((uint64_t)1 << (64 - TARN_SORTED_TAG_BITS)) + count;
    /* relaxed: a first guess for the CAS. */
    uint64_t word = tarn_u64_load_relaxed(&pool->space.sorted);
    /* E9 release: what was pushed or popped before. */
    while (!tarn_u64_cas_weak_release(&pool->space.sorted, &word, word + change))
        ;
}

/* Slots move from one list to the next, so that separate looks could miss some on their way. The
 * word tells whether any went from or to a group meanwhile, or a group came to be trimmed. A group
 * that is being restored is waited for; one that is on its way to being trimmed is in a hand. */
bool tarn_groups_are_dry_(tarn_pool *pool)
{
    /* E9 acquire: what was pushed before is seen by the looks that follow. */
    uint64_t word = tarn_u64_load_acquire(&pool->space.sorted);
    if (sorted_in(word) > 0 || tarn_groups_restore_(pool) || !tarn_depot_is_dry(&pool->depot))
        return false;
    /* E9 acquire: as above. */
    return tarn_u64_load_acquire(&pool->space.sorted) == word;
}

static void add_count(tarn_group *group, uint32_t count)
{
    /* relaxed: as above. */
    tarn_u32_fetch_add_relaxed(&group->count, count);
}

/* Searches begin at the lowest group that may have slots. A lost update costs a longer search. */
static void lower_first(tarn_pool *pool, uint32_t group)
{
    /* relaxed: a hint. */
    uint32_t first = tarn_u32_load_relaxed(&pool->space.first);
    while (group < first)
        if (tarn_u32_cas_weak_relaxed(&pool->space.first, &first, group))
            return;
}

/* Slots first to last, linked by the caller, all of one group. */
static void push(tarn_pool *pool, uint32_t group, uint32_t first, uint32_t last, uint32_t count)
{
    tarn_group *g = &pool->groups[group];
    tarn_stack_push_chain(&g->sorted, &pool->depot.slots, first, last);
    add_count(g, count);
    add_sorted(pool, count);
    lower_first(pool, group);
}

static uint32_t group_of(const tarn_pool *pool, uint32_t index)
{
    return (index - 1) >> pool->plan.group_shift;
}

void tarn_groups_put_(tarn_pool *pool, void *const *objects, uint32_t count)
{
    for (uint32_t i = 0; i < count;) {
        uint32_t first = tarn_slot_index_(pool, objects[i]);
        uint32_t last = first, run = 1;
        for (; i + run < count; run++) {
            uint32_t next = tarn_slot_index_(pool, objects[i + run]);
            if (group_of(pool, next) != group_of(pool, first))
                break;
            tarn_links_set(&pool->depot.slots, last, next);
            last = next;
        }
        push(pool, group_of(pool, first), first, last, run);
        i += run;
    }
}

static uint32_t take_from(tarn_pool *pool, uint32_t group, uint32_t count_max, void **objects)
{
    uint32_t indices[TARN_MAGAZINE_OBJECTS_MAX];
    tarn_group *g = &pool->groups[group];
    if (tarn_stack_top(&g->sorted, &pool->depot.slots) == TARN_INDEX_NONE)
        return 0;
    add_sorted(pool, -(uint64_t)count_max);
    uint32_t count = tarn_stack_pop_some(&g->sorted, &pool->depot.slots, count_max, indices);
    add_sorted(pool, count_max - count);
    add_count(g, -count);
    for (uint32_t i = 0; i < count; i++)
        objects[i] = tarn_slot_index_object_(pool, indices[i]);
    return count;
}

uint32_t tarn_groups_take_(tarn_pool *pool, uint32_t count_max, void **objects)
{
    if (tarn_groups_sorted_(pool) == 0)
        return 0;
    count_max = (uint32_t)tarn_size_min(count_max, TARN_MAGAZINE_OBJECTS_MAX);
    uint32_t used = tarn_groups_used_(pool);
    /* relaxed: a hint. */
    uint32_t start = tarn_u32_load_relaxed(&pool->space.first);
    for (uint32_t i = 0; i < used; i++) {
        uint32_t group = (start + i) % used;
        uint32_t count = take_from(pool, group, count_max, objects);
        if (count == 0)
            continue;
        if (i > 0)
            /* relaxed: a hint. */
            tarn_u32_store_relaxed(&pool->space.first, group);
        return count;
    }
    return 0;
}

/* The part of a group's memory that can go: whole pages that no other group shares. */
typedef struct span {
    char *start, *end;             /* of the slots */
    char *pages_start, *pages_end; /* at least one page, see plan.c */
} span;

static span span_of(const tarn_pool *pool, uint32_t group)
{
    size_t bytes = pool->plan.stride_bytes << pool->plan.group_shift;
    size_t page_mask = pool->memory.page_bytes - 1;
    span s = {.start = pool->slots + group * bytes};
    s.end = s.start + bytes;
    s.pages_start = (char *)(((uintptr_t)s.start + page_mask) & ~page_mask);
    s.pages_end = (char *)((uintptr_t)s.end & ~page_mask);
    return s;
}

/* What stays must be as zero as what goes, for the slots' next first use. */
static void wipe(const tarn_pool *pool, char *start, char *end)
{
    size_t bytes = (size_t)(end - start);
    if (bytes == 0)
        return;
    if (pool->is_inspected)
        tarn_inspect_show(start, bytes);
    memset(start, 0, bytes);
    if (pool->hides_free)
        tarn_inspect_hide(start, bytes);
}

static void decommit(tarn_pool *pool, uint32_t group, size_t *bytes)
{
    span s = span_of(pool, group);
    size_t pages_bytes = (size_t)(s.pages_end - s.pages_start);
    wipe(pool, s.start, s.pages_start);
    wipe(pool, s.pages_end, s.end);
    pool->memory.decommit(pool->memory.context, s.pages_start, pages_bytes);
    /* relaxed: a figure for samples. */
    tarn_u64_fetch_add_relaxed(&pool->growth.committed_bytes, -(uint64_t)pages_bytes);
    *bytes += pages_bytes;
}

/* The slots are the trimmer's, and on no list. */
static void unbuild(tarn_pool *pool, uint32_t first)
{
    for (uint32_t index = first; index != TARN_INDEX_NONE;) {
        uint32_t next = tarn_links_get(&pool->depot.slots, index);
        if (pool->has_lives)
            tarn_life_unbuild_(pool, index - 1);
        if (pool->is_watched)
            tarn_loan_forget_(pool, index - 1);
        index = next;
    }
}

/* Takes all that is sorted of a group. Returns how many, and the chain. */
static uint32_t take_all(tarn_pool *pool, uint32_t group, uint32_t expected, uint32_t *first,
                         uint32_t *last)
{
    uint32_t count = 0;
    add_sorted(pool, -(uint64_t)expected);
    *first = *last = tarn_stack_take_all(&pool->groups[group].sorted, &pool->depot.slots);
    for (uint32_t index = *first; index != TARN_INDEX_NONE; count++) {
        *last = index;
        index = tarn_links_get(&pool->depot.slots, index);
    }
    add_sorted(pool, (uint64_t)expected - count);
    add_count(&pool->groups[group], -count);
    return count;
}

static uint64_t retired(const tarn_group *group)
{
    /* E8 acquire: nobody touches those slots any more. One that is missed makes the group look
     * used. */
    return tarn_u32_load_acquire(&group->retired);
}

uint32_t tarn_groups_give_back_(tarn_pool *pool, uint32_t group, size_t *bytes)
{
    tarn_group *g = &pool->groups[group];
    /* relaxed: a count is a reason to look, no more. */
    uint32_t expected = tarn_u32_load_relaxed(&g->count);
    uint64_t carved = tarn_u64_load_relaxed(&pool->slots_carved);
    if (expected == 0 || expected > group_slots(pool) ||
        expected + retired(g) < group_slots(pool) ||
        (uint64_t)(group + 1) << pool->plan.group_shift > carved)
        return 0;
    uint32_t first = TARN_INDEX_NONE, last = TARN_INDEX_NONE;
    uint32_t count = take_all(pool, group, expected, &first, &last);
    if (count + retired(g) < group_slots(pool)) {
        if (count > 0)
            push(pool, group, first, last, count);
        return 0;
    }
    unbuild(pool, first);
    /* relaxed: before the memory goes, for a child forked in between; the figure before the group
     * can be found, so that it is never negative. */
    tarn_u32_store_relaxed(&g->is_trimmed, 1);
    decommit(pool, group, bytes);
    tarn_u64_fetch_add_relaxed(&pool->space.slots_trimmed, count);
    tarn_stack_push(&pool->space.trimmed, &pool->space.links, group + 1);
    add_sorted(pool, 0);
    return count;
}

/* Links the group's slots, but those that are retired, and puts them on its stack. */
static uint32_t list(tarn_pool *pool, uint32_t group)
{
    uint32_t first = TARN_INDEX_NONE, last = TARN_INDEX_NONE, count = 0;
    uint64_t begin = (uint64_t)group << pool->plan.group_shift;
    for (uint64_t slot = begin + group_slots(pool); slot-- > begin;) {
        if (pool->has_lives && tarn_life_word_(pool, slot) == TARN_LIFE_RETIRED)
            continue;
        uint32_t index = (uint32_t)slot + 1;
        tarn_links_set(&pool->depot.slots, index, first);
        first = index;
        if (count++ == 0)
            last = index;
    }
    push(pool, group, first, last, count);
    return count;
}

static void subtract_trimmed(tarn_pool *pool, uint64_t count)
{
    /* relaxed: a first guess for the CAS. */
    uint64_t slots = tarn_u64_load_relaxed(&pool->space.slots_trimmed);
    /* E10 release: the slots are sorted by now. */
    while (!tarn_u64_cas_weak_release(&pool->space.slots_trimmed, &slots, slots - count))
        ;
}

/* As the grower: memory is committed by one thread at a time. */
static bool restore_one(tarn_pool *pool)
{
    uint32_t index = tarn_stack_pop(&pool->space.trimmed, &pool->space.links);
    if (index == TARN_INDEX_NONE)
        return tarn_groups_sorted_(pool) > 0; /* another thread was at it */
    span s = span_of(pool, index - 1);
    size_t bytes = (size_t)(s.pages_end - s.pages_start);
    if (!pool->memory.commit(pool->memory.context, s.pages_start, bytes)) {
        tarn_stack_push(&pool->space.trimmed, &pool->space.links, index);
        return false;
    }
    /* relaxed: figures for samples. */
    tarn_u64_fetch_add_relaxed(&pool->growth.committed_bytes, bytes);
    tarn_u32_store_relaxed(&pool->groups[index - 1].is_trimmed, 0);
    subtract_trimmed(pool, list(pool, index - 1));
    return true;
}

bool tarn_groups_restore_(tarn_pool *pool)
{
    /* E10 acquire: not 0 as long as a group is being restored, whose slots are then found. */
    if (tarn_u64_load_acquire(&pool->space.slots_trimmed) == 0)
        return false;
    if (!tarn_grow_begin_(pool))
        return false;
    bool restored = restore_one(pool);
    tarn_grow_end_(pool);
    return restored;
}

bool tarn_groups_is_trimmed_(const tarn_pool *pool, uint64_t slot)
{
    if (!pool->plan.has_groups)
        return false;
    /* relaxed: nobody else is at work. */
    return tarn_u32_load_relaxed(&pool->groups[slot >> pool->plan.group_shift].is_trimmed) != 0;
}

/* Lists again what is trimmed, since in a forked child a vanished thread may have had one. */
static void relist_trimmed(tarn_pool *pool, uint32_t used)
{
    uint64_t slots = 0;
    tarn_stack_take_all(&pool->space.trimmed, &pool->space.links);
    for (uint32_t i = used; i-- > 0;) {
        /* relaxed: the caller orders clear against every other use. */
        if (tarn_u32_load_relaxed(&pool->groups[i].is_trimmed) == 0)
            continue;
        slots += group_slots(pool) - retired(&pool->groups[i]);
        tarn_stack_push(&pool->space.trimmed, &pool->space.links, i + 1);
    }
    tarn_u64_store_relaxed(&pool->space.slots_trimmed, slots);
}

void tarn_groups_clear_(tarn_pool *pool)
{
    uint32_t used = tarn_groups_used_(pool);
    for (uint32_t i = 0; i < used; i++) {
        tarn_stack_take_all(&pool->groups[i].sorted, &pool->depot.slots);
        /* relaxed: the caller orders clear against every other use. */
        tarn_u32_store_relaxed(&pool->groups[i].count, 0);
    }
    if (used > 0)
        relist_trimmed(pool, used);
    /* relaxed: as above. */
    uint64_t word = tarn_u64_load_relaxed(&pool->space.sorted);
    add_sorted(pool, (uint64_t)-sorted_in(word));
    tarn_u32_store_relaxed(&pool->space.first, 0);
}
