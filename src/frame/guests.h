/* Threads that use frames without having attached a lane: the frames they may have to leave when
 * they end. */
#ifndef TARN_FRAME_GUESTS_H
#define TARN_FRAME_GUESTS_H

#include "frame/state.h"

void tarn_guests_add_(tarn_frame *frame);
void tarn_guests_remove_(tarn_frame *frame);

#endif
