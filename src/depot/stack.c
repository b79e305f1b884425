#include "depot/stack.h"

#include "base/assert.h"
#include "base/backoff.h"
#include "base/size.h"

void tarn_links_init(tarn_links *links, tarn_u32 *first, size_t stride_bytes, uint32_t index_max)
{
    links->first = first;
    links->stride_bytes = stride_bytes;
    links->index_max = index_max;
    links->index_bits = tarn_bits_for(index_max);
    TARN_ASSERT(64 - links->index_bits >= TARN_TAG_BITS_MIN);
}

static tarn_u32 *link_of(const tarn_links *links, uint32_t index)
{
    TARN_ASSERT(index != TARN_INDEX_NONE && index <= links->index_max);
    return (tarn_u32 *)((char *)links->first + index * links->stride_bytes);
}

void tarn_links_set(const tarn_links *links, uint32_t index, uint32_t next)
{
    /* relaxed: E1's release publishes it with the chain; a late popper's read is discarded. */
    tarn_u32_store_relaxed(link_of(links, index), next);
}

uint32_t tarn_links_get(const tarn_links *links, uint32_t index)
{
    /* relaxed: the head that named this index was read with acquire, E1. */
    return tarn_u32_load_relaxed(link_of(links, index));
}

static uint32_t index_of(const tarn_links *links, uint64_t head)
{
    return (uint32_t)(head & (((uint64_t)1 << links->index_bits) - 1));
}

/* The only place that makes a head: the tag always comes from the head that the CAS compares with,
 * so two threads can never publish the same (tag, index). Unsigned wrap-around is meant. */
static uint64_t head_after(const tarn_links *links, uint64_t seen, uint32_t index)
{
    uint64_t tag = (seen >> links->index_bits) + 1;
    return tag << links->index_bits | index;
}

void tarn_stack_push(tarn_stack *stack, const tarn_links *links, uint32_t index)
{
    tarn_stack_push_chain(stack, links, index, index);
}

uint64_t tarn_stack_push_chain(tarn_stack *stack, const tarn_links *links, uint32_t first,
                               uint32_t last)
{
    tarn_backoff backoff = TARN_BACKOFF_INIT;
    /* relaxed: a push reads nothing through the head. */
    uint64_t head = tarn_u64_load_relaxed(&stack->head);
    for (;;) {
        uint64_t made = head_after(links, head, first);
        tarn_links_set(links, last, index_of(links, head));
        /* E1 release: the chain's links and magazines. E11 release: as in pop. */
        if (tarn_u64_cas_weak_release(&stack->head, &head, made))
            return made;
        tarn_backoff_wait(&backoff);
    }
}

uint32_t tarn_stack_pop(tarn_stack *stack, const tarn_links *links)
{
    tarn_backoff backoff = TARN_BACKOFF_INIT;
    /* E1 acquire: the link of the index that the head names. */
    uint64_t head = tarn_u64_load_acquire(&stack->head);
    for (;;) {
        uint32_t index = index_of(links, head);
        if (index == TARN_INDEX_NONE)
            return TARN_INDEX_NONE;
        uint32_t next = tarn_links_get(links, index);
        /* E1 acquire: on failure too, since the next round follows the new head's link.
         * E11 release: what this thread did to other stacks before. */
        if (tarn_u64_cas_weak_acq_rel(&stack->head, &head, head_after(links, head, next)))
            return index;
        tarn_backoff_wait(&backoff);
    }
}

/* Collects up to count_max indices from the chain at `first`. The links may be changing under the
 * reader: any value is in range (I3), and the caller's CAS decides whether the walk counts.
 * Returns how many, and in *rest what follows them. */
static uint32_t walk(const tarn_links *links, uint32_t first, uint32_t count_max, uint32_t *indices,
                     uint32_t *rest)
{
    uint32_t count = 0;
    uint32_t index = first;
    while (index != TARN_INDEX_NONE && count < count_max) {
        indices[count++] = index;
        index = tarn_links_get(links, index);
    }
    *rest = index;
    return count;
}

uint32_t tarn_stack_pop_some(tarn_stack *stack, const tarn_links *links, uint32_t count_max,
                             uint32_t *indices)
{
    tarn_backoff backoff = TARN_BACKOFF_INIT;
    /* E1 acquire: the links of all pushers whose chains the walk crosses. */
    uint64_t head = tarn_u64_load_acquire(&stack->head);
    for (;;) {
        uint32_t rest = TARN_INDEX_NONE;
        uint32_t count = walk(links, index_of(links, head), count_max, indices, &rest);
        if (count == 0)
            return 0;
        /* E1 acquire, E11 release: as in pop. */
        if (tarn_u64_cas_weak_acq_rel(&stack->head, &head, head_after(links, head, rest)))
            return count;
        tarn_backoff_wait(&backoff);
    }
}

uint32_t tarn_stack_take_all(tarn_stack *stack, const tarn_links *links)
{
    /* E1 acquire: all links of the chain that is taken. */
    uint64_t head = tarn_u64_load_acquire(&stack->head);
    for (;;) {
        uint32_t first = index_of(links, head);
        if (first == TARN_INDEX_NONE)
            return TARN_INDEX_NONE;
        /* E1 acquire: as in pop. */
        if (tarn_u64_cas_weak_acquire(&stack->head, &head,
                                      head_after(links, head, TARN_INDEX_NONE)))
            return first;
    }
}

uint32_t tarn_stack_top(const tarn_stack *stack, const tarn_links *links)
{
    /* relaxed: nothing may be read through a hint. */
    return index_of(links, tarn_u64_load_relaxed(&stack->head));
}

uint64_t tarn_stack_peek(const tarn_stack *stack)
{
    /* E11 acquire: looks at other stacks that follow see what led to this head. */
    return tarn_u64_load_acquire(&stack->head);
}

bool tarn_stack_head_is_empty(const tarn_links *links, uint64_t head)
{
    return index_of(links, head) == TARN_INDEX_NONE;
}
