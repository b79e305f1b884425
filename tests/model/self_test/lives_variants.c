/* One slot whose lives are counted, like the library's, with one thing wrong at a time. */
#include "clients/ledger.h"
#include "clients/lives.h"
#include "engine/failure.h"
#include "engine/region.h"
#include "self_test/variants.h"

#include <stdatomic.h>

#define LIVES_MASK 3u /* two lives: 1 and 3 */
#define RETIRED    8u

typedef enum lives_fault {
    NO_FAULT,
    LIFE_NOT_COUNTED,
    END_BY_STORE,
    WRAPS,
    BEGIN_RELAXED,
    PUT_RELAXED,
    RESOLVES_ANY_LIFE
} lives_fault;

static struct {
    lives_fault fault;
    _Atomic uint32_t word; /* odd: live */
    _Atomic uint32_t is_free;
    _Atomic uint32_t published;
    uint32_t object; /* plain */
    uint32_t first;  /* the name of the life that the set-up began */
} world MODEL_STATE;

static bool is(lives_fault fault)
{
    return world.fault == fault;
}

/* Returns the life's name, 0 when the slot is not free. */
static uint32_t take(void)
{
    uint32_t is_free = 1;
    if (!atomic_compare_exchange_strong_explicit(&world.is_free, &is_free, 0, memory_order_acquire,
                                                 memory_order_acquire))
        return 0;
    uint32_t word = atomic_load_explicit(&world.word, memory_order_relaxed) + 1;
    world.object++;
    atomic_store_explicit(&world.word, word,
                          is(BEGIN_RELAXED) ? memory_order_relaxed : memory_order_release);
    lives_began(word, 0);
    return word;
}

static uint32_t word_after(uint32_t word)
{
    if (is(LIFE_NOT_COUNTED))
        return word - 1;
    if ((word & LIVES_MASK) == LIVES_MASK)
        return is(WRAPS) ? 0 : RETIRED;
    return word + 1;
}

static bool end(uint32_t name)
{
    if (is(END_BY_STORE)) {
        if (atomic_load_explicit(&world.word, memory_order_relaxed) != name)
            return false;
        atomic_store_explicit(&world.word, word_after(name), memory_order_relaxed);
        return true;
    }
    uint32_t word = name;
    return atomic_compare_exchange_strong_explicit(&world.word, &word, word_after(name),
                                                   memory_order_relaxed, memory_order_relaxed);
}

static void release(uint32_t name)
{
    lives_end_begins(name);
    bool ended = end(name);
    lives_end_done(name, ended);
    if (ended && word_after(name) != RETIRED)
        atomic_store_explicit(&world.is_free, 1,
                              is(PUT_RELAXED) ? memory_order_relaxed : memory_order_release);
}

static bool resolve(uint32_t name)
{
    uint32_t word = atomic_load_explicit(&world.word, memory_order_acquire);
    bool found = is(RESOLVES_ANY_LIFE) ? (word & 1) : word == name;
    lives_resolved(name, found);
    return found;
}

static void begin_run(void)
{
    ledger_begin_run();
    lives_begin_run();
}

static void set_up_with(lives_fault fault)
{
    ledger_clear();
    lives_clear();
    world.fault = fault;
    atomic_store(&world.is_free, 1);
    world.first = take();
    ledger_keep();
    lives_keep();
}
static void right(void)
{
    set_up_with(NO_FAULT);
}
static void life_not_counted(void)
{
    set_up_with(LIFE_NOT_COUNTED);
}
static void end_by_store(void)
{
    set_up_with(END_BY_STORE);
}
static void wraps(void)
{
    set_up_with(WRAPS);
}
static void begin_relaxed(void)
{
    set_up_with(BEGIN_RELAXED);
}
static void put_relaxed(void)
{
    set_up_with(PUT_RELAXED);
}
static void resolves_any_life(void)
{
    set_up_with(RESOLVES_ANY_LIFE);
}

static void release_first(void)
{
    release(world.first);
}
static void release_take(void)
{
    release_first();
    uint32_t name = take();
    atomic_store_explicit(&world.published, name, memory_order_relaxed);
}
static void take_release_take(void)
{
    uint32_t name = take();
    if (name == 0)
        return;
    release(name);
    take();
}
static void resolve_first(void)
{
    resolve(world.first);
}
static void take_resolve_first(void)
{
    take();
    resolve_first();
}
static void resolve_published(void)
{
    uint32_t name = atomic_load_explicit(&world.published, memory_order_relaxed);
    if (name != 0 && resolve(name) && world.object == 0)
        model_fail("the object is not what its life began with");
}

static void no_check(void)
{
}

#define LIVES(name, expected, set_up, ...)                                            \
    {                                                                                 \
        {name,          set_up,                                                       \
         {__VA_ARGS__}, sizeof((model_body *[]){__VA_ARGS__}) / sizeof(model_body *), \
         begin_run,     no_check},                                                    \
            expected, false                                                           \
    }

static const variant_case variants[] = {
    LIVES("lives", NULL, right, release_take, release_take),
    LIVES("lives, short", NULL, right, release_first, take_release_take),
    LIVES("lives, resolved", NULL, right, release_first, take_resolve_first),
    LIVES("lives, seen", NULL, right, release_take, resolve_published),
    LIVES("life not counted", "a second time", life_not_counted, release_take, release_first),
    LIVES("life ended by load and store", "ended twice", end_by_store, release_first,
          release_first),
    LIVES("lives wrap", "a second time", wraps, release_first, take_release_take),
    LIVES("life begun relaxed", "data race", begin_relaxed, release_take, resolve_published),
    LIVES("slot put back relaxed", "data race", put_relaxed, release_take, take_release_take),
    LIVES("any life resolved", "is resolved", resolves_any_life, release_first, take_resolve_first),
};

variant_list lives_variants(void)
{
    return VARIANT_LIST(variants);
}
