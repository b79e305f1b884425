/* The frame loop prepares in the slack that each frame leaves. */
#include "workloads/growth.h"

static void subject_begin(tarn_pool *pool)
{
    growing_prepare_all(pool);
}

static void subject_end_frame(tarn_pool *pool)
{
    growing_prepare(pool);
}

static void subject_end(void)
{
}
