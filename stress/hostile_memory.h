/* Memory functions for a pool that fail at random, count what is out, and map nothing but what was
 * committed: a touch beyond it ends the program. */
#ifndef STRESS_HOSTILE_MEMORY_H
#define STRESS_HOSTILE_MEMORY_H

#include "tarn/tarn.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct hostile_memory {
    tarn_memory functions;
    uint64_t seed;
    _Atomic bool friendly; /* fails nothing */
    _Atomic uint64_t calls;
    _Atomic uint64_t failures;
    _Atomic int64_t reserved_bytes; /* out now */
    _Atomic int committing;         /* calls of commit under way: at most one is allowed */
    _Atomic bool overlapped;        /* there were two */
} hostile_memory;

void hostile_memory_init(hostile_memory *memory, uint64_t seed);

#endif
