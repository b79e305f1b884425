/* A thread beside the frame loop prepares. */
#include "base/thread.h"
#include "worker/core.h"
#include "workloads/growth.h"

#include <stdatomic.h>

static atomic_bool is_over;
static tarn_thread thread;

static int prepare_on(void *pool)
{
    core_keep_to(1);
    /* relaxed: nothing else is passed on. */
    while (!atomic_load_explicit(&is_over, memory_order_relaxed))
        if (!growing_prepare(pool))
            growing_pause();
    return 0;
}

static void subject_begin(tarn_pool *pool)
{
    growing_prepare_all(pool);
    if (!tarn_thread_create(&thread, prepare_on, pool))
        bench_fail("the system refused a thread");
}

static void subject_end_frame(tarn_pool *pool)
{
    (void)pool;
}

static void subject_end(void)
{
    /* relaxed: as above. */
    atomic_store_explicit(&is_over, true, memory_order_relaxed);
    tarn_thread_join(thread);
}
