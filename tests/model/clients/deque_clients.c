/* The deque at capacity 2, and where low lags at 8: its owner and two thieves. */
#include "clients/entry.h"
#include "clients/ledger.h"
#include "engine/failure.h"
#include "engine/region.h"
#include "engine/trace.h"
#include "jobs/deque.h"

#include <stdio.h>

#define CAPACITY     2u
#define CAPACITY_MAX 8u
#define ITEMS        7u

static struct {
    tarn_deque deque;
    tarn_u64 places[CAPACITY_MAX];
    uint32_t items[ITEMS + 1]; /* plain: whoever has one writes it */
} world MODEL_STATE;

static void name(const void *address, char *text, uint32_t bytes)
{
    if (address == &world.deque.top)
        snprintf(text, bytes, "top");
    if (address == &world.deque.bottom)
        snprintf(text, bytes, "bottom");
    if (address == &world.deque.low)
        snprintf(text, bytes, "low");
    for (uint32_t i = 0; i < CAPACITY_MAX; i++)
        if (address == &world.places[i])
            snprintf(text, bytes, "place %u", i);
    for (uint32_t i = 1; i <= ITEMS; i++)
        if (address == &world.items[i])
            snprintf(text, bytes, "item %u", i);
}

static void got(void *item)
{
    uint32_t number = (uint32_t)((uint32_t *)item - world.items);
    ledger_take(number);
    world.items[number]++;
}

static void push(uint32_t number)
{
    world.items[number]++;
    ledger_give(number);
    if (!tarn_deque_push(&world.deque, &world.items[number]))
        ledger_take(number);
}

static bool take(void)
{
    void *item = tarn_deque_take(&world.deque);
    if (item)
        got(item);
    return item != NULL;
}

static void steal(void)
{
    void *items[CAPACITY];
    uint32_t count = CAPACITY; /* or as many as the deque lets have at once */
    if (tarn_deque_steal_some(&world.deque, items, &count) != TARN_STEAL_DONE)
        return;
    for (uint32_t i = 0; i < count; i++)
        got(items[i]);
}

static void set_up_with(uint32_t pushed, uint64_t lag, uint64_t steals_max)
{
    model_trace_set_namer(name);
    ledger_clear();
    tarn_deque_init(&world.deque, world.places, lag ? CAPACITY_MAX : CAPACITY);
    world.deque.lag = lag;
    world.deque.steals_max = steals_max;
    for (uint32_t number = pushed + 1; number <= ITEMS; number++)
        ledger_take(number);
    for (uint32_t number = 1; number <= pushed; number++)
        tarn_deque_push(&world.deque, &world.items[number]);
    ledger_keep();
}
static void set_up(void)
{
    set_up_with(0, 0, 1);
}
static void set_up_one(void)
{
    set_up_with(1, 0, 1);
}
static void set_up_two(void)
{
    set_up_with(2, 0, 1);
}

/* With a lag of 1, low is 3 once three were pushed; with 2, it is 5 once five were. */
static void set_up_lag(void)
{
    set_up_with(3, 1, 1);
}
static void set_up_some(void)
{
    set_up_with(3, 1, 2);
}
static void set_up_four(void)
{
    set_up_with(4, 1, 2);
}
static void set_up_far(void)
{
    set_up_with(5, 2, 2);
}

/* Each item is in the deque or has an owner. A stopped thread may have had one in its hands. */
static void check(void)
{
    while (take())
        ;
    if (ledger_taken() != ITEMS && !model_has_stopped())
        model_fail("%u of %u are left", ledger_taken(), ITEMS);
}

static void take_one(void)
{
    take();
}
static void take_two(void)
{
    take();
    take();
}
static void take_three(void)
{
    take();
    take();
    take();
}
static void take_four(void)
{
    take();
    take();
    take();
    take();
}
static void take_four_push_two(void)
{
    take_four();
    push(6);
    push(7);
}
static void push_three_take_two(void)
{
    push(5);
    push(6);
    push(7);
    take_two();
}
static void push_two_take(void)
{
    push(5);
    push(6);
    take();
}
static void push_one(void)
{
    push(3);
}
static void push_take(void)
{
    push(3);
    take();
}
static void take_push(void)
{
    take();
    push(3);
}
static void take_push_take(void)
{
    take();
    push(3);
    take();
}
static void take_push_more_take(void)
{
    take();
    push(4);
    push(5);
    take_two();
}
static void push_two_take_two(void)
{
    push(3);
    push(4);
    take_two();
}
/* Round the two places: what is full is refused until a thief has taken. */
static void push_round(void)
{
    push(3);
    push(4);
    push(5);
    take();
}
static void steal_one(void)
{
    steal();
}
static void steal_two(void)
{
    steal();
    steal();
}

static void steal_four(void)
{
    steal_two();
    steal_two();
}

#define CLIENT(name, begin, ...) \
    CLIENT_ENTRY("deque_" name, CLIENT_LOCK_FREE, begin, check, __VA_ARGS__)

static const client_entry clients[] = {
    CLIENT("take_steal", set_up_one, take_one, steal_one),
    CLIENT("take_steal_of_two", set_up_two, take_two, steal_one),
    CLIENT("push_steal", set_up, push_one, steal_two),
    CLIENT("push_take_steal", set_up, push_take, steal_one),
    CLIENT("take_push", set_up_two, take_push, steal_two),
    CLIENT("take_push_take", set_up_one, take_push_take, steal_two),
    CLIENT("round", set_up_two, push_round, steal_two),
    CLIENT("round_from_one", set_up_one, push_round, steal_two),
    CLIENT("steal_steal", set_up_two, steal_one, steal_one),
    CLIENT("take_steal_steal", set_up_two, take_one, steal_one, steal_one),
    CLIENT("take_three_steal_steal", set_up_two, take_three, steal_one, steal_one),
    CLIENT("push_take_steal_steal", set_up, push_two_take_two, steal_one, steal_one),
    CLIENT("round_steal_steal", set_up_two, push_round, steal_one, steal_one),
    CLIENT("lag_take_three", set_up_lag, take_three, steal_two),
    CLIENT("lag_take_three_steal_steal", set_up_lag, take_three, steal_one, steal_one),
    CLIENT("some_take_three", set_up_some, take_three, steal_two),
    CLIENT("some_take_three_steal_steal", set_up_some, take_three, steal_one, steal_one),
    CLIENT("some_take_push_take", set_up_some, take_push_more_take, steal_two),
    CLIENT("some_of_four", set_up_four, take_three, steal_two),
    CLIENT("some_of_four_steal_steal", set_up_four, take_two, steal_one, steal_one),
    CLIENT("some_push_three", set_up_four, push_three_take_two, steal_two),
    CLIENT("some_after_the_oldest", set_up_four, push_two_take, steal_four),
    CLIENT("far_take_four", set_up_far, take_four, steal_two),
    CLIENT("far_take_four_steal_steal", set_up_far, take_four, steal_one, steal_one),
    CLIENT("far_take_four_push_two", set_up_far, take_four_push_two, steal_two),
    CLIENT("take_push_steal_steal", set_up_two, take_push_take, steal_one, steal_one),
};

client_list deque_clients(void)
{
    return CLIENT_LIST(clients);
}
