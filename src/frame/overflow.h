/* What happens when a lane gets no memory. */
#ifndef TARN_FRAME_OVERFLOW_H
#define TARN_FRAME_OVERFLOW_H

#include "frame/state.h"

/* Asks the host to make room; true: look again. Else the overflow is counted and told. */
bool tarn_overflow_ask_(tarn_lane_state *lane, size_t bytes, uint32_t attempt);

/* Counts an allocation that got nothing, and tells the host of the frame's first. */
void tarn_overflow_count_(tarn_lane_state *lane, size_t bytes, bool is_too_large);

#endif
