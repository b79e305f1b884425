/* Memory functions for a pool that count how often the pool calls them. An engine that must not
 * touch the operating system within a frame can prove with such hooks that it does not. */
#ifndef ENGINE_HOOKS_H
#define ENGINE_HOOKS_H

#include "tarn/memory.h"

#include <stdatomic.h>
#include <stdint.h>

typedef struct hooks {
    tarn_memory memory; /* for tarn_pool_options; its context is this struct */
    atomic_uint_fast64_t calls;
} hooks;

/* The struct must not move while a pool uses it. */
void hooks_init(hooks *counted);

/* Threads: any. */
uint64_t hooks_calls(const hooks *counted);

#endif
