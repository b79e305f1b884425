/* Atomic words as C11 defines them, not as this machine has them: a load may read an older store
 * than the newest, as far as coherence and what the thread knows allow.
 *
 * A word that only one thread has been seen to use has no such history and is no scheduling point:
 * nobody could tell. Each run looks for words that turn out to be shared; when it finds one, the
 * search begins anew with that word in the list. At the end, in no run of the search was there a
 * shared word that was not treated as one.
 *
 * Not explored: a load that reads a store which comes later in the run (load buffering), and two
 * stores whose order in memory differs from their order in the run. */
#ifndef TARN_MODEL_MEMORY_H
#define TARN_MODEL_MEMORY_H

#include "engine/knowledge.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum model_operation {
    MODEL_EXCHANGE,
    MODEL_ADD,
    MODEL_SUBTRACT,
    MODEL_AND,
    MODEL_OR,
    MODEL_XOR
} model_operation;

/* Forgets which words are shared. */
void model_memory_start(void);
void model_memory_begin_run(uint32_t threads);

/* Takes the words found since into the list. Returns whether there were any. */
bool model_memory_adopt_shared(void);
uint32_t model_memory_shared_count(void);

/* order is one of C11's memory_order constants. bytes is 1, 2, 4 or 8. Outside of running threads
 * these are plain accesses. */
uint64_t model_atomic_load(const void *address, uint32_t bytes, int order, const void *pc);
void model_atomic_store(void *address, uint32_t bytes, uint64_t value, int order, const void *pc);
uint64_t model_atomic_update(void *address, uint32_t bytes, model_operation operation,
                             uint64_t operand, int order, const void *pc);
typedef struct model_cas {
    void *address;
    uint32_t bytes;
    uint64_t desired;
    int success, failure;
    bool is_weak;
    const void *pc;
} model_cas;
bool model_atomic_cas(const model_cas *cas, uint64_t *expected);
void model_atomic_fence(int order, const void *pc);

/* A full fence in every thread at once, as the system can force it. */
void model_memory_process_barrier(void);

/* A fence of the running thread that lets it read nothing old, and happens before nothing. */
void model_memory_look_up(void);

/* What the running thread knows. */
const model_clock *model_memory_clock(void);

/* Hands the running thread's knowledge over through a lock or another thing that the system makes:
 * release into *knowledge, acquire from it. */
void model_memory_release(model_knowledge *knowledge);
void model_memory_acquire(const model_knowledge *knowledge);

/* A shared word was written by a plain access, which the race detector has found to be ordered. */
void model_memory_written_plainly(uint32_t cell);

#endif
