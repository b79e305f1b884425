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

/* How many lanes are on any of the lists, so that who finds none need not look at them: a lane
 * adds itself before it is listed, in a frame that has not ended. */
static inline void tarn_links_list_(tarn_frame *frame)
{
    /* relaxed: its leaving the frame carries it. */
    tarn_u32_fetch_add_relaxed(&frame->listed, 1);
}
static inline void tarn_links_unlist_(tarn_frame *frame, uint32_t count)
{
    /* relaxed: seen late, it costs a look. */
    tarn_u32_fetch_add_relaxed(&frame->listed, 0 - count);
}
static inline bool tarn_links_are_empty_(const tarn_frame *frame)
{
    /* relaxed: what was listed in frames before came with the gate. */
    return tarn_u32_load_relaxed(&frame->listed) == 0;
}

static inline tarn_lane_state *tarn_links_lane_(const tarn_frame *frame, uint32_t index)
{
    return &frame->lanes[(index - 1) / tarn_links_per_lane_(frame)];
}

#endif
