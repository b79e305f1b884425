/* The stack alone: every pair of its operations, on a stack of three. */
#include "clients/entry.h"
#include "clients/ledger.h"
#include "depot/stack.h"
#include "engine/failure.h"
#include "engine/region.h"
#include "engine/trace.h"

#include <stdio.h>
#include <string.h>

#define INDEX_MAX 5u

static struct {
    tarn_stack stack;
    tarn_links links;
    tarn_u32 next[INDEX_MAX + 1];
    uint32_t payload[INDEX_MAX + 1]; /* plain: an owner writes it, the next one reads it */
} world MODEL_STATE;

static void name(const void *address, char *text, uint32_t bytes)
{
    if (address == &world.stack.head)
        snprintf(text, bytes, "head");
    for (uint32_t i = 1; i <= INDEX_MAX; i++) {
        if (address == &world.next[i])
            snprintf(text, bytes, "link %u", i);
        if (address == &world.payload[i])
            snprintf(text, bytes, "payload %u", i);
    }
}

static void take(uint32_t index)
{
    ledger_take(index);
    world.payload[index]++;
}

static void give(uint32_t index)
{
    world.payload[index]++;
    ledger_give(index);
}

static void push(uint32_t index)
{
    give(index);
    tarn_stack_push(&world.stack, &world.links, index);
}

static uint32_t pop(void)
{
    uint32_t index = tarn_stack_pop(&world.stack, &world.links);
    if (index != TARN_INDEX_NONE)
        take(index);
    return index;
}

/* On the stack, from the top: 1, 2, 3. Thread 0 keeps 4 and 5 for whoever pushes them. */
static void set_up(void)
{
    model_trace_set_namer(name);
    ledger_clear();
    tarn_links_init(&world.links, world.next, sizeof world.next[0], INDEX_MAX);
    for (uint32_t index = 3; index >= 1; index--)
        tarn_stack_push(&world.stack, &world.links, index);
    ledger_take(4);
    ledger_take(5);
    ledger_keep();
}

static void narrow(uint32_t tag_bits)
{
    set_up();
    world.links.index_bits = 64 - tag_bits;
}
static void set_up_tag_2(void)
{
    narrow(2);
}
static void set_up_tag_3(void)
{
    narrow(3);
}
static void set_up_tag_8(void)
{
    narrow(8);
}

/* Each index is on the stack or has an owner. A stopped thread may have had one in its hands. */
static void check(void)
{
    for (uint32_t index = pop(); index != TARN_INDEX_NONE; index = pop())
        ;
    if (ledger_taken() != INDEX_MAX && !model_has_stopped())
        model_fail("%u of %u are left", ledger_taken(), INDEX_MAX);
}

static void pop_one(void)
{
    pop();
}

static void pop_push(void)
{
    uint32_t index = pop();
    if (index != TARN_INDEX_NONE)
        push(index);
}

/* What makes a head come back with another link behind it. */
static void pop_two_push_first(void)
{
    uint32_t first = pop();
    pop();
    if (first != TARN_INDEX_NONE)
        push(first);
}

static void push_four(void)
{
    push(4);
}

static void push_five(void)
{
    push(5);
}

static void push_chain(void)
{
    give(4);
    give(5);
    tarn_links_set(&world.links, 4, 5);
    tarn_stack_push_chain(&world.stack, &world.links, 4, 5);
}

static void pop_some(void)
{
    uint32_t indices[2];
    uint32_t count = tarn_stack_pop_some(&world.stack, &world.links, 2, indices);
    for (uint32_t i = 0; i < count; i++)
        take(indices[i]);
}

static void pop_some_push_last(void)
{
    uint32_t indices[2];
    uint32_t count = tarn_stack_pop_some(&world.stack, &world.links, 2, indices);
    for (uint32_t i = 0; i < count; i++)
        take(indices[i]);
    if (count == 2)
        push(indices[0]);
}

/* Walks what it took, and puts the first back: the same top over nothing. */
static void take_all_push_first(void)
{
    uint32_t first = tarn_stack_take_all(&world.stack, &world.links);
    for (uint32_t index = first; index != TARN_INDEX_NONE;) {
        uint32_t next = tarn_links_get(&world.links, index);
        take(index);
        index = next;
    }
    if (first != TARN_INDEX_NONE)
        push(first);
}

static void take_all(void)
{
    uint32_t index = tarn_stack_take_all(&world.stack, &world.links);
    while (index != TARN_INDEX_NONE) {
        uint32_t next = tarn_links_get(&world.links, index);
        take(index);
        index = next;
    }
}

/* Changes the head that many times, a full turn of a narrow tag. The same index is on top at the
 * end as at the beginning, but over nothing: what was second belongs to this thread now. */
static void turn(uint32_t changes)
{
    uint32_t first = pop();
    pop();
    pop();
    for (uint32_t done = 4; done < changes; done += 2) {
        if (ledger_is_own(4))
            push(4);
        pop();
    }
    if (first != TARN_INDEX_NONE)
        push(first);
}
static void turn_2(void)
{
    turn(4);
}
static void turn_3(void)
{
    turn(8);
}
static void turn_8(void)
{
    turn(256);
}

#define CLIENT(name, ...)      CLIENT_ENTRY(name, CLIENT_LOCK_FREE, set_up, check, __VA_ARGS__)
#define WRAP(name, begin, ...) CLIENT_ENTRY(name, CLIENT_WRAPS, begin, check, __VA_ARGS__)

static const client_entry clients[] = {
    CLIENT("stack_pop_pop", pop_push, pop_push),
    CLIENT("stack_push_push", push_four, push_five),
    CLIENT("stack_push_pop", push_four, pop_push),
    CLIENT("stack_aba", pop_one, pop_two_push_first),
    CLIENT("stack_aba_3", pop_one, pop_two_push_first, push_four),
    CLIENT("stack_pop_pop_3", pop_push, pop_push, pop_push),
    CLIENT("stack_chain", push_chain, pop_two_push_first),
    CLIENT("stack_chain_3", push_chain, pop_one, pop_some),
    CLIENT("stack_pop_some", pop_some, pop_two_push_first),
    CLIENT("stack_pop_some_both", pop_some_push_last, pop_some_push_last),
    CLIENT("stack_pop_some_3", pop_some, pop_two_push_first, push_four),
    CLIENT("stack_take_all", take_all, push_chain),
    CLIENT("stack_take_all_aba", pop_one, take_all_push_first),
    CLIENT("stack_take_all_both", take_all_push_first, take_all_push_first),
    CLIENT("stack_take_all_3", take_all, pop_push, push_four),
    CLIENT("stack_turn_of_full_width", pop_one, turn_3),
    WRAP("stack_turn_of_2_bits", set_up_tag_2, pop_one, turn_2),
    WRAP("stack_turn_of_3_bits", set_up_tag_3, pop_one, turn_3),
    WRAP("stack_turn_of_8_bits", set_up_tag_8, pop_one, turn_8),
};

client_list stack_clients(void)
{
    return CLIENT_LIST(clients);
}
