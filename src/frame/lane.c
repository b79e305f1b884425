#include "tarn/lane.h"

#include "base/backoff.h"
#include "base/size.h"
#include "base/thread.h"
#include "frame/deferred.h"
#include "frame/gate.h"
#include "frame/lane.h"
#include "frame/links.h"
#include "frame/scratch.h"
#include "frame/watch.h"

#include <string.h>

/* ---- whose a lane is ---- */

tarn_lane_state *tarn_lane_find_(tarn_frame *frame, uint64_t owner)
{
    for (uint32_t i = 0; i < frame->lanes_max; i++)
        /* relaxed: only the thread that set it looks for it. */
        if (tarn_u64_load_relaxed(&frame->lanes[i].owner) == owner)
            return &frame->lanes[i];
    return NULL;
}

/* Word by word, so that others can read it at any time. */
static void set_label(tarn_lane_state *lane, const char *label)
{
    uint64_t words[TARN_LANE_LABEL_BYTES_MAX / 8] = {0};
    memcpy(words, label, tarn_size_min(strlen(label), sizeof words - 1));
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        /* relaxed: a name for people. */
        tarn_u64_store_relaxed(&lane->label[i], words[i]);
}

void tarn_lane_label_(const tarn_lane_state *lane, char label[TARN_LANE_LABEL_BYTES_MAX])
{
    uint64_t words[TARN_LANE_LABEL_BYTES_MAX / 8];
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        /* relaxed: as above. */
        words[i] = tarn_u64_load_relaxed(&lane->label[i]);
    memcpy(label, words, sizeof words);
}

bool tarn_lane_try_claim_(tarn_lane_state *lane)
{
    uint64_t seen = TARN_LANE_FREE;
    return tarn_u64_load_relaxed(&lane->owner) == seen && /* relaxed: the CAS decides. */
           tarn_u64_cas_strong_acquire(&lane->owner, &seen, TARN_LANE_BUSY); /* E15 */
}

void tarn_lane_give_back_(tarn_lane_state *lane)
{
    tarn_u64_store_release(&lane->owner, TARN_LANE_FREE); /* E15 */
}

static tarn_lane_state *claim_any(tarn_frame *frame, bool *saw_busy)
{
    *saw_busy = false;
    for (uint32_t i = 0; i < frame->lanes_max; i++) {
        tarn_lane_state *lane = &frame->lanes[i];
        if (tarn_lane_try_claim_(lane))
            return lane;
        /* relaxed: only worth another look. */
        *saw_busy |= tarn_u64_load_relaxed(&lane->owner) <= TARN_LANE_BUSY;
    }
    return NULL;
}

/* A lane that is being emptied or claimed may be free in an instant. */
tarn_lane_state *tarn_lane_claim_(tarn_frame *frame, uint64_t owner, const char *label)
{
    tarn_backoff backoff = TARN_BACKOFF_INIT;
    bool saw_busy;
    tarn_lane_state *lane = claim_any(frame, &saw_busy);
    for (; !lane && saw_busy; lane = claim_any(frame, &saw_busy)) {
        tarn_backoff_wait(&backoff);
        tarn_thread_yield();
    }
    if (!lane)
        return NULL;
    set_label(lane, label);
    /* relaxed: the claimer's own; only a lane that is free is claimed. */
    tarn_u64_store_relaxed(&lane->owner, owner);
    return lane;
}

static void leave_fully(tarn_lane_state *lane)
{
    if (lane->depth == 0)
        return;
    lane->depth = 1;
    tarn_lane_leave(&lane->hot);
}

void tarn_lane_abandon_(tarn_lane_state *lane)
{
    leave_fully(lane);
    tarn_lane_give_back_(lane);
}

tarn_status tarn_lane_attach(tarn_frame *frame, const char *label, tarn_lane **lane)
{
    if (lane)
        *lane = NULL;
    if (!frame || !lane)
        return TARN_ERROR_INVALID;
    tarn_lane_state *state = tarn_lane_claim_(frame, TARN_LANE_ATTACHED, label ? label : "lane");
    if (!state)
        return TARN_ERROR_NO_LANE;
    *lane = &state->hot;
    return TARN_OK;
}

static bool is_attached(const tarn_lane_state *lane)
{
    /* relaxed: the caller's own lane. */
    return tarn_u64_load_relaxed(&lane->owner) == TARN_LANE_ATTACHED;
}

tarn_status tarn_lane_detach(tarn_lane *lane)
{
    if (!lane)
        return TARN_ERROR_INVALID;
    tarn_lane_state *state = tarn_lane_state_of_(lane);
    if (!is_attached(state))
        return TARN_ERROR_NOT_ATTACHED;
    tarn_lane_abandon_(state);
    return TARN_OK;
}

/* ---- inside and outside ---- */

static void set_inside(tarn_lane_state *lane, bool is_inside)
{
    /* relaxed: so that a late lane can be named. */
    tarn_u32_store_relaxed(&lane->is_inside, is_inside);
}

/* Before the lane's memory is used again, those finalizers have run that lie in it: the thread that
 * ended the frame did so. */
static void turn_to(tarn_lane_state *lane, uint64_t number)
{
    tarn_frame *frame = lane->frame;
    uint64_t dropped = tarn_frame_dropped_(frame, number);
    tarn_scratch_begin_(lane, number);
    if (dropped > 0 && !tarn_links_are_empty_(frame))
        tarn_deferred_run_(frame, tarn_frame_slot_(frame, dropped), SIZE_MAX,
                           (tarn_home){lane, tarn_frame_slot_(frame, number)});
}

static tarn_status enter_outermost(tarn_lane_state *lane)
{
    uint64_t number = 0;
    /* relaxed: the caller's own lane. */
    if (tarn_u64_load_relaxed(&lane->owner) <= TARN_LANE_BUSY)
        return TARN_ERROR_NOT_ATTACHED;
    set_inside(lane, true);
    tarn_status status = tarn_gate_enter_(lane->frame, &number);
    if (status != TARN_OK) {
        set_inside(lane, false);
        return status;
    }
    lane->depth = 1;
    lane->hot.frame = number;
    lane->hot.part = lane->hot.index * lane->frame->sides + tarn_frame_side_(lane->frame, number);
    if (lane->begun != number)
        turn_to(lane, number);
    tarn_scratch_open_(lane);
    return TARN_OK;
}

tarn_status tarn_lane_enter(tarn_lane *lane)
{
    if (!lane)
        return TARN_ERROR_INVALID;
    tarn_lane_state *state = tarn_lane_state_of_(lane);
    if (state->depth == 0)
        return enter_outermost(state);
    state->depth++;
    return TARN_OK;
}

tarn_status tarn_lane_leave(tarn_lane *lane)
{
    if (!lane)
        return TARN_ERROR_INVALID;
    tarn_lane_state *state = tarn_lane_state_of_(lane);
    if (state->depth == 0)
        return TARN_ERROR_OUTSIDE;
    if (--state->depth > 0)
        return TARN_OK;
    tarn_scratch_shut_(state);
    lane->frame = 0;
    set_inside(state, false);
    tarn_gate_leave_(state->frame);
    return TARN_OK;
}
