/* Deferred frees: what a lane frees "at the frame's end" is noted in batches, which wait in the
 * slot of their frame until it is dropped; then whoever comes first does them, a lane's chain at a
 * time.
 *
 *   may overlap  add  run       I1 within a frame a slot is only added to; once the frame is
 *   add          yes  no           dropped, only taken from: the gate is between them
 *   run          no   yes       I2 a lane is on its slot's list while it has a chain there
 *
 * The idea is that of epochs: K. Fraser, "Practical lock-freedom" (2004); here the frame is the
 * epoch, and the host says when it ends. */
#ifndef TARN_FRAME_DEFERRED_H
#define TARN_FRAME_DEFERRED_H

#include "frame/state.h"

tarn_status tarn_deferred_create_(tarn_frame *frame);

/* Where objects go whose lives end when they are due: whoever is inside the open frame may have
 * looked their handles up, so they wait for that frame to be dropped. A lane, its caller's, and the
 * open frame's slot, or that of the one being ended; no lane when nobody is left. */
typedef struct tarn_home {
    tarn_lane_state *lane;
    uint32_t slot;
} tarn_home;

/* Does the frees of a slot until objects_max are done: a lane's chain more at most. Returns how
 * many. */
size_t tarn_deferred_run_(tarn_frame *frame, uint32_t slot, size_t objects_max, tarn_home home);

#endif
