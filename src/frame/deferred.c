#include "frame/deferred.h"

#include "frame/gate.h"
#include "frame/links.h"
#include "pool/check.h"
#include "pool/direct.h"
#include "pool/life/calls.h"
#include "pool/life/handles.h"
#include "pool/site.h"
#include "tarn/guest.h"

#define BATCH_FREES 63u

/* What is to be done for an object, in the low bits of its pool's address. */
typedef enum way {
    FREE,    /* word: its address */
    RELEASE, /* word: its handle */
    RETURN,  /* word: its address, its life has ended */
} way;

#define WAY_MASK ((uintptr_t)3)

typedef struct deferral {
    uintptr_t pool_and_way;
    uint64_t word;
} deferral;

struct tarn_batch {
    tarn_batch *next;
    uint32_t count;
    deferral frees[BATCH_FREES];
};

tarn_status tarn_deferred_create_(tarn_frame *frame)
{
    size_t frees_max = frame->options.deferred_max;
    size_t part_batches = ((size_t)frame->lanes_max + 1) * frame->slots;   /* not filled */
    size_t batches_max = 2 * (frees_max / BATCH_FREES + 1) + part_batches; /* or emptied in part */
    tarn_pool_options options = {.name = "deferred frees",
                                 .object_bytes = sizeof(tarn_batch),
                                 .capacity = 1,
                                 .capacity_max = batches_max,
                                 .exact = true,
                                 .report = frame->options.report,
                                 .report_context = frame->options.report_context,
                                 .memory = &frame->memory};
    return tarn_pool_create(&options, &frame->batches);
}

/* ---- noting ---- */

/* The lane has something in that slot. */
static void list(tarn_lane_state *lane, uint32_t slot)
{
    tarn_frame *frame = lane->frame;
    tarn_links_list_(frame);
    tarn_stack_push(&frame->deferring[slot], &frame->links,
                    tarn_links_deferring_(frame, lane->hot.index, slot));
}

/* The batch that the next one goes into; NULL when there is none to be had. */
static tarn_batch *open_batch(tarn_lane_state *lane, uint32_t slot)
{
    tarn_frame *frame = lane->frame;
    tarn_batch *batch = lane->deferred[slot];
    if (batch && batch->count < BATCH_FREES)
        return batch;
    tarn_batch *fresh = tarn_guest_alloc(frame->batches);
    if (!fresh)
        return NULL;
    fresh->next = batch;
    fresh->count = 0;
    lane->deferred[slot] = fresh;
    if (!batch)
        list(lane, slot);
    return fresh;
}

/* Counts first, so that deferred_max holds whatever other lanes do. */
static bool count_one(tarn_frame *frame)
{
    /* relaxed: a bound and a figure; it orders nothing. */
    if (tarn_u64_fetch_add_relaxed(&frame->deferred, 1) < frame->options.deferred_max)
        return true;
    tarn_u64_fetch_add_relaxed(&frame->deferred, (uint64_t)-1);
    return false;
}

static void uncount(tarn_lane_state *lane)
{
    /* relaxed: as above. */
    tarn_u64_fetch_add_relaxed(&lane->frame->deferred, (uint64_t)-1);
}

static deferral *reserve(tarn_lane_state *lane)
{
    if (!count_one(lane->frame))
        return NULL;
    tarn_batch *batch = open_batch(lane, tarn_frame_slot_(lane->frame, lane->hot.frame));
    if (!batch)
        uncount(lane);
    return batch ? &batch->frees[batch->count] : NULL;
}

static void commit(tarn_lane_state *lane, deferral *free, tarn_pool *pool, way how, uint64_t word)
{
    *free = (deferral){(uintptr_t)pool | (uintptr_t)how, word};
    lane->deferred[tarn_frame_slot_(lane->frame, lane->hot.frame)]->count++;
}

static tarn_status refusal(const tarn_lane *lane, const tarn_pool *pool)
{
    if (!lane || !pool)
        return TARN_ERROR_INVALID;
    return lane->frame == 0 ? TARN_ERROR_OUTSIDE : TARN_OK;
}

static tarn_status look(const tarn_pool *pool, tarn_handle handle)
{
    return tarn_resolve(pool, handle) ? TARN_OK : TARN_ERROR_STALE;
}

tarn_status tarn_frame_defer_release(tarn_lane *lane, tarn_pool *pool, tarn_handle handle,
                                     tarn_stale_when when)
{
    tarn_status status = refusal(lane, pool);
    if (status != TARN_OK)
        return status;
    if (!pool->has_lives)
        return TARN_ERROR_INVALID;
    tarn_lane_state *state = tarn_lane_state_of_(lane);
    deferral *free = reserve(state);
    if (!free)
        return TARN_ERROR_FULL;
    void *object = NULL;
    status = when == TARN_STALE_AT_ONCE ? tarn_handles_try_end_(pool, handle, &object)
                                        : look(pool, handle);
    if (status != TARN_OK)
        uncount(state);
    else if (when == TARN_STALE_AT_ONCE)
        commit(state, free, pool, RETURN, (uintptr_t)object);
    else
        commit(state, free, pool, RELEASE, handle.bits);
    return status;
}

/* By handle where there is one, so that an eviction that comes first is no harm. */
tarn_status tarn_frame_defer_free(tarn_lane *lane, tarn_pool *pool, void *object)
{
    tarn_status status = refusal(lane, pool);
    if (status != TARN_OK)
        return status;
    if (pool->checked && !tarn_check_object_(pool, object, NULL))
        return TARN_ERROR_FOREIGN;
    if (!tarn_pool_owns(pool, object))
        return TARN_ERROR_FOREIGN;
    if (pool->has_lives)
        return tarn_frame_defer_release(lane, pool, tarn_handle_of(pool, object),
                                        TARN_STALE_AT_DROP);
    tarn_lane_state *state = tarn_lane_state_of_(lane);
    deferral *free = reserve(state);
    if (!free)
        return TARN_ERROR_FULL;
    commit(state, free, pool, FREE, (uintptr_t)object);
    return TARN_OK;
}

/* ---- doing ---- */

static tarn_pool *pool_of(const deferral *free)
{
    return (tarn_pool *)(free->pool_and_way & ~WAY_MASK);
}

static way way_of(const deferral *free)
{
    return (way)(free->pool_and_way & WAY_MASK);
}

/* Ends the life that a handle names; false when somebody else did. */
static bool end_life(tarn_frame *frame, const deferral *free, void **object)
{
    if (tarn_handles_try_end_(pool_of(free), (tarn_handle){free->word}, object) == TARN_OK)
        return true;
    /* relaxed: a figure for samples. */
    tarn_u64_fetch_add_relaxed(&frame->deferred_stale, 1);
    return false;
}

/* Frees without hooks, handles or checks, from one pool: they go in one step. */
static uint32_t do_run(const deferral *frees, uint32_t count)
{
    void *objects[BATCH_FREES];
    uint32_t run = 0;
    while (run < count && frees[run].pool_and_way == frees[0].pool_and_way) {
        objects[run] = (void *)(uintptr_t)frees[run].word;
        run++;
    }
    tarn_direct_free_some_(pool_of(frees), run, objects);
    return run;
}

/* Returns how many it did. */
static uint32_t do_some(const deferral *frees, uint32_t count)
{
    tarn_pool *pool = pool_of(frees);
    void *object = (void *)(uintptr_t)frees->word;
    if (way_of(frees) == FREE && !pool->is_featured)
        return do_run(frees, count);
    if (way_of(frees) == FREE)
        tarn_calls_direct_free_(pool, object);
    else
        tarn_calls_release_(pool, NULL, object);
    return 1;
}

/* Does what a batch says, but for objects whose lives end only now: those are left in it. */
static void do_batch(tarn_frame *frame, tarn_batch *batch)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < batch->count;) {
        const deferral *free = &batch->frees[i];
        if (way_of(free) != RELEASE) {
            i += do_some(free, batch->count - i);
            continue;
        }
        void *object = NULL;
        if (end_life(frame, free, &object))
            batch->frees[left++] = (deferral){(uintptr_t)pool_of(free) | RETURN, (uintptr_t)object};
        i++;
    }
    batch->count = left;
}

/* In front of the others of the home's frame. */
static void take_in(tarn_home home, tarn_batch *batch)
{
    tarn_batch *others = home.lane->deferred[home.slot];
    batch->next = others;
    home.lane->deferred[home.slot] = batch;
    if (!others)
        list(home.lane, home.slot);
}

static size_t do_chain(tarn_frame *frame, tarn_batch *batch, tarn_home home)
{
    size_t done = 0;
    while (batch) {
        tarn_batch *next = batch->next;
        done += batch->count;
        do_batch(frame, batch);
        if (!home.lane) /* nobody is left who could have looked the handles up */
            do_batch(frame, batch);
        done -= batch->count;
        if (batch->count > 0)
            take_in(home, batch);
        else
            tarn_guest_free(frame->batches, batch);
        batch = next;
    }
    return done;
}

size_t tarn_deferred_run_(tarn_frame *frame, uint32_t slot, size_t objects_max, tarn_home home)
{
    size_t done = 0;
    while (done < objects_max) {
        uint32_t index = tarn_stack_pop(&frame->deferring[slot], &frame->links);
        if (index == TARN_INDEX_NONE)
            break;
        tarn_links_unlist_(frame, 1);
        tarn_batch **chain = &tarn_links_lane_(frame, index)->deferred[slot];
        tarn_batch *first = *chain;
        *chain = NULL;
        done += do_chain(frame, first, home);
    }
    if (done > 0)
        /* relaxed: a figure, and a bound that may be late. */
        tarn_u64_fetch_add_relaxed(&frame->deferred, -(uint64_t)done);
    return done;
}

tarn_status tarn_frame_reclaim(tarn_frame *frame, size_t objects_max, size_t *done)
{
    size_t count = 0;
    if (frame) {
        uint64_t open = tarn_gate_number_(tarn_gate_look_(frame));
        uint64_t dropped = tarn_frame_dropped_(frame, open);
        if (dropped > 0)
            count = tarn_deferred_run_(frame, tarn_frame_slot_(frame, dropped), objects_max,
                                       (tarn_home){frame->host, tarn_frame_slot_(frame, open)});
    }
    if (done)
        *done = count;
    return frame ? TARN_OK : TARN_ERROR_INVALID;
}
