/* What is timed is 20 atomic additions that nobody disputes, in the place of a frame's end, which
 * follows. */
#include "tarn/frame.h"
#include "worker/harness.h"

#include <stdatomic.h>

#define ADDS 20

static _Alignas(128) atomic_uint_fast64_t subject_sum;

static inline void subject_timed(tarn_frame *frame)
{
    (void)frame;
    for (int i = 0; i < ADDS; i++)
        atomic_fetch_add_explicit(&subject_sum, 1, memory_order_seq_cst);
}

static inline void subject_rest(tarn_frame *frame)
{
    if (tarn_frame_end(frame, 0, NULL) != TARN_OK)
        bench_fail("the frame was not ended");
}
