#include "frame/finalizers.h"

#include "frame/links.h"

void tarn_finalizers_run_to_(tarn_side *side, const tarn_finalizer *last)
{
    while (side->finalizers && side->finalizers != last) {
        tarn_finalizer *finalizer = side->finalizers;
        side->finalizers = finalizer->next;
        finalizer->function(finalizer->object);
    }
}

bool tarn_finalizers_have_(const tarn_side *side, const tarn_finalizer *last)
{
    const tarn_finalizer *f = side->finalizers;
    while (f && f != last)
        f = f->next;
    return f == last;
}

/* The list is kept though rewinding empties a lane's part: a lane is on it once. */
void tarn_finalizers_run_(tarn_frame *frame, uint32_t side)
{
    uint32_t index = tarn_stack_take_all(&frame->finalizing[side], &frame->links);
    uint32_t count = 0;
    while (index != TARN_INDEX_NONE) {
        uint32_t next = tarn_links_get(&frame->links, index);
        tarn_side *own = &tarn_links_lane_(frame, index)->sides[side];
        own->is_finalizing = false;
        tarn_finalizers_run_to_(own, NULL);
        index = next;
        count++;
    }
    tarn_links_unlist_(frame, count);
}

tarn_status tarn_frame_finalize(tarn_lane *lane, tarn_finalizer_fn *function, void *object)
{
    if (!lane || !function)
        return TARN_ERROR_INVALID;
    if (lane->frame == 0)
        return TARN_ERROR_OUTSIDE;
    tarn_finalizer *finalizer = tarn_frame_alloc(lane, sizeof *finalizer);
    if (!finalizer)
        return TARN_ERROR_FULL;
    tarn_lane_state *state = tarn_lane_state_of_(lane);
    tarn_frame *frame = state->frame;
    uint32_t side = tarn_frame_side_(frame, lane->frame);
    tarn_side *own = &state->sides[side];
    *finalizer = (tarn_finalizer){own->finalizers, function, object};
    own->finalizers = finalizer;
    if (!own->is_finalizing) {
        own->is_finalizing = true;
        tarn_links_list_(frame);
        tarn_stack_push(&frame->finalizing[side], &frame->links,
                        tarn_links_finalizing_(frame, lane->index, side));
    }
    return TARN_OK;
}
