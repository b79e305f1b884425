/* What a watched frame does besides: checked ones report misuse, and where a memory checker watches
 * it learns which frame memory is nobody's. In a checked frame all of a block that is not handed
 * out holds TARN_BYTE_FREE, red zones included. */
#ifndef TARN_FRAME_WATCH_H
#define TARN_FRAME_WATCH_H

#include "frame/state.h"

/* Around each call on a checked frame's lane. False when it was reported: the lane is outside, or
 * another thread's call on it is under way. */
bool tarn_frame_watch_enter_(tarn_lane_state *lane);
void tarn_frame_watch_leave_(tarn_lane_state *lane);

void tarn_frame_watch_new_block_(const tarn_frame *frame, tarn_block *block);

/* Memory at the cursor goes out: `bytes` of `step`, and a red zone. */
void tarn_frame_watch_hand_out_(tarn_lane_state *lane, char *start, size_t bytes, size_t step);

/* Looks at the red zone of the allocation before. */
void tarn_frame_watch_red_zone_(tarn_lane_state *lane);

/* Looks at a kept span, before it is used again. */
void tarn_frame_watch_kept_span_(const tarn_frame *frame, tarn_span *span);

/* The same as hand_out for the span that was just taken. */
void tarn_frame_watch_span_(tarn_lane_state *lane, tarn_span *span, size_t bytes);

/* What was handed out since the mark goes back, before the lists change. */
void tarn_frame_watch_rewind_(tarn_lane_state *lane, const tarn_mark *mark);

/* All memory of frame `number`. */
void tarn_frame_watch_drop_(tarn_frame *frame, uint64_t number);

void tarn_frame_report_(const tarn_frame *frame, tarn_report report);

#endif
