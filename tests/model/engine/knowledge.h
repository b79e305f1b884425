/* What a thread, or a message between threads, knows about the past.
 *
 *   clock  happens-before: how far of each thread's time is known. Decides about data races
 *   view   per shared atomic word, the oldest store that may still be read (coherence): a thread
 *          that knows of a store never reads an older one. Decides about stale reads
 *
 * A release attaches the thread's knowledge to the store, an acquire joins what is attached. The
 * operational reading of C11 that this follows: J. Kang et al., "A Promising Semantics for
 * Relaxed-Memory Concurrency" (POPL 2017), without promises; clocks after L. Lamport (1978). */
#ifndef TARN_MODEL_KNOWLEDGE_H
#define TARN_MODEL_KNOWLEDGE_H

#include <stdint.h>

#define MODEL_THREADS_MAX 4u /* 0 sets up and checks, 1..3 run */
#define MODEL_CELLS_MAX   192u

typedef struct model_clock {
    uint32_t time[MODEL_THREADS_MAX];
} model_clock;

typedef struct model_knowledge {
    model_clock clock;
    uint16_t view[MODEL_CELLS_MAX];
} model_knowledge;

static inline void model_clock_join(model_clock *clock, const model_clock *other)
{
    for (uint32_t i = 0; i < MODEL_THREADS_MAX; i++)
        if (other->time[i] > clock->time[i])
            clock->time[i] = other->time[i];
}

/* cells: how many words of the view are in use. */
static inline void model_view_join(uint16_t *view, const uint16_t *other, uint32_t cells)
{
    for (uint32_t i = 0; i < cells; i++)
        view[i] = other[i] > view[i] ? other[i] : view[i];
}

static inline void model_knowledge_join(model_knowledge *knowledge, const model_knowledge *other,
                                        uint32_t cells)
{
    model_clock_join(&knowledge->clock, &other->clock);
    model_view_join(knowledge->view, other->view, cells);
}

#endif
