/* Finalizers: records in frame memory, last first, per lane and side. A lane that has one in a
 * frame is on the side's list, so that a frame without finalizers costs its end nothing. */
#ifndef TARN_FRAME_FINALIZERS_H
#define TARN_FRAME_FINALIZERS_H

#include "frame/state.h"

/* Runs all of a side, each lane's last first. No lane is inside. */
void tarn_finalizers_run_(tarn_frame *frame, uint32_t side);

/* Runs a lane's own, down to `last`, which stays. */
void tarn_finalizers_run_to_(tarn_side *side, const tarn_finalizer *last);

/* Whether `last`, which may be NULL, is one of them or the end of them. */
bool tarn_finalizers_have_(const tarn_side *side, const tarn_finalizer *last);

#endif
