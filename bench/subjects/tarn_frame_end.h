/* What is timed is the end of a frame. */
#include "tarn/frame.h"
#include "worker/harness.h"

static inline void subject_timed(tarn_frame *frame)
{
    if (tarn_frame_end(frame, 0, NULL) != TARN_OK)
        bench_fail("the frame was not ended");
}

static inline void subject_rest(tarn_frame *frame)
{
    (void)frame;
}
