#include "frame/objects.h"

#include "base/inspect.h"
#include "base/size.h"
#include "frame/overflow.h"
#include "frame/scratch.h"
#include "frame/stock.h"
#include "frame/watch.h"

#include <string.h>

/* ---- creation ---- */

static size_t default_alignment(size_t bytes)
{
    return tarn_size_min(bytes & (0 - bytes), 64);
}

static bool are_options_valid(const tarn_frame_pool_options *options)
{
    size_t alignment = options->object_alignment;
    return options->object_bytes > 0 && !options->hooks.reset_on_return &&
           (alignment == 0 ||
            (tarn_is_power_of_two(alignment) && alignment <= TARN_OBJECT_ALIGNMENT_MAX));
}

/* What the options come to. False when an object does not fit a block. */
static bool plan(tarn_objects *pool, const tarn_frame_pool_options *options)
{
    size_t alignment = options->object_alignment;
    size_t stride;
    if (alignment == 0)
        alignment = default_alignment(options->object_bytes);
    pool->object_bytes = options->object_bytes;
    pool->first_bytes = tarn_size_max(TARN_BLOCK_HEADER_BYTES, alignment);
    size_t room = pool->frame->block_bytes - pool->first_bytes;
    if (!tarn_size_round_up(options->object_bytes, alignment, &stride) || stride > room)
        return false;
    size_t apart = (TARN_FRAME_RED_ZONE_BYTES + alignment - 1) & ~(alignment - 1);
    if (pool->frame->is_inspected && stride + apart <= room)
        stride += apart;
    pool->hot.stride_bytes = stride;
    pool->objects_per_block = room / stride;
    pool->hooks = options->hooks;
    return true;
}

/* Each lane's stock keeps what the lane needed, whatever other lanes do. */
static tarn_status make(tarn_frame *frame, tarn_objects **made)
{
    const tarn_memory *memory = &frame->memory;
    size_t head = (sizeof(tarn_objects) + TARN_LINE_BYTES - 1) & ~(size_t)(TARN_LINE_BYTES - 1);
    size_t parts = (size_t)frame->lanes_max * frame->sides;
    size_t parts_bytes = parts * sizeof(tarn_frame_pool_part_);
    size_t lanes_bytes = frame->lanes_max * sizeof(tarn_objects_lane);
    size_t bytes = head + parts_bytes + lanes_bytes + parts * sizeof(tarn_frame_pool_part_ *);
    if (!tarn_size_round_up(bytes, memory->page_bytes, &bytes))
        return TARN_ERROR_TOO_LARGE;
    char *start = memory->reserve(memory->context, bytes, memory->page_bytes);
    if (!start)
        return TARN_ERROR_NO_MEMORY;
    if (!memory->commit(memory->context, start, bytes)) {
        memory->release(memory->context, start, bytes);
        return TARN_ERROR_NO_MEMORY;
    }
    tarn_objects *pool = (tarn_objects *)(void *)start;
    pool->frame = frame;
    pool->reserved_bytes = bytes;
    pool->hot.parts = (tarn_frame_pool_part_ **)(void *)(start + head + parts_bytes + lanes_bytes);
    for (size_t i = 0; i < parts; i++)
        pool->hot.parts[i] = (tarn_frame_pool_part_ *)(void *)(start + head) + i;
    pool->lanes = (tarn_objects_lane *)(void *)(start + head + parts_bytes);
    *made = pool;
    return TARN_OK;
}

static void give_back(tarn_objects *pool)
{
    const tarn_memory *memory = &pool->frame->memory;
    memory->release(memory->context, pool, pool->reserved_bytes);
}

static void link_in(tarn_objects *pool)
{
    tarn_frame *frame = pool->frame;
    pool->next = frame->objects;
    if (frame->objects)
        frame->objects->previous = pool;
    frame->objects = pool;
    /* relaxed: a figure for samples. */
    tarn_u64_fetch_add_relaxed(&frame->objects_bytes, pool->reserved_bytes);
}

static void link_out(tarn_objects *pool)
{
    /* relaxed: as above. */
    tarn_u64_fetch_add_relaxed(&pool->frame->objects_bytes, -(uint64_t)pool->reserved_bytes);
    if (pool->previous)
        pool->previous->next = pool->next;
    else
        pool->frame->objects = pool->next;
    if (pool->next)
        pool->next->previous = pool->previous;
}

tarn_status tarn_frame_pool_create(tarn_frame *frame, const tarn_frame_pool_options *options,
                                   tarn_frame_pool **pool)
{
    if (pool)
        *pool = NULL;
    if (!frame || !options || !pool || !are_options_valid(options))
        return TARN_ERROR_INVALID;
    tarn_objects *made = NULL;
    tarn_status status = make(frame, &made);
    if (status != TARN_OK)
        return status;
    if (!plan(made, options)) {
        give_back(made);
        return TARN_ERROR_TOO_LARGE;
    }
    strncpy(made->name, options->name ? options->name : "frame pool", sizeof made->name - 1);
    link_in(made);
    *pool = &made->hot;
    return TARN_OK;
}

/* ---- blocks ---- */

static void destroy_block(tarn_objects *pool, tarn_block *block)
{
    char *object = tarn_objects_first_(pool, block);
    char *built = object + block->built_bytes;
    if (pool->hooks.destroy)
        for (; object < built; object += pool->hot.stride_bytes) {
            tarn_inspect_show(object, pool->object_bytes);
            pool->hooks.destroy(pool->hooks.context, object);
        }
    tarn_stock_free_(pool->frame, block);
}

/* Only what is built must be remembered as zero: what others left there is wiped once. */
static tarn_block *take_block(tarn_objects *pool, tarn_objects_lane *own, uint32_t side)
{
    bool is_new;
    tarn_block *block = tarn_stock_take_(pool->frame, &own->stock, side, &is_new);
    if (!block || !is_new)
        return block;
    char *first = (char *)block + TARN_BLOCK_HEADER_BYTES;
    size_t bytes = pool->frame->block_bytes - TARN_BLOCK_HEADER_BYTES;
    memset(first, 0, bytes);
    if (pool->frame->is_inspected)
        tarn_inspect_hide(first, bytes);
    if (!pool->hooks.construct)
        block->built_bytes =
            (size_t)(tarn_objects_end_of_(pool, block) - tarn_objects_first_(pool, block));
    return block;
}

/* ---- from frame to frame ---- */

static void set_frame(tarn_objects *pool, uint32_t lane, uint64_t side, uint64_t number)
{
    /* relaxed: the gate orders what readers need of it. */
    tarn_u64_store_relaxed(&pool->lanes[lane].frames[tarn_frame_side_(pool->frame, side)], number);
}

static void rewind_dropped(tarn_objects *pool, uint32_t lane, uint64_t dropped)
{
    for (uint32_t side = 0; side < pool->frame->sides; side++) {
        tarn_frame_pool_part_ *part = tarn_objects_part_(pool, lane, side);
        if (part->frame == 0 || part->frame > dropped)
            continue;
        tarn_stock_rewind_(&pool->lanes[lane].stock, side, NULL);
        *part = (tarn_frame_pool_part_){0};
        set_frame(pool, lane, side, 0);
    }
}

static void begin(tarn_objects *pool, uint32_t lane, uint64_t number)
{
    tarn_objects_lane *own = &pool->lanes[lane];
    tarn_stock_note_(&own->stock);
    rewind_dropped(pool, lane, tarn_frame_dropped_(pool->frame, number));
    for (uint32_t i = tarn_stock_surplus_(pool->frame, &own->stock, 0); i > 0; i--)
        destroy_block(pool, tarn_stock_drop_(&own->stock));
    tarn_objects_part_(pool, lane, number)->frame = number;
    set_frame(pool, lane, number, number);
    own->block_end = NULL;
}

void tarn_objects_empty_(tarn_objects *pool, uint32_t lane, uint64_t dropped)
{
    tarn_stock *stock = &pool->lanes[lane].stock;
    rewind_dropped(pool, lane, dropped);
    for (tarn_block *b = tarn_stock_drop_(stock); b; b = tarn_stock_drop_(stock))
        destroy_block(pool, b);
}

/* ---- allocation ---- */

static tarn_block *present_block(const tarn_objects *pool, const tarn_objects_lane *own,
                                 uint64_t number)
{
    return own->stock.sides[tarn_frame_side_(pool->frame, number)].last;
}

static bool next_block(tarn_objects *pool, tarn_lane_state *lane)
{
    uint32_t side = tarn_frame_side_(pool->frame, lane->hot.frame);
    tarn_objects_lane *own = &pool->lanes[lane->hot.index];
    tarn_block *block = take_block(pool, own, side);
    if (!block && tarn_scratch_give_up_(lane))
        block = take_block(pool, own, side);
    for (uint32_t attempt = 0; !block; attempt++) {
        if (!tarn_overflow_ask_(lane, pool->object_bytes, attempt))
            return false;
        block = take_block(pool, own, side);
    }
    pool->hot.parts[lane->hot.part]->cursor = tarn_objects_first_(pool, block);
    own->block_end = tarn_objects_end_of_(pool, block);
    return true;
}

/* Constructs an object at its first use, and resets it at each that follows. */
static bool ready(tarn_objects *pool, tarn_block *block, char *object)
{
    bool is_built = object < tarn_objects_first_(pool, block) + block->built_bytes;
    if (pool->frame->is_inspected)
        tarn_inspect_show(object, pool->object_bytes);
    if (is_built && pool->hooks.reset)
        pool->hooks.reset(pool->hooks.context, object);
    if (is_built)
        return true;
    if (pool->hooks.construct && !pool->hooks.construct(pool->hooks.context, object))
        return false;
    block->built_bytes += pool->hot.stride_bytes;
    return true;
}

/* How far the inline call may go on: over objects that need no hook and no look. */
static char *inline_limit(const tarn_objects *pool, tarn_block *block, char *next)
{
    if (pool->frame->is_watched || pool->hooks.reset)
        return next;
    return tarn_objects_first_(pool, block) + block->built_bytes;
}

static char *take(tarn_objects *pool, tarn_lane_state *lane)
{
    tarn_frame_pool_part_ *hot = pool->hot.parts[lane->hot.part];
    tarn_objects_lane *own = &pool->lanes[lane->hot.index];
    if (hot->cursor == own->block_end && !next_block(pool, lane))
        return NULL;
    tarn_block *block = present_block(pool, own, lane->hot.frame);
    char *object = hot->cursor;
    if (!ready(pool, block, object))
        return NULL;
    hot->cursor = object + pool->hot.stride_bytes;
    hot->limit = inline_limit(pool, block, hot->cursor);
    return object;
}

static void *alloc(tarn_objects *pool, tarn_lane_state *lane)
{
    if (pool->hot.parts[lane->hot.part]->frame != lane->hot.frame)
        begin(pool, lane->hot.index, lane->hot.frame);
    return take(pool, lane);
}

void *tarn_frame_pool_alloc_slow_(tarn_frame_pool *pool, tarn_lane *lane)
{
    tarn_lane_state *state = tarn_lane_state_of_(lane);
    tarn_objects *objects = tarn_objects_of_(pool);
    if (!state->frame->is_checked)
        return lane->frame ? alloc(objects, state) : NULL;
    if (!tarn_frame_watch_enter_(state))
        return NULL;
    void *object = alloc(objects, state);
    tarn_frame_watch_leave_(state);
    return object;
}

/* ---- the end ---- */

void tarn_objects_hide_(tarn_frame *frame, uint64_t number)
{
    for (const tarn_objects *pool = frame->objects; pool; pool = pool->next)
        for (uint32_t lane = 0; lane < frame->lanes_max; lane++)
            for (tarn_block *b = tarn_objects_block_(pool, number, lane); b; b = b->next)
                tarn_inspect_hide(
                    tarn_objects_first_(pool, b),
                    (size_t)(tarn_objects_end_of_(pool, b) - tarn_objects_first_(pool, b)));
}

tarn_status tarn_frame_pool_destroy(tarn_frame_pool *pool)
{
    if (!pool)
        return TARN_OK;
    tarn_objects *objects = tarn_objects_of_(pool);
    for (uint32_t lane = 0; lane < objects->frame->lanes_max; lane++)
        tarn_objects_empty_(objects, lane, UINT64_MAX);
    link_out(objects);
    give_back(objects);
    return TARN_OK;
}

void tarn_objects_end_(tarn_frame *frame)
{
    while (frame->objects)
        tarn_frame_pool_destroy(&frame->objects->hot);
}
