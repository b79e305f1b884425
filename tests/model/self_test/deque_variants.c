/* A work-stealing deque like the library's, at capacity 2, and an event count's two sides, with one
 * thing wrong at a time. */
#include "clients/ledger.h"
#include "engine/failure.h"
#include "engine/region.h"
#include "self_test/variants.h"

#include <stdatomic.h>

#define CAPACITY 2u
#define ITEMS    4u

typedef enum deque_fault {
    NO_FAULT,
    NO_FENCE_IN_TAKE,
    NO_FENCE_IN_STEAL,
    PUSH_RELAXED,
    TAKE_RELAXED,
    LAST_TAKEN_WITHOUT_CAS,
    STOLEN_BY_STORE,
    FULL_NOT_SEEN,
    NO_FENCE_AT_PUSH,
    NO_FENCE_AT_SLEEP,
    NO_SECOND_LOOK
} deque_fault;

static struct {
    deque_fault fault;
    _Atomic uint64_t top, bottom;
    _Atomic uint32_t places[CAPACITY];
    uint32_t items[ITEMS + 1];  /* plain */
    _Atomic uint32_t is_parked; /* the thief says that it sleeps */
    _Atomic uint32_t has_waked; /* it need not */
} world MODEL_STATE;

static bool is(deque_fault fault)
{
    return world.fault == fault;
}

static void got(uint32_t item)
{
    ledger_take(item);
    world.items[item]++;
}

static void push(uint32_t item)
{
    uint64_t bottom = atomic_load_explicit(&world.bottom, memory_order_relaxed);
    uint64_t top = atomic_load_explicit(&world.top, memory_order_acquire);
    if (bottom - top >= CAPACITY && !is(FULL_NOT_SEEN))
        return;
    world.items[item]++;
    ledger_give(item);
    atomic_store_explicit(&world.places[bottom % CAPACITY], item, memory_order_relaxed);
    atomic_store_explicit(&world.bottom, bottom + 1,
                          is(PUSH_RELAXED) ? memory_order_relaxed : memory_order_release);
}

static bool win(uint64_t top)
{
    return atomic_compare_exchange_strong_explicit(&world.top, &top, top + 1, memory_order_seq_cst,
                                                   memory_order_relaxed);
}

static bool take(void)
{
    memory_order order = is(TAKE_RELAXED) ? memory_order_relaxed : memory_order_release;
    uint64_t bottom = atomic_load_explicit(&world.bottom, memory_order_relaxed) - 1;
    atomic_store_explicit(&world.bottom, bottom, order);
    if (!is(NO_FENCE_IN_TAKE))
        atomic_thread_fence(memory_order_seq_cst);
    uint64_t top = atomic_load_explicit(&world.top, memory_order_relaxed);
    uint32_t item = atomic_load_explicit(&world.places[bottom % CAPACITY], memory_order_relaxed);
    bool has = (int64_t)(bottom - top) >= 0;
    if (has && bottom != top) {
        got(item);
        return true;
    }
    has = has && (is(LAST_TAKEN_WITHOUT_CAS) || win(top));
    if (is(LAST_TAKEN_WITHOUT_CAS) && has)
        atomic_store_explicit(&world.top, top + 1, memory_order_release);
    atomic_store_explicit(&world.bottom, bottom + 1, order);
    if (has)
        got(item);
    return has;
}

static bool steal(void)
{
    uint64_t top = atomic_load_explicit(&world.top, memory_order_acquire);
    if (!is(NO_FENCE_IN_STEAL))
        atomic_thread_fence(memory_order_seq_cst);
    uint64_t bottom = atomic_load_explicit(&world.bottom, memory_order_acquire);
    if ((int64_t)(bottom - top) <= 0)
        return false;
    uint32_t item = atomic_load_explicit(&world.places[top % CAPACITY], memory_order_relaxed);
    if (is(STOLEN_BY_STORE))
        atomic_store_explicit(&world.top, top + 1, memory_order_release);
    else if (!win(top))
        return false;
    got(item);
    return true;
}

static void set_up(deque_fault fault)
{
    ledger_clear();
    for (uint32_t item = 1; item <= ITEMS; item++)
        ledger_take(item);
    push(1);
    push(2);
    world.fault = fault;
    ledger_keep();
}

static void set_up_empty(deque_fault fault)
{
    ledger_clear();
    for (uint32_t item = 1; item <= ITEMS; item++)
        ledger_take(item);
    world.fault = fault;
    ledger_keep();
}

static void check(void)
{
    while (take())
        ;
    if (ledger_taken() != ITEMS)
        model_fail("%u of %u are left", ledger_taken(), ITEMS);
}
static void no_check(void)
{
}

static void take_two(void)
{
    take();
    take();
}
static void push_take(void)
{
    push(3);
    take();
}
static void push_push(void)
{
    push(3);
    push(4);
}
static void steal_one(void)
{
    steal();
}

/* ---- the event count ---- */

static void push_and_wake(void)
{
    push(3);
    if (!is(NO_FENCE_AT_PUSH))
        atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&world.is_parked, memory_order_relaxed) != 0)
        atomic_store_explicit(&world.has_waked, 1, memory_order_release);
}

/* Without steal's fence, which would do for the sleeper's. */
static bool looks_empty(void)
{
    return atomic_load_explicit(&world.bottom, memory_order_relaxed) ==
           atomic_load_explicit(&world.top, memory_order_relaxed);
}

/* Sleeps, which ends with a wake alone, unless it sees the item when it looks again. */
static void sleep_or_steal(void)
{
    if (steal())
        return;
    atomic_store_explicit(&world.is_parked, 1, memory_order_relaxed);
    if (!is(NO_FENCE_AT_SLEEP))
        atomic_thread_fence(memory_order_seq_cst);
    if (!is(NO_SECOND_LOOK) && !looks_empty() && steal())
        return;
    while (atomic_load_explicit(&world.has_waked, memory_order_acquire) == 0)
        model_yield();
    while (!steal())
        model_yield();
}

#define SET_UP(name, begin, fault) \
    static void name(void)         \
    {                              \
        begin(fault);              \
    }
SET_UP(right, set_up, NO_FAULT)
SET_UP(right_empty, set_up_empty, NO_FAULT)
SET_UP(no_fence_in_take, set_up, NO_FENCE_IN_TAKE)
SET_UP(no_fence_in_steal, set_up, NO_FENCE_IN_STEAL)
SET_UP(push_relaxed, set_up_empty, PUSH_RELAXED)
SET_UP(take_relaxed, set_up_empty, TAKE_RELAXED)
SET_UP(last_without_cas, set_up, LAST_TAKEN_WITHOUT_CAS)
SET_UP(stolen_by_store, set_up, STOLEN_BY_STORE)
SET_UP(full_not_seen, set_up, FULL_NOT_SEEN)
SET_UP(no_fence_at_push, set_up_empty, NO_FENCE_AT_PUSH)
SET_UP(no_fence_at_sleep, set_up_empty, NO_FENCE_AT_SLEEP)
SET_UP(no_second_look, set_up_empty, NO_SECOND_LOOK)

/* The owner's second take lowers bottom once more, so that a thief can read that store and not the
 * push before it. */
static void push_push_take(void)
{
    push(3);
    push(4);
    take();
}

static const variant_case variants[] = {
    VARIANT("deque", NULL, right, check, take_two, steal_one, steal_one),
    VARIANT("deque, pushed to", NULL, right, check, push_take, steal_one, steal_one),
    VARIANT("deque, round", NULL, right, check, push_push, steal_one, steal_one),
    VARIANT("no fence in take", "number", no_fence_in_take, check, take_two, steal_one, steal_one),
    VARIANT("no fence in steal", "number", no_fence_in_steal, check, take_two, steal_one,
            steal_one),
    VARIANT("deque, push relaxed", "data race", push_relaxed, check, push_push, steal_one),
    VARIANT("deque, take relaxed", "data race", take_relaxed, check, push_push_take, steal_one),
    VARIANT("last taken without CAS", "number", last_without_cas, check, take_two, steal_one,
            steal_one),
    VARIANT("stolen by a store", "number", stolen_by_store, check, steal_one, steal_one),
    VARIANT("deque, full not seen", "", full_not_seen, check, push_push, steal_one),
    VARIANT("event count", NULL, right_empty, no_check, push_and_wake, sleep_or_steal),
    VARIANT("no fence after a push", "no end", no_fence_at_push, no_check, push_and_wake,
            sleep_or_steal),
    VARIANT("no fence before sleep", "no end", no_fence_at_sleep, no_check, push_and_wake,
            sleep_or_steal),
    VARIANT("no look before sleep", "no end", no_second_look, no_check, push_and_wake,
            sleep_or_steal),
};

variant_list deque_variants(void)
{
    return VARIANT_LIST(variants);
}
