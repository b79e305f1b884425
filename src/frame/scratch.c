#include "frame/scratch.h"

#include "base/size.h"
#include "frame/finalizers.h"
#include "frame/overflow.h"
#include "frame/spans.h"
#include "frame/stock.h"
#include "frame/watch.h"

/* ---- the cursor ---- */

static char *cursor(const tarn_lane_state *lane)
{
    /* relaxed: the owner's own; others only sample it. */
    return TARN_LOAD_RELAXED(&lane->hot.cursor);
}

static void set_cursor(tarn_lane_state *lane, char *place)
{
    /* relaxed: as above. In a watched frame every call comes here. */
    TARN_STORE_RELAXED(&lane->hot.cursor, place);
    TARN_STORE_RELAXED(&lane->hot.limit, lane->frame->is_watched ? place : lane->block_end);
}

static uint64_t bytes_in_block(const tarn_lane_state *lane)
{
    /* relaxed: the two may be of different blocks for an instant. */
    uint64_t start = tarn_u64_load_relaxed(&lane->block_start);
    uint64_t now = (uint64_t)(uintptr_t)cursor(lane);
    return now >= start && now - start <= lane->frame->block_bytes ? now - start : 0;
}

uint64_t tarn_scratch_bytes_(const tarn_lane_state *lane)
{
    /* relaxed: a figure for samples. */
    return tarn_u64_load_relaxed(&lane->full_bytes) + bytes_in_block(lane);
}

static void set_figures(tarn_lane_state *lane, uint64_t full_bytes, const char *block_start)
{
    /* relaxed: figures for samples. */
    tarn_u64_store_relaxed(&lane->full_bytes, full_bytes);
    tarn_u64_store_relaxed(&lane->block_start, (uint64_t)(uintptr_t)block_start);
}

static void set_block(tarn_lane_state *lane, tarn_block *block, char *place)
{
    char *start = block ? (char *)block + TARN_BLOCK_HEADER_BYTES : NULL;
    lane->block_end = block ? (char *)block + lane->frame->block_bytes : NULL;
    lane->red_zone = NULL;
    set_figures(lane, tarn_scratch_bytes_(lane), start);
    set_cursor(lane, place ? place : start);
}

static uint32_t open_side(const tarn_lane_state *lane)
{
    return tarn_frame_side_(lane->frame, lane->begun);
}

void tarn_scratch_open_(tarn_lane_state *lane)
{
    set_cursor(lane, cursor(lane));
}

void tarn_scratch_shut_(tarn_lane_state *lane)
{
    /* relaxed: as above. */
    TARN_STORE_RELAXED(&lane->hot.limit, cursor(lane));
}

/* ---- from frame to frame ---- */

static uint32_t size_class(uint64_t bytes)
{
    return (uint32_t)tarn_size_min(tarn_bits_for(bytes), TARN_LANE_SIZES - 1);
}

static void count_frames(tarn_lane_state *lane, uint32_t size, uint64_t frames)
{
    /* relaxed: figures for samples. */
    tarn_u64_fetch_add_relaxed(&lane->frames_by_size[size], frames);
}

/* Before bytes are dropped or rewound. */
static void note_peak(tarn_lane_state *lane)
{
    uint64_t bytes = tarn_scratch_bytes_(lane);
    if (bytes > lane->frame_peak)
        lane->frame_peak = bytes;
    /* relaxed: figures for samples; the owner alone writes them. */
    if (bytes > tarn_u64_load_relaxed(&lane->bytes_peak))
        tarn_u64_store_relaxed(&lane->bytes_peak, bytes);
}

static void count_frame(tarn_lane_state *lane, uint64_t number)
{
    note_peak(lane);
    if (lane->begun > 0)
        count_frames(lane, size_class(lane->frame_peak), 1);
    lane->frame_peak = 0;
    count_frames(lane, 0, number - lane->begun - 1);
}

static void rewind_dropped(tarn_lane_state *lane, uint64_t dropped)
{
    for (uint32_t i = 0; i < lane->frame->sides; i++) {
        tarn_side *side = &lane->sides[i];
        /* relaxed: the owner's own; who drops another frame only sees that it is none of it. */
        uint64_t number = tarn_u64_load_relaxed(&side->frame);
        if (number == 0 || number > dropped)
            continue;
        tarn_stock_rewind_(&lane->stock, i, NULL);
        tarn_spans_rewind_(lane, i, NULL);
        tarn_u64_store_relaxed(&side->frame, 0);
    }
}

static void give_back_surplus(tarn_lane_state *lane, uint64_t number)
{
    /* relaxed: the owner's own. */
    size_t span_bytes = (size_t)tarn_u64_load_relaxed(&lane->span_bytes);
    uint32_t surplus = tarn_stock_surplus_(lane->frame, &lane->stock, span_bytes);
    while (surplus-- > 0)
        tarn_stock_free_(lane->frame, tarn_stock_drop_(&lane->stock));
    if (lane->spans_kept)
        tarn_spans_maintain_(lane, number);
}

bool tarn_scratch_give_up_(tarn_lane_state *lane)
{
    bool has_any = lane->spans_kept || lane->stock.kept.first;
    for (tarn_block *b = tarn_stock_drop_(&lane->stock); b; b = tarn_stock_drop_(&lane->stock))
        tarn_stock_free_(lane->frame, b);
    tarn_spans_release_kept_(lane);
    return has_any;
}

void tarn_scratch_empty_(tarn_lane_state *lane, uint64_t dropped)
{
    rewind_dropped(lane, dropped);
    tarn_scratch_give_up_(lane);
}

void tarn_scratch_begin_(tarn_lane_state *lane, uint64_t number)
{
    count_frame(lane, number);
    tarn_stock_note_(&lane->stock);
    rewind_dropped(lane, tarn_frame_dropped_(lane->frame, number));
    give_back_surplus(lane, number);
    lane->begun = number;
    /* relaxed: for samples, and see rewind_dropped. */
    tarn_u64_store_relaxed(&lane->begun_seen, number);
    tarn_u64_store_relaxed(&lane->sides[open_side(lane)].frame, number);
    if (lane->frame->is_checked)
        tarn_frame_watch_red_zone_(lane);
    set_block(lane, NULL, NULL);
    set_figures(lane, 0, NULL);
}

/* ---- allocation ---- */

typedef struct request {
    size_t bytes, alignment;
    size_t space_bytes; /* with what alignment and red zone may add */
} request;

static bool plan(const tarn_lane_state *lane, size_t bytes, size_t alignment, request *r)
{
    size_t extra = lane->frame->is_watched ? TARN_FRAME_RED_ZONE_BYTES : 0;
    if (alignment > TARN_FRAME_ALIGNMENT)
        extra += alignment - TARN_FRAME_ALIGNMENT;
    *r = (request){bytes, tarn_size_max(alignment, TARN_FRAME_ALIGNMENT), 0};
    return tarn_size_round_up(bytes, TARN_FRAME_ALIGNMENT, &r->space_bytes) &&
           tarn_size_add(r->space_bytes, extra, &r->space_bytes);
}

static void *from_block(tarn_lane_state *lane, const request *r)
{
    size_t red_zone_bytes = lane->frame->is_watched ? TARN_FRAME_RED_ZONE_BYTES : 0;
    size_t room = (size_t)(lane->block_end - cursor(lane));
    size_t padding = (size_t)(-(uintptr_t)cursor(lane)) & (r->alignment - 1);
    size_t step = (r->bytes + TARN_FRAME_ALIGNMENT - 1) & ~(TARN_FRAME_ALIGNMENT - 1);
    if (!lane->block_end || padding + step + red_zone_bytes > room)
        return NULL;
    char *start = cursor(lane) + padding;
    if (lane->frame->is_watched)
        tarn_frame_watch_hand_out_(lane, start, r->bytes, step);
    set_cursor(lane, start + step + red_zone_bytes);
    return start;
}

static bool next_block(tarn_lane_state *lane)
{
    bool is_new;
    tarn_block *block = tarn_stock_take_(lane->frame, &lane->stock, open_side(lane), &is_new);
    if (!block)
        return false;
    if (is_new && lane->frame->is_watched)
        tarn_frame_watch_new_block_(lane->frame, block);
    if (lane->frame->is_checked)
        tarn_frame_watch_red_zone_(lane);
    set_block(lane, block, NULL);
    return true;
}

static void *from_span(tarn_lane_state *lane, const request *r)
{
    size_t red_zone_bytes = lane->frame->is_watched ? TARN_FRAME_RED_ZONE_BYTES : 0;
    char *start = tarn_spans_take_(lane, r->bytes + red_zone_bytes, r->alignment);
    if (start && lane->frame->is_watched)
        tarn_frame_watch_span_(lane, lane->sides[open_side(lane)].spans, r->bytes);
    return start;
}

static bool needs_span(const tarn_lane_state *lane, const request *r)
{
    return r->space_bytes > (lane->frame->block_bytes - TARN_BLOCK_HEADER_BYTES) / 2;
}

static bool can_ever_hold(const tarn_lane_state *lane, const request *r)
{
    return !needs_span(lane, r) || tarn_spans_can_hold_(lane, r->space_bytes);
}

static void *obtain(tarn_lane_state *lane, const request *r)
{
    if (needs_span(lane, r))
        return from_span(lane, r);
    void *start = from_block(lane, r);
    if (!start && next_block(lane))
        start = from_block(lane, r);
    return start;
}

static void *obtain_or_ask(tarn_lane_state *lane, const request *r)
{
    void *start = obtain(lane, r);
    if (!start && tarn_scratch_give_up_(lane))
        start = obtain(lane, r);
    for (uint32_t attempt = 0; !start && tarn_overflow_ask_(lane, r->bytes, attempt); attempt++)
        start = obtain(lane, r);
    return start;
}

static bool is_alignment(size_t alignment)
{
    return tarn_is_power_of_two(alignment) && alignment <= TARN_FRAME_ALIGNMENT_MAX;
}

static void *alloc(tarn_lane_state *lane, size_t bytes, size_t alignment)
{
    request r;
    if (!plan(lane, tarn_size_max(bytes, 1), alignment, &r) || !can_ever_hold(lane, &r)) {
        tarn_overflow_count_(lane, bytes, true);
        return NULL;
    }
    return obtain_or_ask(lane, &r);
}

void *tarn_frame_alloc_slow_(tarn_lane *lane, size_t bytes, size_t alignment)
{
    if (!is_alignment(alignment))
        return NULL;
    tarn_lane_state *state = tarn_lane_state_of_(lane);
    if (!state->frame->is_checked)
        return lane->frame ? alloc(state, bytes, alignment) : NULL;
    if (!tarn_frame_watch_enter_(state))
        return NULL;
    void *start = alloc(state, bytes, alignment);
    tarn_frame_watch_leave_(state);
    return start;
}

void *tarn_frame_array_(tarn_lane *lane, size_t count, size_t bytes, size_t alignment)
{
    size_t total;
    if (!tarn_size_multiply(count, bytes, &total))
        total = SIZE_MAX; /* refused, and counted, as any other that is too large */
    return tarn_frame_alloc_aligned(lane, total, alignment);
}

/* ---- marks ---- */

tarn_mark tarn_lane_mark(tarn_lane *lane)
{
    tarn_mark mark = {NULL, 0, NULL, NULL, NULL, NULL, 0};
    if (!lane || lane->frame == 0)
        return mark;
    const tarn_lane_state *state = tarn_lane_state_of_(lane);
    uint32_t i = open_side(state);
    const tarn_side *side = &state->sides[i];
    return (tarn_mark){.lane = lane,
                       .frame = lane->frame,
                       .block = state->stock.sides[i].last,
                       .span = side->spans,
                       .finalizer = side->finalizers,
                       .cursor = cursor(state),
                       .bytes = tarn_scratch_bytes_(state)};
}

static bool is_reachable(const tarn_lane_state *lane, const tarn_mark *mark)
{
    uint32_t i = open_side(lane);
    const tarn_side *side = &lane->sides[i];
    const tarn_block *last = lane->stock.sides[i].last;
    if (mark->block && !tarn_stock_has_(&lane->stock, i, mark->block))
        return false;
    if (mark->block == last && mark->cursor > cursor(lane))
        return false;
    return tarn_spans_have_(side, mark->span) && tarn_finalizers_have_(side, mark->finalizer);
}

static void rewind_to(tarn_lane_state *lane, const tarn_mark *mark)
{
    uint32_t i = open_side(lane);
    tarn_finalizers_run_to_(&lane->sides[i], mark->finalizer);
    note_peak(lane);
    if (lane->frame->is_watched)
        tarn_frame_watch_rewind_(lane, mark);
    tarn_spans_rewind_(lane, i, mark->span);
    if (mark->block != lane->stock.sides[i].last)
        tarn_stock_rewind_(&lane->stock, i, mark->block);
    set_block(lane, mark->block, mark->cursor);
    /* relaxed: figures for samples. */
    uint64_t start = tarn_u64_load_relaxed(&lane->block_start);
    tarn_u64_store_relaxed(&lane->full_bytes,
                           mark->bytes - ((uint64_t)(uintptr_t)mark->cursor - start));
}

tarn_status tarn_lane_rewind(tarn_lane *lane, tarn_mark mark)
{
    if (!lane || (mark.lane && mark.lane != lane))
        return TARN_ERROR_INVALID;
    if (lane->frame == 0)
        return TARN_ERROR_OUTSIDE;
    if (!mark.lane)
        return TARN_OK;
    tarn_lane_state *state = tarn_lane_state_of_(lane);
    if (mark.frame != lane->frame || !is_reachable(state, &mark))
        return TARN_ERROR_STALE;
    rewind_to(state, &mark);
    return TARN_OK;
}
