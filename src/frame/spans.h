/* Large requests: each gets memory of its own from the host, which the lane keeps for the next that
 * fits. All calls are the owner's. */
#ifndef TARN_FRAME_SPANS_H
#define TARN_FRAME_SPANS_H

#include "frame/state.h"

/* Whether the budget could hold such a request. */
bool tarn_spans_can_hold_(const tarn_lane_state *lane, size_t bytes);

/* NULL when the budget, or the system, has no such memory. */
void *tarn_spans_take_(tarn_lane_state *lane, size_t bytes, size_t alignment);

/* Keeps those of a side that were taken after `last`; NULL: all. */
void tarn_spans_rewind_(tarn_lane_state *lane, uint32_t side, const tarn_span *last);
bool tarn_spans_have_(const tarn_side *side, const tarn_span *last);

/* Called once per frame: gives back what retention lets go. */
void tarn_spans_maintain_(tarn_lane_state *lane, uint64_t number);

/* Gives back all that is kept. */
void tarn_spans_release_kept_(tarn_lane_state *lane);

#endif
