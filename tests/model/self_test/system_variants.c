/* What pools are built of besides stacks, and what the model supplies in place of the system. */
#include "base/thread.h"
#include "clients/ledger.h"
#include "engine/failure.h"
#include "engine/region.h"
#include "engine/system.h"
#include "self_test/variants.h"

#include <stdatomic.h>

#define LEFT  1u
#define SLOTS 4u

static struct {
    _Atomic uint32_t owner, carved, shelf, work, epoch, waiters;
    uint32_t content;
    tarn_mutex first, second;
    bool rechecks;
} world MODEL_STATE;

static _Thread_local uint32_t private_count;

static void set_up(void)
{
    ledger_clear();
    atomic_store(&world.owner, LEFT);
    atomic_store(&world.shelf, 1);
    world.rechecks = true;
}
static void set_up_careless(void)
{
    set_up();
    world.rechecks = false;
}

static void no_check(void)
{
}

/* Adoption of what an ended thread left. */
static void adopt(void)
{
    uint32_t owner = LEFT;
    if (atomic_compare_exchange_strong_explicit(&world.owner, &owner, 8 + model_self(),
                                                memory_order_acquire, memory_order_acquire))
        ledger_take(0);
}
static void adopt_by_store(void)
{
    if (atomic_load_explicit(&world.owner, memory_order_acquire) != LEFT)
        return;
    atomic_store_explicit(&world.owner, 8 + model_self(), memory_order_relaxed);
    ledger_take(0);
}

/* Handing out slots never used before. */
static void carve(void)
{
    uint32_t carved = atomic_load_explicit(&world.carved, memory_order_relaxed);
    while (carved < SLOTS)
        if (atomic_compare_exchange_weak_explicit(&world.carved, &carved, carved + 1,
                                                  memory_order_relaxed, memory_order_relaxed)) {
            ledger_take(carved);
            return;
        }
}
static void carve_by_store(void)
{
    uint32_t carved = atomic_load_explicit(&world.carved, memory_order_relaxed);
    atomic_store_explicit(&world.carved, carved + 1, memory_order_relaxed);
    ledger_take(carved);
}

/* A shelf of one place: the owner puts without looking whether a thief has taken. */
static void steal(void)
{
    if (atomic_exchange_explicit(&world.shelf, 0, memory_order_acquire) != 0)
        ledger_take(1);
}
static void take_own(void)
{
    if (atomic_exchange_explicit(&world.shelf, 0, memory_order_acquire) != 0)
        ledger_take(1);
}
static void take_own_carelessly(void)
{
    if (atomic_load_explicit(&world.shelf, memory_order_acquire) == 0)
        return;
    atomic_store_explicit(&world.shelf, 0, memory_order_relaxed);
    ledger_take(1);
}
static void magazine_was_taken(void)
{
    if (ledger_taken() != 1)
        model_fail("the magazine on the shelf is lost");
}
static void overwrite_shelf(void)
{
    atomic_store_explicit(&world.shelf, 0, memory_order_relaxed);
}

/* An event count: the sleeper announces itself, looks again, and sleeps. */
static void wait_for_work(void)
{
    while (atomic_load_explicit(&world.work, memory_order_acquire) == 0) {
        atomic_fetch_add_explicit(&world.waiters, 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_seq_cst);
        uint32_t epoch = atomic_load_explicit(&world.epoch, memory_order_acquire);
        if (!world.rechecks || atomic_load_explicit(&world.work, memory_order_acquire) == 0)
            model_futex_wait((const uint32_t *)&world.epoch, epoch);
        atomic_fetch_sub_explicit(&world.waiters, 1, memory_order_relaxed);
    }
}
static void bring_work(void)
{
    atomic_store_explicit(&world.work, 1, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&world.waiters, memory_order_relaxed) == 0)
        return;
    atomic_fetch_add_explicit(&world.epoch, 1, memory_order_release);
    model_futex_wake((const uint32_t *)&world.epoch, 1);
}

/* Two locks, in the same order and crosswise. */
static void lock_both(tarn_mutex *one, tarn_mutex *other)
{
    tarn_mutex_lock(one);
    tarn_mutex_lock(other);
    world.content++;
    tarn_mutex_unlock(other);
    tarn_mutex_unlock(one);
}
static void lock_first_second(void)
{
    lock_both(&world.first, &world.second);
}
static void lock_second_first(void)
{
    lock_both(&world.second, &world.first);
}
static void lock_first(void)
{
    tarn_mutex_lock(&world.first);
    world.content++;
    tarn_mutex_unlock(&world.first);
}
static void lock_second(void)
{
    tarn_mutex_lock(&world.second);
    world.content++;
    tarn_mutex_unlock(&world.second);
}

static void wait_for_ever(void)
{
    while (atomic_load_explicit(&world.work, memory_order_acquire) == 0)
        tarn_thread_yield();
}
static void loop_for_ever(void)
{
    while (*(volatile uint32_t *)&world.content == 0)
        ;
}
static void wild_write(void)
{
    *(volatile uint32_t *)(uintptr_t)8 = 1;
}
static void idle(void)
{
}

static void count_privately(void)
{
    private_count++;
    adopt();
    if (private_count != 1)
        model_fail("a thread-local variable is shared");
}

static const variant_case variants[] = {
    VARIANT("adoption", NULL, set_up, no_check, adopt, adopt, adopt),
    VARIANT("double adoption", "number 0", set_up, no_check, adopt_by_store, adopt_by_store),
    VARIANT("carving", NULL, set_up, no_check, carve, carve, carve),
    VARIANT("one slot carved twice", "number 0", set_up, no_check, carve_by_store, carve_by_store),
    VARIANT("shelf", NULL, set_up, magazine_was_taken, take_own, steal),
    VARIANT("a shelf's magazine taken twice", "number 1", set_up, no_check, take_own_carelessly,
            steal),
    VARIANT("a shelf's magazine lost", "is lost", set_up, magazine_was_taken, overwrite_shelf,
            steal),
    VARIANT("event count", NULL, set_up, no_check, wait_for_work, bring_work),
    VARIANT("lost wake-up", "deadlock", set_up_careless, no_check, wait_for_work, bring_work),
    VARIANT("one lock", NULL, set_up, no_check, lock_first, lock_first, lock_first),
    VARIANT("two locks for one thing", "data race", set_up, no_check, lock_first, lock_second),
    VARIANT("locks crosswise", "deadlock", set_up, no_check, lock_first_second, lock_second_first),
    VARIANT_STOPS("lock, a thread stops", "deadlock", set_up, no_check, lock_first, lock_first),
    VARIANT("waits for ever", "no end", set_up, no_check, wait_for_ever, idle),
    VARIANT("loops for ever", "no end", set_up, no_check, loop_for_ever, idle),
    VARIANT("wild pointer", "signal", set_up, no_check, wild_write, idle),
    VARIANT("thread-local variable", NULL, set_up, no_check, count_privately, count_privately),
};

variant_list system_variants(void)
{
    return VARIANT_LIST(variants);
}
