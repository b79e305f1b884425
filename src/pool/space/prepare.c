/* Memory ahead of its use: slots are taken as an allocation would take them for the first time,
 * touched and built, and put into the depot. */
#include "pool/space/prepare.h"

#include "base/inspect.h"
#include "base/size.h"
#include "base/thread.h"
#include "pool/grow.h"
#include "pool/inside.h"
#include "pool/life/life.h"
#include "pool/slots.h"
#include "pool/space/groups.h"
#include "tarn/space.h"

#define SHARD            0u
#define TOUCH_EACH_BYTES 4096u

/* The exact pools that the calling thread has slots of in hand. */
static _Thread_local const tarn_inside *holding;

typedef struct batch {
    void *objects[TARN_MAGAZINE_OBJECTS_MAX];
    uint32_t count;
    tarn_inside hand;
} batch;

static void begin_holding(tarn_pool *pool, tarn_inside *hand)
{
    if (!pool->plan.exact)
        return;
    *hand = (tarn_inside){pool, holding};
    holding = hand;
    /* relaxed: the carving that follows releases it (E16). */
    tarn_u32_fetch_add_relaxed(&pool->space.preparers, 1);
}

static void end_holding(tarn_pool *pool, const tarn_inside *hand)
{
    if (!pool->plan.exact)
        return;
    /* E17 release: what was put into the depot. */
    tarn_u32_fetch_add_release(&pool->space.preparers, (uint32_t)-1);
    holding = hand->outer;
}

bool tarn_prepare_await_(tarn_pool *pool)
{
    if (!pool->plan.exact || holding)
        return false;
    /* E16 acquire: who carved what the caller found carved is counted by now. */
    (void)tarn_u64_load_acquire(&pool->slots_carved);
    /* E17 acquire: what those that are done put into the depot. */
    if (tarn_u32_load_acquire(&pool->space.preparers) == 0)
        return false;
    tarn_thread_yield();
    return true;
}

void tarn_prepare_repair_(tarn_pool *pool)
{
    /* relaxed: the child has one thread. */
    tarn_u32_store_relaxed(&pool->space.preparers, tarn_inside_count_(holding, pool));
}

/* Objects that lie ready: all that is free in the shared part, but for what is merely sorted. */
static uint64_t ready(const tarn_pool *pool)
{
    tarn_pool_statistics now;
    tarn_pool_sample(pool, &now);
    uint64_t sorted = tarn_groups_sorted_(pool);
    return now.free_in_depot > sorted ? now.free_in_depot - sorted : 0;
}

/* Writes what is there already to each page, since a read alone would not make it the pool's. */
static void touch(const tarn_pool *pool, void *object)
{
    volatile char *byte = object;
    size_t bytes = pool->plan.object_bytes;
    for (size_t i = 0; i < bytes; i += TOUCH_EACH_BYTES)
        byte[i] = byte[i];
    byte[bytes - 1] = byte[bytes - 1];
}

static bool build(tarn_pool *pool, void *object)
{
    if (!pool->is_inspected) /* else memory checkers hide it, and speed is no matter */
        touch(pool, object);
    return !pool->has_lives || tarn_life_build_(pool, tarn_slot_of_(pool, object));
}

static void carve(tarn_pool *pool, uint32_t count_max, batch *b)
{
    uint64_t slot = 0;
    uint64_t capacity = tarn_slots_capacity_(pool);
    begin_holding(pool, &b->hand);
    b->count = tarn_slots_carve_(pool, count_max, capacity, &slot);
    for (uint32_t i = 0; i < b->count; i++)
        b->objects[i] = tarn_slot_object_(pool, slot + b->count - 1 - i);
    /* relaxed: a figure for samples. */
    tarn_u64_fetch_add_relaxed(&pool->direct.carves, b->count);
    if (b->count == 0)
        end_holding(pool, &b->hand);
}

/* Slots that are not ready: sorted, trimmed, never used, or to be grown. */
static bool take(tarn_pool *pool, uint32_t count_max, batch *b)
{
    for (;;) {
        uint64_t capacity = tarn_slots_capacity_(pool);
        b->count = tarn_groups_take_(pool, count_max, b->objects);
        if (b->count == 0 && tarn_groups_restore_(pool))
            continue;
        if (b->count == 0)
            carve(pool, count_max, b);
        if (b->count > 0)
            return true;
        if (!tarn_grow_by_(pool, capacity, count_max))
            return false;
    }
}

static void put_magazine(tarn_pool *pool, const batch *b)
{
    uint32_t magazines[TARN_CHAIN_MAGAZINES_MAX];
    uint32_t count = tarn_depot_take_empty(&pool->depot, SHARD, magazines);
    if (count > 1)
        tarn_depot_put_empty(&pool->depot, SHARD, magazines + 1, count - 1);
    void **list = tarn_magazine_objects(&pool->depot.magazines, magazines[0]);
    for (uint32_t i = 0; i < b->count; i++)
        list[i] = b->objects[i];
    tarn_depot_put_full(&pool->depot, SHARD, magazines, 1);
    /* relaxed: a figure for samples; what was broken up is whole again. */
    tarn_u64_fetch_add_relaxed(&pool->direct.splits, (uint64_t)-1);
}

static void put(tarn_pool *pool, const batch *b)
{
    if (b->count > 0 && b->count == pool->plan.magazine_objects) {
        put_magazine(pool, b);
        return;
    }
    for (uint32_t i = b->count; i-- > 0;)
        tarn_slots_put_loose_(pool, b->objects[i]);
}

/* Where they do not count as ready. */
static void put_unready(tarn_pool *pool, void *const *objects, uint32_t count)
{
    if (pool->plan.has_groups)
        tarn_groups_put_(pool, objects, count);
    else
        for (uint32_t i = 0; i < count; i++)
            tarn_slots_put_loose_(pool, objects[i]);
}

/* Returns TARN_OK, TARN_ERROR_FULL or TARN_ERROR_CONSTRUCT, and how many slots it made ready. */
static tarn_status prepare_batch(tarn_pool *pool, uint32_t count_max, uint64_t *done)
{
    batch b = {.count = 0};
    if (!take(pool, count_max, &b))
        return TARN_ERROR_FULL;
    uint32_t built = 0, count = b.count;
    while (built < count && build(pool, b.objects[built]))
        built++;
    put_unready(pool, b.objects + built, count - built);
    b.count = built;
    put(pool, &b);
    end_holding(pool, &b.hand);
    *done += built;
    return built == count ? TARN_OK : TARN_ERROR_CONSTRUCT;
}

/* Of an exact pool, one at a time where a hook constructs it: others may have to wait for that. */
static uint32_t batch_objects_max(const tarn_pool *pool)
{
    if (!pool->plan.exact)
        return pool->plan.magazine_objects;
    return pool->hooks.construct ? 1 : TARN_MAGAZINE_OBJECTS_MAX;
}

static tarn_status prepare(tarn_pool *pool, uint64_t missing, uint64_t budget, uint64_t *done)
{
    uint32_t batch_max = batch_objects_max(pool);
    uint64_t bite = missing < budget ? missing : budget;
    tarn_status status = TARN_OK;
    while (*done < bite && status == TARN_OK)
        status =
            prepare_batch(pool, (uint32_t)tarn_size_min((size_t)(bite - *done), batch_max), done);
    return status;
}

tarn_status tarn_pool_prepare(tarn_pool *pool, size_t objects, size_t budget_bytes, size_t *left)
{
    if (left)
        *left = objects;
    if (!pool)
        return TARN_ERROR_INVALID;
    if (pool->is_ending) /* what it built now would not be destroyed */
        return TARN_ERROR_FULL;
    uint64_t before = ready(pool);
    uint64_t missing = objects > before ? objects - before : 0;
    uint64_t budget = tarn_size_max(1, budget_bytes / pool->plan.stride_bytes);
    uint64_t done = 0;
    tarn_status status = prepare(pool, missing, budget, &done);
    if (left)
        *left = missing > done ? (size_t)(missing - done) : 0;
    return status;
}
