/* Scratch memory of a lane: a bump pointer over the blocks of the open frame's side. */
#ifndef TARN_FRAME_SCRATCH_H
#define TARN_FRAME_SCRATCH_H

#include "frame/state.h"

/* Turns the lane to a frame that it has just entered for the first time. */
void tarn_scratch_begin_(tarn_lane_state *lane, uint64_t number);

/* Gives back what the lane keeps and does not use; false when there is nothing. */
bool tarn_scratch_give_up_(tarn_lane_state *lane);

/* Gives back what the lane keeps; what is of frames after `dropped` stays. The lane is the
 * caller's. */
void tarn_scratch_empty_(tarn_lane_state *lane, uint64_t dropped);

/* Where the inline calls may allocate to, while the lane is inside. */
void tarn_scratch_open_(tarn_lane_state *lane);
void tarn_scratch_shut_(tarn_lane_state *lane);

/* Bytes of the frame that the lane turned to last. */
uint64_t tarn_scratch_bytes_(const tarn_lane_state *lane);

#endif
