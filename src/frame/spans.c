#include "frame/spans.h"

#include "base/inspect.h"
#include "base/size.h"
#include "frame/stock.h"
#include "frame/watch.h"

/* With TARN_RETAIN_DECAY a span that no frame has used for so long goes. */
#define IDLE_FRAMES_MAX 64u

/* Sizes are rounded so that a kept span fits requests that differ a little. */
#define SIZES_PER_DOUBLING 4u

static void count(tarn_lane_state *lane, int32_t spans, int32_t kept, int64_t bytes)
{
    /* relaxed: figures for samples. */
    tarn_u32_fetch_add_relaxed(&lane->spans_count, (uint32_t)spans);
    tarn_u32_fetch_add_relaxed(&lane->spans_kept_count, (uint32_t)kept);
    tarn_u64_fetch_add_relaxed(&lane->span_bytes, (uint64_t)bytes);
    tarn_u64_fetch_add_relaxed(&lane->frame->span_bytes, (uint64_t)bytes);
}

/* Whole pages for the request and the span's own struct; false when no number holds them. */
static bool round_size(const tarn_lane_state *lane, size_t bytes, size_t *rounded)
{
    size_t needed = 0;
    if (!tarn_size_add(bytes, sizeof(tarn_span) + 2 * TARN_FRAME_ALIGNMENT, &needed))
        return false;
    size_t step = lane->frame->memory.page_bytes;
    while (step < needed / (2 * SIZES_PER_DOUBLING))
        step *= 2;
    return tarn_size_round_up(needed, step, rounded);
}

bool tarn_spans_can_hold_(const tarn_lane_state *lane, size_t bytes)
{
    size_t rounded;
    return round_size(lane, bytes, &rounded) && rounded <= lane->frame->memory_bytes_max;
}

static void release(tarn_lane_state *lane, tarn_span *span)
{
    tarn_frame *frame = lane->frame;
    char *start = span->start;
    size_t bytes = span->bytes;
    if (frame->is_inspected)
        tarn_inspect_show(start, bytes);
    count(lane, -1, -1, -(int64_t)bytes);
    frame->memory.release(frame->memory.context, start, bytes);
    tarn_held_subtract_(frame, bytes);
}

void tarn_spans_release_kept_(tarn_lane_state *lane)
{
    while (lane->spans_kept) {
        tarn_span *span = lane->spans_kept;
        lane->spans_kept = span->next;
        release(lane, span);
    }
}

static char *supply(tarn_frame *frame, size_t bytes, size_t alignment)
{
    const tarn_memory *memory = &frame->memory;
    if (!tarn_held_may_grow_(frame, bytes))
        return NULL;
    char *start =
        memory->reserve(memory->context, bytes, tarn_size_max(alignment, memory->page_bytes));
    if (start && !memory->commit(memory->context, start, bytes)) {
        memory->release(memory->context, start, bytes);
        start = NULL;
    }
    return start;
}

static tarn_span *make(tarn_lane_state *lane, size_t bytes, size_t alignment)
{
    tarn_frame *frame = lane->frame;
    if (!tarn_held_add_(frame, bytes))
        return NULL;
    char *start = supply(frame, bytes, alignment);
    if (!start) {
        tarn_held_subtract_(frame, bytes);
        return NULL;
    }
    tarn_span *span = (tarn_span *)(void *)(start + bytes - sizeof *span);
    *span = (tarn_span){.start = start, .bytes = bytes};
    count(lane, 1, 0, (int64_t)bytes);
    return span;
}

/* The smallest that fits, unless most of it would lie idle. */
static tarn_span **find_kept(tarn_lane_state *lane, size_t bytes, size_t alignment)
{
    tarn_span **best = NULL;
    for (tarn_span **at = &lane->spans_kept; *at; at = &(*at)->next) {
        const tarn_span *span = *at;
        bool fits = span->bytes >= bytes && span->bytes / 4 <= bytes &&
                    ((uintptr_t)span->start & (alignment - 1)) == 0;
        if (fits && (!best || span->bytes < (*best)->bytes))
            best = at;
    }
    return best;
}

static tarn_span *take_kept(tarn_lane_state *lane, size_t bytes, size_t alignment)
{
    tarn_span **at = find_kept(lane, bytes, alignment);
    if (!at)
        return NULL;
    tarn_span *span = *at;
    *at = span->next;
    count(lane, 0, -1, 0);
    return span;
}

/* What is kept and does not fit must not stand in the way of what is needed. */
static tarn_span *obtain(tarn_lane_state *lane, size_t bytes, size_t alignment)
{
    tarn_span *span = take_kept(lane, bytes, alignment);
    if (!span)
        span = make(lane, bytes, alignment);
    if (!span && lane->spans_kept) {
        tarn_spans_release_kept_(lane);
        span = make(lane, bytes, alignment);
    }
    return span;
}

void *tarn_spans_take_(tarn_lane_state *lane, size_t bytes, size_t alignment)
{
    size_t rounded = 0;
    if (!round_size(lane, bytes, &rounded))
        return NULL;
    tarn_span *span = obtain(lane, rounded, alignment);
    if (!span)
        return NULL;
    if (lane->frame->is_checked)
        tarn_frame_watch_kept_span_(lane->frame, span);
    tarn_side *side = &lane->sides[tarn_frame_side_(lane->frame, lane->hot.frame)];
    span->next = side->spans;
    span->frame = lane->hot.frame;
    span->used_bytes = bytes;
    side->spans = span;
    /* relaxed: a figure for samples. */
    tarn_u64_store_relaxed(&lane->full_bytes, tarn_u64_load_relaxed(&lane->full_bytes) + bytes);
    return span->start;
}

void tarn_spans_rewind_(tarn_lane_state *lane, uint32_t side, const tarn_span *last)
{
    tarn_side *own = &lane->sides[side];
    while (own->spans && own->spans != last) {
        tarn_span *span = own->spans;
        own->spans = span->next;
        span->next = lane->spans_kept;
        lane->spans_kept = span;
        count(lane, 0, 1, 0);
    }
}

bool tarn_spans_have_(const tarn_side *side, const tarn_span *last)
{
    const tarn_span *span = side->spans;
    while (span && span != last)
        span = span->next;
    return span == last;
}

static bool is_surplus(const tarn_lane_state *lane, const tarn_span *span, uint64_t number)
{
    const tarn_frame *frame = lane->frame;
    if (frame->options.retention == TARN_RETAIN_ALL)
        return false;
    if (frame->options.retention == TARN_RETAIN_DECAY)
        return number - span->frame > IDLE_FRAMES_MAX;
    /* relaxed: the owner's own. */
    uint64_t held_bytes = tarn_u64_load_relaxed(&lane->span_bytes) +
                          tarn_u32_load_relaxed(&lane->stock.held) * (uint64_t)frame->block_bytes;
    return held_bytes > frame->options.retain_bytes;
}

void tarn_spans_maintain_(tarn_lane_state *lane, uint64_t number)
{
    for (tarn_span **at = &lane->spans_kept; *at;) {
        tarn_span *span = *at;
        if (!is_surplus(lane, span, number)) {
            at = &span->next;
            continue;
        }
        *at = span->next;
        release(lane, span);
    }
}
