/* The links of lists of lanes: for each lane one per side, for finalizers, and one per slot, for
 * deferred frees. */
#ifndef TARN_FRAME_LINKS_H
#define TARN_FRAME_LINKS_H

#include "frame/state.h"

static inline uint32_t tarn_links_per_lane_(const tarn_frame *frame)
{
    return frame->sides + frame->slots;
}

static inline uint32_t tarn_links_finalizing_(const tarn_frame *frame, uint32_t lane, uint32_t side)
{
    return 1 + lane * tarn_links_per_lane_(frame) + side;
}

static inline uint32_t tarn_links_deferring_(const tarn_frame *frame, uint32_t lane, uint32_t slot)
{
    return 1 + lane * tarn_links_per_lane_(frame) + frame->sides + slot;
}

static inline tarn_lane_state *tarn_links_lane_(const tarn_frame *frame, uint32_t index)
{
    return &frame->lanes[(index - 1) / tarn_links_per_lane_(frame)];
}

#endif
