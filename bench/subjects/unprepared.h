/* Nobody looks ahead: allocations grow the pool. */
#include "workloads/growth.h"

static void subject_begin(tarn_pool *pool)
{
    (void)pool;
}

static void subject_end_frame(tarn_pool *pool)
{
    (void)pool;
}

static void subject_end(void)
{
}
