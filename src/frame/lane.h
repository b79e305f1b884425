/* Whose a lane is.
 *
 *   owner: free -> busy (being claimed) -> attached, or a guest's thread -> free
 *
 *   E15 a lane is given back by a store of owner (release) -> the next claim's CAS (acquire): all
 *       that its user did with it. */
#ifndef TARN_FRAME_LANE_H
#define TARN_FRAME_LANE_H

#include "frame/state.h"

/* The lane that has this owner; NULL when none has. */
tarn_lane_state *tarn_lane_find_(tarn_frame *frame, uint64_t owner);

/* A free lane for this owner; NULL when none is free. */
tarn_lane_state *tarn_lane_claim_(tarn_frame *frame, uint64_t owner, const char *label);

/* Takes a free lane, and gives it back. */
bool tarn_lane_try_claim_(tarn_lane_state *lane);
void tarn_lane_give_back_(tarn_lane_state *lane);

/* Its name, for people. */
void tarn_lane_label_(const tarn_lane_state *lane, char label[TARN_LANE_LABEL_BYTES_MAX]);

/* Leaves the frame and gives the lane back. By its user, or when that is gone. */
void tarn_lane_abandon_(tarn_lane_state *lane);

#endif
