/* burst: a number of objects are allocated and written, then all are freed: the last first, the
 * first first, or in a random order that differs from burst to burst.
 * An operation is one allocation and its free. */
#ifndef TARN_BENCH_BURST_H
#define TARN_BENCH_BURST_H

#include "worker/take.h"
#include "workloads/random.h"

#define BURST_ORDERS 4 /* random orders, taken in turn */

typedef enum burst_order { BURST_LIFO, BURST_FIFO, BURST_RANDOM } burst_order;

typedef struct burst_state {
    subject_ref *objects;
    uint32_t *orders; /* BURST_ORDERS permutations, one after the other */
} burst_state;

static burst_state bursts[BENCH_THREADS_MAX];

static void burst_shuffle(uint32_t *order, uint32_t objects, uint64_t *random)
{
    for (uint32_t i = 0; i < objects; i++) {
        uint32_t other = random_below(random, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
}

static void burst_prepare(unsigned thread, uint32_t objects)
{
    uint64_t random = random_seed(thread);
    bursts[thread].objects = bench_pages(objects * sizeof(subject_ref));
    bursts[thread].orders = bench_pages(BURST_ORDERS * objects * sizeof(uint32_t));
    for (uint32_t i = 0; i < BURST_ORDERS; i++)
        burst_shuffle(bursts[thread].orders + i * objects, objects, &random);
}

/* Inlined with constants, so that each burst is its own straight loop. */
static inline void burst_free(subject_handle subject, const subject_ref *objects,
                              const uint32_t *permutation, uint32_t count, burst_order order)
{
    for (uint32_t i = 0; i < count; i++) {
        if (order == BURST_LIFO)
            subject_drop(subject, objects[count - 1 - i]);
        else if (order == BURST_FIFO)
            subject_drop(subject, objects[i]);
        else
            subject_drop(subject, objects[permutation[i]]);
    }
}

static inline void burst_work(unsigned thread, uint64_t operations, uint32_t count,
                              burst_order order)
{
    subject_handle subject = handles[thread];
    burst_state state = bursts[thread];
    for (uint64_t burst = 0; burst < operations / count; burst++) {
        for (uint32_t i = 0; i < count; i++)
            state.objects[i] = bench_take(subject, i);
        const uint32_t *permutation = state.orders + burst % BURST_ORDERS * count;
        burst_free(subject, state.objects, permutation, count, order);
    }
}

#define BURST_WORK(count, name, order)                                            \
    static void burst_work_##count##_##name(unsigned thread, uint64_t operations) \
    {                                                                             \
        burst_work(thread, operations, count, order);                             \
    }

#define BURST_OF(count)                                \
    static void burst_prepare_##count(unsigned thread) \
    {                                                  \
        burst_prepare(thread, count);                  \
    }                                                  \
    BURST_WORK(count, lifo, BURST_LIFO)                \
    BURST_WORK(count, fifo, BURST_FIFO)                \
    BURST_WORK(count, random, BURST_RANDOM)

BURST_OF(1000)
BURST_OF(100000)

#endif
