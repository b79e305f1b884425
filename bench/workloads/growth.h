/* What the subjects of growth share: each says who prepares the pool, and when. A subject defines
 * subject_begin(pool), subject_end_frame(pool) and subject_end(). */
#ifndef TARN_BENCH_GROWTH_H
#define TARN_BENCH_GROWTH_H

#include "lists.h"
#include "tarn/tarn.h"
#include "worker/pages.h"

#include <stdbool.h>
#include <stddef.h>

#define GROWING_OBJECTS       1000000u
#define GROWING_START_OBJECTS 4096u
#define GROWING_FRAME_OBJECTS (GROWING_OBJECTS / BENCH_GROWTH_FRAMES)
#define GROWING_FRAME_NS      250000u

/* Enough for some frames to come, in bites of about one frame's objects. */
#define GROWING_AHEAD_OBJECTS (4u * GROWING_FRAME_OBJECTS)
#define GROWING_BITE_BYTES    ((size_t)128 << 10)

/* One bite. False when nothing is left to do, or the pool has reached its size. */
static inline bool growing_prepare(tarn_pool *pool)
{
    size_t left = 0;
    tarn_status status = tarn_pool_prepare(pool, GROWING_AHEAD_OBJECTS, GROWING_BITE_BYTES, &left);
    return status == TARN_OK && left > 0;
}

static inline void growing_prepare_all(tarn_pool *pool)
{
    while (growing_prepare(pool))
        continue;
}

/* Some tens of microseconds, for a thread that has nothing to do. */
void growing_pause(void);

#endif
