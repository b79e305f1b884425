#include "frame/gate.h"
#include "frame/lane.h"
#include "frame/scratch.h"

static size_t committed_bytes(const tarn_frame *frame)
{
    tarn_pool_info blocks, batches;
    tarn_pool_describe(frame->blocks, &blocks);
    tarn_pool_describe(frame->batches, &batches);
    /* relaxed: a figure. */
    uint64_t others =
        tarn_u64_load_relaxed(&frame->span_bytes) + tarn_u64_load_relaxed(&frame->objects_bytes);
    return frame->reserved_bytes + blocks.committed_bytes + batches.committed_bytes +
           (size_t)others;
}

static void add_lane(const tarn_lane_state *lane, tarn_frame_statistics *sum)
{
    /* relaxed: figures. */
    sum->lanes += tarn_u64_load_relaxed(&lane->owner) > TARN_LANE_BUSY;
    sum->overflows_full += tarn_u64_load_relaxed(&lane->overflows_full);
    sum->overflows_too_large += tarn_u64_load_relaxed(&lane->overflows_too_large);
}

tarn_status tarn_frame_sample(const tarn_frame *frame, tarn_frame_statistics *statistics)
{
    if (!frame || !statistics)
        return TARN_ERROR_INVALID;
    uint64_t gate = tarn_gate_look_(frame);
    /* relaxed: figures. */
    *statistics = (tarn_frame_statistics){
        .frame = tarn_gate_number_(gate),
        .completed = frame->gated ? tarn_u64_load_relaxed(&frame->completed)
                                  : tarn_frame_dropped_(frame, tarn_gate_number_(gate)),
        .lanes_inside = (uint32_t)(gate & TARN_GATE_INSIDE_MASK),
        .held_bytes = (size_t)tarn_u64_load_relaxed(&frame->held_bytes),
        .committed_bytes = committed_bytes(frame),
        .late_refusals = tarn_u64_load_relaxed(&frame->late_refusals),
        .deferred = tarn_u64_load_relaxed(&frame->deferred),
        .deferred_stale = tarn_u64_load_relaxed(&frame->deferred_stale),
    };
    for (uint32_t i = 0; i < frame->lanes_max; i++)
        add_lane(&frame->lanes[i], statistics);
    return TARN_OK;
}

/* What the lane has of the open frame: nothing, if it has not turned to it yet. */
static size_t open_bytes(const tarn_frame *frame, const tarn_lane_state *lane)
{
    /* relaxed: a figure. */
    bool has_turned = tarn_u64_load_relaxed(&lane->begun_seen) == tarn_frame_number(frame);
    return has_turned ? (size_t)tarn_scratch_bytes_(lane) : 0;
}

tarn_status tarn_lane_sample(const tarn_frame *frame, uint32_t index,
                             tarn_lane_statistics *statistics)
{
    if (!frame || !statistics || index >= frame->lanes_max)
        return TARN_ERROR_INVALID;
    const tarn_lane_state *lane = &frame->lanes[index];
    /* relaxed: figures. */
    *statistics = (tarn_lane_statistics){
        .attached = tarn_u64_load_relaxed(&lane->owner) > TARN_LANE_BUSY,
        .inside = tarn_u32_load_relaxed(&lane->is_inside),
        .bytes = open_bytes(frame, lane),
        .bytes_peak = (size_t)tarn_u64_load_relaxed(&lane->bytes_peak),
        .blocks = tarn_u32_load_relaxed(&lane->stock.held),
        .blocks_kept = tarn_u32_load_relaxed(&lane->stock.kept_count),
        .spans = tarn_u32_load_relaxed(&lane->spans_count),
        .spans_kept = tarn_u32_load_relaxed(&lane->spans_kept_count),
        .span_bytes = (size_t)tarn_u64_load_relaxed(&lane->span_bytes),
        .overflows_full = tarn_u64_load_relaxed(&lane->overflows_full),
        .overflows_too_large = tarn_u64_load_relaxed(&lane->overflows_too_large),
    };
    if (statistics->bytes > statistics->bytes_peak)
        statistics->bytes_peak = statistics->bytes;
    for (uint32_t i = 0; i < TARN_LANE_SIZES; i++)
        statistics->frames_by_size[i] = tarn_u64_load_relaxed(&lane->frames_by_size[i]);
    tarn_lane_label_(lane, statistics->label);
    return TARN_OK;
}
