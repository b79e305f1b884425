/* A stack of indices that any thread may push and pop, without a lock.
 *
 *   may overlap  push  pop   take_all    I1 an index is on one stack or has one owner, never both
 *   push         yes   yes   yes         I2 each successful change of head adds one to the tag seen
 *   pop          yes   yes   yes         I3 a link is an index in range, or TARN_INDEX_NONE
 *   take_all     yes   yes   yes
 *
 *   E1  push's CAS of head (release) -> pop's and take_all's read of head (acquire): the links, and
 *       whatever the pusher wrote before. Later CASes on head are read-modify-writes and so carry
 *       it on: for this a pop need not release.
 *   E11 push's and pop's CAS of head (release) -> peek (acquire): what its thread did to other
 *       stacks before. So looks at several stacks agree, see tarn_depot_is_dry.
 *
 * The head is one word, {tag, index}. Links lie outside the memory that is listed, one per index,
 * so that a late reader of a link touches an atomic word that always exists; the tag then makes its
 * CAS fail. R. K. Treiber, "Systems Programming: Coping with Parallelism" (IBM RJ 5118, 1986).
 *
 * The tag has every bit that the index leaves free, at least 32. To be fooled, a thread must sleep
 * between load and CAS for exactly as many changes of that head as the tag counts: 2^32 are 43
 * seconds at one change every 10 ns without a pause; the slots of a pool of capacity 64,000 have
 * 46 bits, 8 days, and its magazines 51, most of a year. */
#ifndef TARN_DEPOT_STACK_H
#define TARN_DEPOT_STACK_H

#include "base/atomic.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TARN_INDEX_NONE   0u
#define TARN_TAG_BITS_MIN 32u

/* What all stacks over one kind of index share; constant once set. */
typedef struct tarn_links {
    tarn_u32 *first;     /* the link of index 0, which is unused */
    size_t stride_bytes; /* from one link to the next */
    uint32_t index_max;  /* indices are 1..index_max */
    uint32_t index_bits; /* of the head; the rest is the tag */
} tarn_links;

typedef struct tarn_stack {
    tarn_u64 head;
} tarn_stack;

/* There are index_max + 1 links, all zero. */
void tarn_links_init(tarn_links *links, tarn_u32 *first, size_t stride_bytes, uint32_t index_max);

/* Links that belong to the caller, to build a chain for push_chain or to walk a taken one. */
void tarn_links_set(const tarn_links *links, uint32_t index, uint32_t next);
uint32_t tarn_links_get(const tarn_links *links, uint32_t index);

void tarn_stack_push(tarn_stack *stack, const tarn_links *links, uint32_t index);

/* first..last are linked already; last's link is overwritten. Returns the head that this made, as
 * tarn_stack_peek would have it. */
uint64_t tarn_stack_push_chain(tarn_stack *stack, const tarn_links *links, uint32_t first,
                               uint32_t last);

/* Returns TARN_INDEX_NONE when empty. */
uint32_t tarn_stack_pop(tarn_stack *stack, const tarn_links *links);

/* Takes up to count_max from the top in one step, in order. Returns how many. Each but the last
 * still links to the next. */
uint32_t tarn_stack_pop_some(tarn_stack *stack, const tarn_links *links, uint32_t count_max,
                             uint32_t *indices);

/* Takes everything. Returns the first of the chain, which is the caller's now. */
uint32_t tarn_stack_take_all(tarn_stack *stack, const tarn_links *links);

/* The index on top, as a hint that may be old at once. */
uint32_t tarn_stack_top(const tarn_stack *stack, const tarn_links *links);

/* A raw look at the head, tag included: equal twice means that nothing happened in between. */
uint64_t tarn_stack_peek(const tarn_stack *stack);
bool tarn_stack_head_is_empty(const tarn_links *links, uint64_t head);

#endif
