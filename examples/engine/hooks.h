/* Memory functions for tarn that count how often it calls them. An engine that must not
 * touch the operating system within a frame can prove with such hooks that it does not. */
#ifndef ENGINE_HOOKS_H
#define ENGINE_HOOKS_H

#include "tarn/memory.h"

#include <stdatomic.h>
#include <stdint.h>

typedef struct hooks {
    tarn_memory memory; /* for the options; its context is this struct */
    atomic_uint_fast64_t calls;
} hooks;

/* The struct must not move while anything uses it. */
void hooks_init(hooks *counted);

/* Threads: any. */
uint64_t hooks_calls(const hooks *counted);

#endif
