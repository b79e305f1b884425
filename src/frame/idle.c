#include "frame/idle.h"

#include "frame/gate.h"
#include "frame/lane.h"
#include "frame/objects.h"
#include "frame/scratch.h"

static bool keeps_anything(const tarn_lane_state *lane)
{
    /* relaxed: this only saves the work; the claim decides. */
    return tarn_u64_load_relaxed(&lane->owner) == TARN_LANE_FREE &&
           tarn_u64_load_relaxed(&lane->begun_seen) > 0;
}

static void empty(tarn_frame *frame, tarn_lane_state *lane, uint64_t dropped)
{
    tarn_scratch_empty_(lane, dropped);
    for (tarn_objects *pool = frame->objects; pool; pool = pool->next)
        tarn_objects_empty_(pool, lane->hot.index, dropped);
}

/* What was dropped by now stays so, and nobody but the lane's holder looks at it. */
void tarn_idle_empty_(tarn_frame *frame)
{
    uint64_t number = tarn_gate_number_(tarn_gate_look_(frame));
    for (uint32_t i = 0; i < frame->lanes_max; i++) {
        tarn_lane_state *lane = &frame->lanes[i];
        if (!keeps_anything(lane) || !tarn_lane_try_claim_(lane))
            continue;
        empty(frame, lane, tarn_frame_dropped_(frame, number));
        tarn_lane_give_back_(lane);
    }
}
