/* What a worker knows of each workload that its subject can run. */
#ifndef TARN_BENCH_TEMPLATE_H
#define TARN_BENCH_TEMPLATE_H

#include <stddef.h>
#include <stdint.h>

typedef struct template
{
    void (*prepare)(unsigned thread); /* with the thread's handle in place */
    void (*work)(unsigned thread, uint64_t operations);
    uint64_t operations_step;
    size_t live_per_thread_max;
}
template;

#endif
