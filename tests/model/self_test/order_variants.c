/* Memory orders, one rule at a time: each program with the order that it needs, and with less. */
#include "clients/ledger.h"
#include "engine/failure.h"
#include "engine/region.h"
#include "self_test/variants.h"

#include <stdatomic.h>

static struct {
    _Atomic uint32_t x, y;
    uint32_t data;
    uint32_t seen[4];
    bool fences;
} world MODEL_STATE;

static void set_up(void)
{
    ledger_clear();
}
static void set_up_fences(void)
{
    ledger_clear();
    world.fences = true;
}

static void no_check(void)
{
}

/* Message passing. */
static void send_release(void)
{
    world.data = 1;
    atomic_store_explicit(&world.x, 1, memory_order_release);
}
static void send_relaxed(void)
{
    world.data = 1;
    atomic_store_explicit(&world.x, 1, memory_order_relaxed);
}
static void send_fenced(void)
{
    world.data = 1;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&world.x, 1, memory_order_relaxed);
}
static void receive_acquire(void)
{
    if (atomic_load_explicit(&world.x, memory_order_acquire) != 0)
        world.data++;
}
static void receive_relaxed(void)
{
    if (atomic_load_explicit(&world.x, memory_order_relaxed) != 0)
        world.data++;
}
static void receive_fenced(void)
{
    if (atomic_load_explicit(&world.x, memory_order_relaxed) == 0)
        return;
    atomic_thread_fence(memory_order_acquire);
    world.data++;
}

/* A third thread between sender and receiver: a read-modify-write carries the release on, a store
 * of its own does not. */
static void relay_by_add(void)
{
    if (atomic_load_explicit(&world.x, memory_order_relaxed) == 1)
        atomic_fetch_add_explicit(&world.x, 1, memory_order_relaxed);
}
static void relay_by_store(void)
{
    if (atomic_load_explicit(&world.x, memory_order_relaxed) == 1)
        atomic_store_explicit(&world.x, 2, memory_order_relaxed);
}
static void receive_two(void)
{
    if (atomic_load_explicit(&world.x, memory_order_acquire) == 2)
        world.data++;
}

/* Store buffering: each writes its word and reads the other's. */
static void write_x_read_y(void)
{
    atomic_store_explicit(&world.x, 1, memory_order_release);
    if (world.fences)
        atomic_thread_fence(memory_order_seq_cst);
    world.seen[0] = atomic_load_explicit(&world.y, memory_order_acquire);
}
static void write_y_read_x(void)
{
    atomic_store_explicit(&world.y, 1, memory_order_release);
    if (world.fences)
        atomic_thread_fence(memory_order_seq_cst);
    world.seen[1] = atomic_load_explicit(&world.x, memory_order_acquire);
}
static void write_x_read_y_strongly(void)
{
    atomic_store(&world.x, 1);
    world.seen[0] = atomic_load(&world.y);
}
static void write_y_read_x_strongly(void)
{
    atomic_store(&world.y, 1);
    world.seen[1] = atomic_load(&world.x);
}
static void one_was_seen(void)
{
    if (world.seen[0] == 0 && world.seen[1] == 0)
        model_fail("each thread missed the other's store");
}

/* Coherence: one word is never seen going back. */
static void count_up(void)
{
    atomic_store_explicit(&world.x, 1, memory_order_relaxed);
    atomic_store_explicit(&world.x, 2, memory_order_relaxed);
}
static void look_twice(void)
{
    uint32_t first = atomic_load_explicit(&world.x, memory_order_relaxed);
    uint32_t second = atomic_load_explicit(&world.x, memory_order_relaxed);
    if (second < first)
        model_fail("a word went back");
}

/* Nor when another thread looked first and told of it. */
static void look_and_tell(void)
{
    world.seen[2] = atomic_load_explicit(&world.x, memory_order_relaxed);
    atomic_store_explicit(&world.y, 1, memory_order_release);
}
static void look_after_tell(void)
{
    if (atomic_load_explicit(&world.y, memory_order_acquire) == 0)
        return;
    if (atomic_load_explicit(&world.x, memory_order_relaxed) < world.seen[2])
        model_fail("a word went back");
}

/* Two words may be seen in different orders. */
static void write_both(void)
{
    atomic_store_explicit(&world.x, 1, memory_order_relaxed);
    atomic_store_explicit(&world.y, 1, memory_order_relaxed);
}
static void write_both_released(void)
{
    atomic_store_explicit(&world.x, 1, memory_order_relaxed);
    atomic_store_explicit(&world.y, 1, memory_order_release);
}
static void look_at_both(void)
{
    uint32_t y = atomic_load_explicit(&world.y, memory_order_acquire);
    if (y == 1 && atomic_load_explicit(&world.x, memory_order_relaxed) == 0)
        model_fail("the second store was seen without the first");
}

/* A count of users: who takes it to 0 writes to what they shared. */
static void set_up_count(void)
{
    ledger_clear();
    world.x = 2;
}
static void leave_relaxed(void)
{
    world.seen[model_self()] = world.data;
    if (atomic_fetch_sub_explicit(&world.x, 1, memory_order_relaxed) == 1)
        world.data = 7;
}
static void leave_ordered(void)
{
    world.seen[model_self()] = world.data;
    if (atomic_fetch_sub_explicit(&world.x, 1, memory_order_acq_rel) == 1)
        world.data = 7;
}

static void plain_add(void)
{
    world.data++;
}

/* A plain write to an atomic word, as clearing a structure does. */
static void write_plainly(void)
{
    *(uint32_t *)&world.x = 5;
}
static void load_x(void)
{
    world.seen[0] = atomic_load_explicit(&world.x, memory_order_relaxed);
}

static const variant_case variants[] = {
    VARIANT("message", NULL, set_up, no_check, send_release, receive_acquire),
    VARIANT("message by fences", NULL, set_up, no_check, send_fenced, receive_fenced),
    VARIANT("message sent relaxed", "data race", set_up, no_check, send_relaxed, receive_acquire),
    VARIANT("message read relaxed", "data race", set_up, no_check, send_release, receive_relaxed),
    VARIANT("relay by an update", NULL, set_up, no_check, send_release, relay_by_add, receive_two),
    VARIANT("relay by a store", "data race", set_up, no_check, send_release, relay_by_store,
            receive_two),
    VARIANT("store buffering", "missed the other", set_up, one_was_seen, write_x_read_y,
            write_y_read_x),
    VARIANT("store buffering with fences", NULL, set_up_fences, one_was_seen, write_x_read_y,
            write_y_read_x),
    VARIANT("store buffering, SC", NULL, set_up, one_was_seen, write_x_read_y_strongly,
            write_y_read_x_strongly),
    VARIANT("coherence", NULL, set_up, no_check, count_up, look_twice),
    VARIANT("coherence told on", NULL, set_up, no_check, count_up, look_and_tell, look_after_tell),
    VARIANT("two words, released", NULL, set_up, no_check, write_both_released, look_at_both),
    VARIANT("two words, relaxed", "without the first", set_up, no_check, write_both, look_at_both),
    VARIANT("users counted", NULL, set_up_count, no_check, leave_ordered, leave_ordered),
    VARIANT("users counted relaxed", "data race", set_up_count, no_check, leave_relaxed,
            leave_relaxed),
    VARIANT("plain counter", "data race", set_up, no_check, plain_add, plain_add),
    VARIANT("atomic word written plainly", "data race", set_up, no_check, write_plainly, load_x),
};

variant_list order_variants(void)
{
    return VARIANT_LIST(variants);
}
