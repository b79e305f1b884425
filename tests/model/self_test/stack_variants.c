/* A tagged stack like the library's, with one thing wrong at a time. */
#include "clients/ledger.h"
#include "engine/failure.h"
#include "engine/region.h"
#include "self_test/variants.h"

#include <stdatomic.h>

#define INDEX_MAX 4u

typedef enum stack_fault {
    NO_FAULT,
    NO_TAG,
    TAG_OF_TWO_BITS,
    TAG_FROM_STALE_COPY,
    TAKE_ALL_WITHOUT_TAG,
    PUSH_RELAXED,
    POP_RELAXED,
    LINK_IN_OBJECT,
    PUSH_BY_STORE,
    WEAK_TAKEN_FOR_STRONG,
    LINK_NOT_READ_AGAIN,
    SPIN_LOCK,
    SPIN_LOCK_RELAXED
} stack_fault;

static struct {
    stack_fault fault;
    _Atomic uint64_t head; /* tag << 32 | index */
    _Atomic uint32_t links[INDEX_MAX + 1];
    uint32_t objects[INDEX_MAX + 1]; /* plain */
    _Atomic uint32_t lock;
    uint32_t pushes_and_pops; /* plain, under the lock */
} world MODEL_STATE;

static bool is(stack_fault fault)
{
    return world.fault == fault;
}

static uint64_t head_after(uint64_t tag_seen, uint32_t index)
{
    uint64_t tag = tag_seen + 1;
    if (is(NO_TAG))
        tag = 0;
    if (is(TAG_OF_TWO_BITS))
        tag &= 3;
    return tag << 32 | index;
}

static uint32_t link_of(uint32_t index)
{
    if (is(LINK_IN_OBJECT))
        return world.objects[index];
    return atomic_load_explicit(&world.links[index], memory_order_relaxed);
}

static void set_link(uint32_t index, uint32_t next)
{
    if (is(LINK_IN_OBJECT))
        world.objects[index] = next;
    else
        atomic_store_explicit(&world.links[index], next, memory_order_relaxed);
}

static bool cas(uint64_t *seen, uint64_t desired, bool releases)
{
    if (releases)
        return atomic_compare_exchange_weak_explicit(
            &world.head, seen, desired,
            is(PUSH_RELAXED) ? memory_order_relaxed : memory_order_release, memory_order_relaxed);
    if (is(POP_RELAXED))
        return atomic_compare_exchange_weak_explicit(&world.head, seen, desired,
                                                     memory_order_relaxed, memory_order_relaxed);
    return atomic_compare_exchange_weak_explicit(&world.head, seen, desired, memory_order_acquire,
                                                 memory_order_acquire);
}

static void lock(void)
{
    memory_order order = is(SPIN_LOCK_RELAXED) ? memory_order_relaxed : memory_order_acquire;
    while (atomic_exchange_explicit(&world.lock, 1, order) != 0)
        model_yield();
    world.pushes_and_pops++;
}

static void unlock(void)
{
    atomic_store_explicit(&world.lock, 0, memory_order_release);
}

static bool has_lock(void)
{
    return is(SPIN_LOCK) || is(SPIN_LOCK_RELAXED);
}

static void push(uint32_t index)
{
    ledger_give(index);
    if (has_lock())
        lock();
    uint64_t head = atomic_load_explicit(&world.head, memory_order_relaxed);
    do {
        set_link(index, (uint32_t)head);
        if (is(PUSH_BY_STORE)) {
            atomic_store_explicit(&world.head, head_after(head >> 32, index), memory_order_release);
            break;
        }
    } while (!cas(&head, head_after(head >> 32, index), true) && !is(WEAK_TAKEN_FOR_STRONG));
    if (has_lock())
        unlock();
}

static uint32_t pop_loop(void)
{
    uint64_t head = atomic_load_explicit(&world.head, is(POP_RELAXED) ? memory_order_relaxed
                                                                      : memory_order_acquire);
    uint64_t tag = head >> 32;
    uint32_t next = link_of((uint32_t)head);
    for (;;) {
        uint32_t index = (uint32_t)head;
        if (index == 0)
            return 0;
        if (!is(LINK_NOT_READ_AGAIN))
            next = link_of(index);
        if (!is(TAG_FROM_STALE_COPY))
            tag = head >> 32;
        if (cas(&head, head_after(tag, next), false))
            return index;
        tag++;
    }
}

static uint32_t pop(void)
{
    if (has_lock())
        lock();
    uint32_t index = pop_loop();
    if (has_lock())
        unlock();
    if (index == 0)
        return 0;
    ledger_take(index);
    if (!is(LINK_IN_OBJECT))
        world.objects[index]++;
    else
        world.objects[index] = 0;
    return index;
}

static void set_up(stack_fault fault)
{
    ledger_clear();
    world.fault = fault;
    for (uint32_t i = 3; i >= 1; i--) {
        set_link(i, (uint32_t)atomic_load(&world.head));
        atomic_store(&world.head, head_after(atomic_load(&world.head) >> 32, i));
    }
    ledger_take(4);
    ledger_keep();
}

static void check(void)
{
    while (pop() != 0)
        ;
    if (ledger_taken() != INDEX_MAX && !model_has_stopped())
        model_fail("%u of %u are left", ledger_taken(), INDEX_MAX);
}

/* With a lock that a stopped thread holds, the stack cannot be looked at. */
static void no_check(void)
{
}

static void pop_one(void)
{
    pop();
}

static void pop_push(void)
{
    uint32_t index = pop();
    if (index != 0)
        push(index);
}

static void pop_two_push_first(void)
{
    uint32_t first = pop();
    pop();
    if (first != 0)
        push(first);
}

/* Four changes: a whole turn of a tag of two bits. */
static void pop_three_push_first(void)
{
    uint32_t first = pop();
    pop();
    pop();
    if (first != 0)
        push(first);
}

/* Puts the first two places back in another order, by six changes of the head. One thread that saw
 * the head before the first, and one that saw it after the second, together undo the tag. */
static void rearrange(void)
{
    push(4);
    pop();
    uint32_t first = pop();
    pop();
    if (first == 0)
        return;
    push(first);
    if (ledger_is_own(4))
        push(4);
}

static void push_four(void)
{
    push(4);
}

static void take_all_push_first(void)
{
    uint64_t head = atomic_load_explicit(&world.head, memory_order_acquire);
    while ((uint32_t)head != 0) {
        uint64_t tag = is(TAKE_ALL_WITHOUT_TAG) ? (head >> 32) - 1 : head >> 32;
        if (cas(&head, head_after(tag, 0), false))
            break;
    }
    for (uint32_t index = (uint32_t)head; index != 0; index = link_of(index))
        ledger_take(index);
    /* Back under the tag that the first push would have had: what a forgotten step comes to. */
    if ((uint32_t)head == 0)
        return;
    ledger_give((uint32_t)head);
    set_link((uint32_t)head, 0);
    uint64_t seen = atomic_load_explicit(&world.head, memory_order_relaxed);
    uint64_t tag = is(TAKE_ALL_WITHOUT_TAG) ? (seen >> 32) - 1 : seen >> 32;
    while (!cas(&seen, head_after(tag, (uint32_t)head), true))
        tag = seen >> 32;
}

#define SET_UP(name, fault) \
    static void name(void)  \
    {                       \
        set_up(fault);      \
    }
SET_UP(right, NO_FAULT)
SET_UP(no_tag, NO_TAG)
SET_UP(two_bits, TAG_OF_TWO_BITS)
SET_UP(stale_copy, TAG_FROM_STALE_COPY)
SET_UP(take_all_untagged, TAKE_ALL_WITHOUT_TAG)
SET_UP(push_relaxed, PUSH_RELAXED)
SET_UP(pop_relaxed, POP_RELAXED)
SET_UP(link_in_object, LINK_IN_OBJECT)
SET_UP(push_by_store, PUSH_BY_STORE)
SET_UP(weak_for_strong, WEAK_TAKEN_FOR_STRONG)
SET_UP(link_not_read_again, LINK_NOT_READ_AGAIN)
SET_UP(spin_lock, SPIN_LOCK)
SET_UP(spin_lock_relaxed, SPIN_LOCK_RELAXED)

static const variant_case variants[] = {
    VARIANT("stack", NULL, right, check, pop_one, pop_two_push_first),
    VARIANT("stack, three threads", NULL, right, check, pop_push, pop_push, push_four),
    VARIANT("stack, rearranged", NULL, right, check, pop_one, rearrange, pop_one),
    VARIANT("stack, taken whole", NULL, right, check, pop_one, take_all_push_first),
    VARIANT_STOPS("stack, a thread stops", NULL, right, check, pop_push, pop_push),
    VARIANT("no tag", "number 2", no_tag, check, pop_one, pop_two_push_first),
    VARIANT("a tag of two bits wraps", "number", two_bits, check, pop_one, pop_three_push_first),
    VARIANT("a tag from a stale copy", "number 2", stale_copy, check, pop_one, rearrange, pop_one),
    VARIANT("take-all without tag", "number", take_all_untagged, check, pop_one,
            take_all_push_first),
    VARIANT("push relaxed", "data race", push_relaxed, check, pop_push, pop_push),
    VARIANT("pop relaxed", "data race", pop_relaxed, check, pop_push, pop_push),
    VARIANT("link in the object", "data race", link_in_object, check, pop_push, pop_push),
    VARIANT("push by load and store", "are left", push_by_store, check, pop_push, push_four),
    VARIANT("weak CAS taken for strong", "are left", weak_for_strong, check, push_four, pop_one),
    VARIANT("link not read again", "number", link_not_read_again, check, pop_one, pop_push),
    VARIANT("spin lock", NULL, spin_lock, check, pop_push, pop_push),
    VARIANT("spin lock, acquired relaxed", "data race", spin_lock_relaxed, check, pop_push,
            pop_push),
    VARIANT_STOPS("spin lock, a thread stops", "no end", spin_lock, no_check, pop_push, pop_push),
};

variant_list stack_variants(void)
{
    return VARIANT_LIST(variants);
}
