#include "pool/registry.h"

#include "base/inspect.h"
#include "base/os.h"
#include "base/thread.h"
#include "pool/cache.h"
#include "pool/fork.h"
#include "pool/guest.h"
#include "pool/life/handles.h"

#define NUMBERS (1u << TARN_HANDLE_POOL_BITS)

static struct {
    tarn_mutex lock;
    tarn_thread_key thread_end;
    bool has_thread_end;
    tarn_pool *first;
    uint32_t forking_thread_id;
    tarn_u64 pools_made;
    uint64_t numbers[NUMBERS / 64]; /* which are in use */
    uint32_t last_number;
} registry;

static tarn_once once = TARN_ONCE_INIT;

void tarn_registry_leave_all_(uint64_t owner)
{
    tarn_mutex_lock(&registry.lock);
    for (tarn_pool *pool = registry.first; pool; pool = pool->registry_next)
        tarn_cache_leave_(pool, owner);
    tarn_mutex_unlock(&registry.lock);
}

/* The lock is held over a fork, so that the child finds the list whole and the lock its own. */
static void before_fork(void)
{
    tarn_mutex_lock(&registry.lock);
    registry.forking_thread_id = tarn_os_thread_id();
}

static void after_fork_in_parent(void)
{
    tarn_mutex_unlock(&registry.lock);
}

static void after_fork_in_child(void)
{
    uint32_t now = tarn_os_thread_id();
    for (tarn_pool *pool = registry.first; pool; pool = pool->registry_next)
        tarn_fork_repair_(pool, registry.forking_thread_id, now);
    tarn_mutex_unlock(&registry.lock);
}

static void set_up(void)
{
    tarn_mutex_init(&registry.lock);
    tarn_os_at_fork(before_fork, after_fork_in_parent, after_fork_in_child);
    registry.has_thread_end = tarn_thread_key_create(&registry.thread_end, tarn_guest_thread_ends_);
}

/* Two copies of the library in one process count apart, from different addresses: an odd factor
 * spreads the counts so that they do not meet. */
uint64_t tarn_registry_new_id_(void)
{
    /* relaxed: only uniqueness matters. */
    uint64_t count = tarn_u64_fetch_add_relaxed(&registry.pools_made, 1) + 1;
    return count * 0x9E3779B97F4A7C15u + (uint64_t)(uintptr_t)&registry;
}

static uint64_t *number_word(uint32_t number)
{
    return &registry.numbers[number / 64];
}

static uint64_t number_bit(uint32_t number)
{
    return (uint64_t)1 << number % 64;
}

/* A number that no other live pool has, if there is one, and no dead one had for as long as
 * possible. */
static void take_number(tarn_pool *pool)
{
    uint32_t number = registry.last_number;
    for (uint32_t tried = 0; tried < NUMBERS; tried++) {
        number = (number + 1) % NUMBERS;
        if (*number_word(number) & number_bit(number))
            continue;
        *number_word(number) |= number_bit(number);
        pool->owns_number = true;
        break;
    }
    registry.last_number = number;
    pool->number = number;
    tarn_handles_set_number_(pool, number);
}

/* Roots change under the lock, so that no fork comes while the leak detector's own lock is held. */
void tarn_registry_add_(tarn_pool *pool)
{
    tarn_once_call(&once, set_up);
    tarn_mutex_lock(&registry.lock);
    take_number(pool);
    if (pool->is_inspected)
        tarn_inspect_add_roots(pool->slots, pool->plan.slots.bytes_max);
    pool->registry_previous = NULL;
    pool->registry_next = registry.first;
    if (registry.first)
        registry.first->registry_previous = pool;
    registry.first = pool;
    tarn_mutex_unlock(&registry.lock);
}

void tarn_registry_remove_(tarn_pool *pool)
{
    tarn_mutex_lock(&registry.lock);
    if (pool->owns_number)
        *number_word(pool->number) &= ~number_bit(pool->number);
    if (pool->is_inspected)
        tarn_inspect_drop_roots(pool->slots, pool->plan.slots.bytes_max);
    if (pool->registry_previous)
        pool->registry_previous->registry_next = pool->registry_next;
    else
        registry.first = pool->registry_next;
    if (pool->registry_next)
        pool->registry_next->registry_previous = pool->registry_previous;
    tarn_mutex_unlock(&registry.lock);
}

bool tarn_registry_watch_thread_(void)
{
    tarn_once_call(&once, set_up);
    return registry.has_thread_end && tarn_thread_key_set(registry.thread_end, &registry);
}
