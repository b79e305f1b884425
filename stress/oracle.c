#include "oracle.h"

#include <ck_pr.h>
#include <stdlib.h>
#include <string.h>

#define NO_SLOT SIZE_MAX

static size_t slot_of(const oracle *o, const void *object)
{
    uintptr_t address = (uintptr_t)object, lowest = (uintptr_t)o->lowest;
    if (address < lowest || (address - lowest) % o->stride_bytes != 0)
        return NO_SLOT;
    size_t slot = (address - lowest) / o->stride_bytes;
    return slot < o->slots ? slot : NO_SLOT;
}

/* Slots are carved from the lowest up, so the first one is where ownership ends downwards. */
static unsigned char *lowest_slot(const tarn_pool *pool, unsigned char *object, size_t stride_bytes)
{
    while ((uintptr_t)object >= stride_bytes && tarn_pool_owns(pool, object - stride_bytes))
        object -= stride_bytes;
    return object;
}

static bool find_lowest(oracle *o)
{
    tarn_cache *cache = NULL;
    if (tarn_cache_attach(o->pool, &cache) != TARN_OK)
        return false;
    unsigned char *object = tarn_alloc(cache);
    if (object) {
        o->lowest = lowest_slot(o->pool, object, o->stride_bytes);
        tarn_free(cache, object);
    }
    return tarn_cache_detach(cache) == TARN_OK && object;
}

bool oracle_open(oracle *o, failure *f, tarn_pool *pool)
{
    tarn_pool_info info;
    tarn_pool_describe(pool, &info);
    *o = (oracle){.failure = f,
                  .pool = pool,
                  .stride_bytes = info.stride_bytes,
                  .object_bytes = info.object_bytes,
                  .slots = info.slots,
                  .capacity = info.capacity_max,
                  .exact = info.exact};
    o->stamps = calloc(info.slots, sizeof *o->stamps);
    o->mirrors = calloc(info.slots, sizeof *o->mirrors);
    if (o->stamps && o->mirrors && find_lowest(o))
        return true;
    failure_report(f, "the first object of a new pool could not be had");
    return false;
}

void oracle_close(oracle *o)
{
    free((void *)o->stamps);
    free(o->mirrors);
    o->stamps = NULL;
    o->mirrors = NULL;
}

void oracle_forget(oracle *o, size_t slots_carved)
{
    for (size_t slot = 0; slot < slots_carved; slot++)
        atomic_store_explicit(&o->stamps[slot], 0, memory_order_relaxed);
    atomic_store_explicit(&o->tickets, 0, memory_order_relaxed);
    atomic_store_explicit(&o->out, 0, memory_order_relaxed);
}

size_t oracle_owned(const oracle *o, size_t slots_carved)
{
    size_t owned = 0;
    for (size_t slot = 0; slot < slots_carved && slot < o->slots; slot++)
        owned += atomic_load_explicit(&o->stamps[slot], memory_order_relaxed) != 0;
    return owned;
}

static void raise_peak(oracle *o, uint64_t tickets)
{
    uint64_t peak = atomic_load_explicit(&o->peak, memory_order_relaxed);
    while (peak < tickets &&
           !atomic_compare_exchange_weak_explicit(&o->peak, &peak, tickets, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

static bool take_shared(oracle *o, uint64_t count, uint64_t limit)
{
    uint64_t seen = atomic_load_explicit(&o->tickets, memory_order_relaxed);
    do {
        if (seen > limit || limit - seen < count)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&o->tickets, &seen, seen + count,
                                                    memory_order_relaxed, memory_order_relaxed));
    raise_peak(o, seen + count);
    ck_pr_fence_acquire(); /* whoever gave the ticket back has finished its free */
    return true;
}

static void give_shared(oracle *o, uint64_t count)
{
    ck_pr_fence_release();
    atomic_fetch_sub_explicit(&o->tickets, count, memory_order_relaxed);
}

bool oracle_take(oracle *o, purse *p, uint64_t count)
{
    if (p->spare >= count) {
        p->spare -= count;
        return true;
    }
    if (p->batch > 1 && take_shared(o, count + p->batch, p->limit)) {
        p->spare += p->batch;
        return true;
    }
    return take_shared(o, count, p->limit);
}

void oracle_take_over(oracle *o, uint64_t count)
{
    uint64_t seen = atomic_fetch_add_explicit(&o->tickets, count, memory_order_relaxed);
    raise_peak(o, seen + count);
    atomic_fetch_add_explicit(&o->over, 1, memory_order_relaxed);
    ck_pr_fence_memory(); /* the mark is visible before the attempt */
}

void oracle_give(oracle *o, purse *p, uint64_t count)
{
    p->spare += count;
    if (p->batch > 1 && p->spare <= 2 * p->batch)
        return;
    uint64_t keep = p->batch > 1 ? p->batch : 0;
    give_shared(o, p->spare - keep);
    p->spare = keep;
}

void oracle_empty_purse(oracle *o, purse *p)
{
    give_shared(o, p->spare);
    p->spare = 0;
}

uint64_t oracle_over(const oracle *o)
{
    ck_pr_fence_memory();
    return atomic_load_explicit(&o->over, memory_order_relaxed);
}

/* The content stands at both ends of the object, as far as they do not overlap. */
static size_t content_bytes(const oracle *o)
{
    return o->object_bytes < sizeof(uint64_t) ? o->object_bytes : sizeof(uint64_t);
}

static bool content_matches(const oracle *o, size_t slot, const unsigned char *object)
{
    size_t bytes = content_bytes(o);
    const uint64_t *expected = &o->mirrors[slot];
    if (memcmp(object, expected, bytes) != 0)
        return false;
    return o->object_bytes < 2 * sizeof(uint64_t) ||
           memcmp(object + o->object_bytes - bytes, expected, bytes) == 0;
}

/* Memory that went back in between is as if it were never used. */
static bool was_forgotten(const oracle *o, const unsigned char *object)
{
    for (size_t i = 0; o->forgets && i < o->object_bytes; i++)
        if (object[i] != 0)
            return false;
    return o->forgets;
}

static void content_write(oracle *o, size_t slot, unsigned char *object, uint64_t content)
{
    size_t bytes = content_bytes(o);
    o->mirrors[slot] = content;
    memcpy(object, &content, bytes);
    if (o->object_bytes >= 2 * sizeof content)
        memcpy(object + o->object_bytes - bytes, &content, bytes);
}

static size_t checked_slot(oracle *o, const void *object)
{
    size_t slot = slot_of(o, object);
    if (slot == NO_SLOT)
        failure_report(o->failure, "%p is not the start of a slot", object);
    return slot;
}

static bool change_stamp(oracle *o, size_t slot, uint32_t from, uint32_t to, const char *what)
{
    uint32_t seen = from;
    if (atomic_compare_exchange_strong_explicit(&o->stamps[slot], &seen, to, memory_order_relaxed,
                                                memory_order_relaxed))
        return true;
    failure_report(o->failure, "slot %zu %s: its stamp is thread %u, expected %u", slot, what, seen,
                   from);
    return false;
}

static bool count_out(oracle *o, size_t slot)
{
    uint64_t out = atomic_fetch_add_explicit(&o->out, 1, memory_order_relaxed) + 1;
    if (out <= o->capacity)
        return true;
    failure_report(o->failure, "slot %zu is object %llu of an exact pool of %zu", slot,
                   (unsigned long long)out, o->capacity);
    return false;
}

bool oracle_claim(oracle *o, uint32_t thread, void *object, uint64_t content)
{
    size_t slot = checked_slot(o, object);
    if (slot == NO_SLOT || !change_stamp(o, slot, 0, thread, "was handed out while it is owned"))
        return false;
    if (o->exact && !count_out(o, slot))
        return false;
    if (!content_matches(o, slot, object) && !was_forgotten(o, object)) {
        failure_report(o->failure, "slot %zu changed its content while it was free", slot);
        return false;
    }
    content_write(o, slot, object, content);
    return true;
}

bool oracle_release(oracle *o, uint32_t thread, void *object, uint64_t content)
{
    size_t slot = checked_slot(o, object);
    if (slot == NO_SLOT)
        return false;
    if (!content_matches(o, slot, object)) {
        failure_report(o->failure, "slot %zu changed its content under its owner", slot);
        return false;
    }
    content_write(o, slot, object, content);
    if (o->exact)
        atomic_fetch_sub_explicit(&o->out, 1, memory_order_relaxed);
    return change_stamp(o, slot, thread, 0, "lost its owner before it was freed");
}

bool oracle_send(oracle *o, uint32_t thread, void *object)
{
    size_t slot = checked_slot(o, object);
    return slot != NO_SLOT &&
           change_stamp(o, slot, thread, ORACLE_IN_TRANSIT, "lost its owner before it was sent");
}

bool oracle_receive(oracle *o, uint32_t thread, void *object)
{
    size_t slot = checked_slot(o, object);
    return slot != NO_SLOT &&
           change_stamp(o, slot, ORACLE_IN_TRANSIT, thread, "was taken over but not in transit");
}
