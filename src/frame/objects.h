/* Frame pools: per lane, blocks of objects that stay constructed from frame to frame.
 *
 *   [ header | object | object | ... ]     built: how far objects are constructed
 *
 * A block belongs to its frame pool while the lane keeps it, so that its objects stay what they
 * are. */
#ifndef TARN_FRAME_OBJECTS_H
#define TARN_FRAME_OBJECTS_H

#include "frame/state.h"

/* Tells memory checkers that the objects of a dropped frame are nobody's. */
void tarn_objects_hide_(tarn_frame *frame, uint64_t number);

/* Destroys all frame pools of a frame. */
void tarn_objects_end_(tarn_frame *frame);

#endif
