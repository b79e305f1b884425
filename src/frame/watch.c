#include "frame/watch.h"

#include "base/inspect.h"
#include "frame/objects.h"
#include "pool/report.h"

#include <string.h>

void tarn_frame_report_(const tarn_frame *frame, tarn_report report)
{
    report.pool_name = frame->name;
    report.slot = UINT64_MAX;
    tarn_report_to_(frame->options.report, frame->options.report_context, "frame", report);
}

/* ---- who uses a lane ---- */

bool tarn_frame_watch_enter_(tarn_lane_state *lane)
{
    uint32_t self = tarn_report_thread_();
    uint32_t user = 0;
    /* relaxed: a hand-over that the host ordered brings the cleared word with it. */
    while (!tarn_u32_cas_weak_relaxed(&lane->user, &user, self)) {
        if (user == 0)
            continue;
        tarn_frame_report_(
            lane->frame,
            (tarn_report){.misuse = TARN_MISUSE_SHARED_LANE, .object = lane, .other_thread = user});
        return false;
    }
    if (lane->hot.frame > 0)
        return true;
    tarn_frame_watch_leave_(lane);
    tarn_frame_report_(lane->frame, (tarn_report){.misuse = TARN_MISUSE_OUTSIDE, .object = lane});
    return false;
}

void tarn_frame_watch_leave_(tarn_lane_state *lane)
{
    /* relaxed: as above. */
    tarn_u32_store_relaxed(&lane->user, 0);
}

/* ---- what lies in blocks ---- */

static char *content(tarn_block *block)
{
    return (char *)block + TARN_BLOCK_HEADER_BYTES;
}

static char *end_of(const tarn_frame *frame, tarn_block *block)
{
    return (char *)block + frame->block_bytes;
}

/* Makes memory nobody's. */
static void withdraw(const tarn_frame *frame, char *start, char *end)
{
    size_t bytes = (size_t)(end - start);
    if (frame->is_checked) {
        tarn_inspect_show(start, bytes);
        memset(start, TARN_BYTE_FREE, bytes);
    }
    if (frame->is_inspected)
        tarn_inspect_hide(start, bytes);
}

void tarn_frame_watch_new_block_(const tarn_frame *frame, tarn_block *block)
{
    withdraw(frame, content(block), end_of(frame, block));
}

/* Reports the first byte that is not as it was left, and makes all of them so again. */
static void expect_free(const tarn_frame *frame, char *start, size_t bytes, tarn_report report)
{
    size_t offset = 0;
    tarn_inspect_show(start, bytes);
    while (offset < bytes && (unsigned char)start[offset] == TARN_BYTE_FREE)
        offset++;
    if (offset < bytes) {
        memset(start + offset, TARN_BYTE_FREE, bytes - offset);
        report.offset += offset;
        tarn_frame_report_(frame, report);
    }
    if (frame->is_inspected)
        tarn_inspect_hide(start, bytes);
}

void tarn_frame_watch_red_zone_(tarn_lane_state *lane)
{
    char *red_zone = lane->red_zone;
    lane->red_zone = NULL;
    if (!red_zone)
        return;
    size_t bytes = (size_t)(lane->hot.cursor - red_zone);
    size_t offset = (size_t)(red_zone - lane->red_zone_owner);
    expect_free(lane->frame, red_zone, bytes,
                (tarn_report){.misuse = TARN_MISUSE_OVERRUN,
                              .object = lane->red_zone_owner,
                              .offset = offset});
}

void tarn_frame_watch_hand_out_(tarn_lane_state *lane, char *start, size_t bytes, size_t step)
{
    const tarn_frame *frame = lane->frame;
    if (frame->is_checked) {
        tarn_frame_watch_red_zone_(lane);
        expect_free(frame, start, step,
                    (tarn_report){.misuse = TARN_MISUSE_STALE_FRAME, .object = start});
        lane->red_zone = start + bytes;
        lane->red_zone_owner = start;
    }
    tarn_inspect_show(start, bytes);
    tarn_inspect_forget(start, bytes);
}

/* ---- spans ---- */

void tarn_frame_watch_kept_span_(const tarn_frame *frame, tarn_span *span)
{
    expect_free(frame, span->start, span->used_bytes,
                (tarn_report){.misuse = TARN_MISUSE_STALE_FRAME, .object = span->start});
}

void tarn_frame_watch_span_(tarn_lane_state *lane, tarn_span *span, size_t bytes)
{
    const tarn_frame *frame = lane->frame;
    char *end = (char *)span;
    if (frame->is_inspected) {
        tarn_inspect_hide(span->start, (size_t)(end - span->start));
        tarn_inspect_show(span->start, bytes);
        tarn_inspect_forget(span->start, bytes);
    }
    if (!frame->is_checked)
        return;
    tarn_inspect_show(span->start + bytes, TARN_FRAME_RED_ZONE_BYTES);
    memset(span->start + bytes, TARN_BYTE_FREE, TARN_FRAME_RED_ZONE_BYTES);
    if (frame->is_inspected)
        tarn_inspect_hide(span->start + bytes, TARN_FRAME_RED_ZONE_BYTES);
}

static void withdraw_span(const tarn_frame *frame, tarn_span *span)
{
    size_t bytes = span->used_bytes - TARN_FRAME_RED_ZONE_BYTES;
    if (frame->is_checked)
        expect_free(
            frame, span->start + bytes, TARN_FRAME_RED_ZONE_BYTES,
            (tarn_report){.misuse = TARN_MISUSE_OVERRUN, .object = span->start, .offset = bytes});
    withdraw(frame, span->start, span->start + span->used_bytes);
}

static void withdraw_spans(const tarn_frame *frame, const tarn_side *side, const tarn_span *last)
{
    for (tarn_span *span = side->spans; span && span != last; span = span->next)
        withdraw_span(frame, span);
}

/* ---- going back ---- */

void tarn_frame_watch_rewind_(tarn_lane_state *lane, const tarn_mark *mark)
{
    const tarn_frame *frame = lane->frame;
    uint32_t side = tarn_frame_side_(frame, lane->begun);
    tarn_chain *chain = &lane->stock.sides[side];
    tarn_block *marked = mark->block;
    if (frame->is_checked)
        tarn_frame_watch_red_zone_(lane);
    if (marked)
        withdraw(frame, mark->cursor, end_of(frame, marked));
    for (tarn_block *b = marked ? marked->next : chain->first; b; b = b->next)
        withdraw(frame, content(b), end_of(frame, b));
    withdraw_spans(frame, &lane->sides[side], mark->span);
}

static void drop_lane(const tarn_frame *frame, tarn_lane_state *lane, uint64_t number)
{
    uint32_t side = tarn_frame_side_(frame, number);
    /* relaxed: a lane that has memory of the frame said so before it left. */
    if (tarn_u64_load_relaxed(&lane->sides[side].frame) != number)
        return;
    if (frame->is_checked && lane->begun == number)
        tarn_frame_watch_red_zone_(lane);
    for (tarn_block *b = lane->stock.sides[side].first; b; b = b->next)
        withdraw(frame, content(b), end_of(frame, b));
    withdraw_spans(frame, &lane->sides[side], NULL);
}

void tarn_frame_watch_drop_(tarn_frame *frame, uint64_t number)
{
    for (uint32_t i = 0; i < frame->lanes_max; i++)
        drop_lane(frame, &frame->lanes[i], number);
    if (frame->is_inspected)
        tarn_objects_hide_(frame, number);
}
