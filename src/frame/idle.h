/* Lanes that nobody has attached: what they keep, nobody will use or give back. */
#ifndef TARN_FRAME_IDLE_H
#define TARN_FRAME_IDLE_H

#include "frame/state.h"

/* Gives it back to the frame's pool of blocks, and spans to the host. */
void tarn_idle_empty_(tarn_frame *frame);

#endif
