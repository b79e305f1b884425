#include "tarn/frame.h"

#include "base/inspect.h"
#include "base/size.h"
#include "frame/deferred.h"
#include "frame/drop.h"
#include "frame/gate.h"
#include "frame/guests.h"
#include "frame/idle.h"
#include "frame/links.h"
#include "frame/objects.h"
#include "frame/plan.h"
#include "frame/scratch.h"
#include "frame/stock.h"
#include "pool/registry.h"
#include "tarn/cache.h"
#include "tarn/space.h"

#include <string.h>

static bool ask_to_grow(void *context, tarn_pool *pool, size_t objects_now, size_t objects_next)
{
    tarn_frame *frame = context;
    (void)pool;
    return tarn_held_may_grow_(frame, (objects_next - objects_now) * frame->block_bytes);
}

/* One cache, which the frame holds and never uses, so that every call is served by the shared part:
 * the lanes keep blocks themselves. */
static tarn_status create_blocks(tarn_frame *frame)
{
    const tarn_frame_options *options = &frame->options;
    tarn_pool_options blocks = {.name = "frame blocks",
                                .object_bytes = frame->block_bytes,
                                .object_alignment = TARN_OBJECT_ALIGNMENT_MAX,
                                .capacity =
                                    tarn_size_max(1, options->memory_bytes / frame->block_bytes),
                                .capacity_max = options->memory_bytes_max / frame->block_bytes,
                                .grow = ask_to_grow,
                                .grow_context = frame,
                                .caches_max = 1,
                                .report = options->report,
                                .report_context = options->report_context,
                                .memory = &frame->memory};
    tarn_status status = tarn_pool_create(&blocks, &frame->blocks);
    return status == TARN_OK ? tarn_cache_attach(frame->blocks, &frame->cache) : status;
}

static void set_up_lanes(tarn_frame *frame)
{
    for (uint32_t i = 0; i <= frame->lanes_max; i++) {
        frame->lanes[i].frame = frame;
        frame->lanes[i].hot.index = i;
    }
    frame->host = &frame->lanes[frame->lanes_max];
}

/* The memory is zero, so only what differs from zero is set. */
static void set_up(tarn_frame *frame, const tarn_frame_plan *plan)
{
    const tarn_frame_options *options = &plan->options;
    char *base = (char *)frame;
    frame->options = *options;
    strncpy(frame->name, options->name, sizeof frame->name - 1);
    frame->options.name = frame->name;
    frame->memory = plan->memory;
    frame->options.memory = &frame->memory;
    frame->id = tarn_registry_new_id_();
    frame->sides = options->frames_in_flight;
    frame->slots = frame->sides + 1;
    frame->lanes_max = options->lanes_max;
    frame->gated = options->gated;
    frame->is_checked = plan->is_checked;
    frame->is_inspected = tarn_inspect_is_on();
    frame->is_watched = frame->is_checked || frame->is_inspected;
    frame->block_bytes = options->block_bytes;
    frame->memory_bytes_max = options->memory_bytes_max;
    frame->reserved_bytes = plan->reserved_bytes;
    frame->lanes = (tarn_lane_state *)(void *)(base + plan->lanes_offset_bytes);
    set_up_lanes(frame);
    tarn_links_init(&frame->links, (tarn_u32 *)(void *)(base + plan->links_offset_bytes),
                    sizeof(tarn_u32), (frame->lanes_max + 1) * tarn_links_per_lane_(frame));
    tarn_gate_init_(frame);
}

static tarn_frame *reserve(const tarn_frame_plan *plan)
{
    const tarn_memory *memory = &plan->memory;
    void *start = memory->reserve(memory->context, plan->reserved_bytes, memory->page_bytes);
    if (start && !memory->commit(memory->context, start, plan->reserved_bytes)) {
        memory->release(memory->context, start, plan->reserved_bytes);
        return NULL;
    }
    return start;
}

static void release(tarn_frame *frame)
{
    tarn_memory memory = frame->memory;
    if (frame->cache)
        tarn_cache_detach(frame->cache);
    tarn_pool_destroy(frame->blocks);
    tarn_pool_destroy(frame->batches);
    memory.release(memory.context, frame, frame->reserved_bytes);
}

tarn_status tarn_frame_create(const tarn_frame_options *options, tarn_frame **frame)
{
    tarn_frame_plan plan;
    if (frame)
        *frame = NULL;
    if (!options || !frame)
        return TARN_ERROR_INVALID;
    tarn_status status = tarn_frame_plan_(options, &plan);
    if (status != TARN_OK)
        return status;
    tarn_frame *made = reserve(&plan);
    if (!made)
        return TARN_ERROR_NO_MEMORY;
    set_up(made, &plan);
    status = create_blocks(made);
    if (status == TARN_OK)
        status = tarn_deferred_create_(made);
    if (status != TARN_OK) {
        release(made);
        return status;
    }
    tarn_guests_add_(made);
    *frame = made;
    return TARN_OK;
}

tarn_status tarn_frame_destroy(tarn_frame *frame)
{
    if (!frame)
        return TARN_OK;
    tarn_status status = tarn_gate_shut_for_good_(frame);
    if (status != TARN_OK)
        return status;
    tarn_guests_remove_(frame);
    tarn_drop_all_(frame);
    tarn_objects_end_(frame);
    for (uint32_t i = 0; i < frame->lanes_max; i++)
        tarn_scratch_empty_(&frame->lanes[i], UINT64_MAX);
    release(frame);
    return TARN_OK;
}

tarn_status tarn_frame_describe(const tarn_frame *frame, tarn_frame_info *info)
{
    if (!frame || !info)
        return TARN_ERROR_INVALID;
    const tarn_frame_options *options = &frame->options;
    *info = (tarn_frame_info){.name = frame->name,
                              .frames_in_flight = frame->sides,
                              .lanes_max = frame->lanes_max,
                              .block_bytes = frame->block_bytes,
                              .memory_bytes_max = frame->memory_bytes_max,
                              .memory_bytes = options->memory_bytes,
                              .deferred_max = options->deferred_max,
                              .retention = options->retention,
                              .retain_bytes = options->retain_bytes,
                              .gated = frame->gated,
                              .checked = frame->is_checked,
                              .inspected = frame->is_inspected};
    return TARN_OK;
}

tarn_status tarn_frame_trim(tarn_frame *frame, size_t *bytes)
{
    if (bytes)
        *bytes = 0;
    if (!frame)
        return TARN_ERROR_INVALID;
    tarn_idle_empty_(frame);
    return tarn_pool_trim(frame->blocks, 0, bytes);
}

tarn_status tarn_frame_maintain(tarn_frame *frame, size_t budget_bytes, size_t *bytes)
{
    if (bytes)
        *bytes = 0;
    if (!frame)
        return TARN_ERROR_INVALID;
    tarn_idle_empty_(frame);
    return tarn_pool_maintain(frame->blocks, budget_bytes, bytes);
}
