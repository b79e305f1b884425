/* What happens to a frame that is dropped, on the thread that ends one. No lane is inside. */
#ifndef TARN_FRAME_DROP_H
#define TARN_FRAME_DROP_H

#include "frame/state.h"

/* Runs the finalizers of frame `number`, 0 for none, and makes its deferred frees due, while frame
 * `next` is about to be opened. In a watched frame, its memory is made nobody's. */
void tarn_drop_(tarn_frame *frame, uint64_t number, uint64_t next);

/* Drops all that is in flight, newest first. */
void tarn_drop_all_(tarn_frame *frame);

#endif
