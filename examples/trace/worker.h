/* One thread of a replay. */
#ifndef TARN_TRACE_WORKER_H
#define TARN_TRACE_WORKER_H

#include "base/thread.h"
#include "replay.h"

#include <stdatomic.h>

/* Written by the thread whose operation's turn it is. */
typedef struct replay_block {
    void *address;
    size_t bytes;
    _Atomic uint32_t step; /* of the next operation, as far as it was announced */
    uint8_t size_class;
} replay_block;

#define WORKER_DONE UINT32_MAX

typedef struct worker {
    /* A line of its own: all workers read it, the owner writes it now and then. It is the rank of
     * the next operation, or of one before it. */
    _Alignas(128) _Atomic uint32_t next_rank;
    _Alignas(128) replay *run;
    const plan_thread *thread;
    _Atomic bool *stop;
    replay_memory memory;
    bool check;
    tarn_thread handle;
    bool started;
    uint64_t waited_ns;
    replay_result result;
    tarn_cache *caches[CLASS_COUNT];
} worker;

/* The thread's function; takes a worker. */
int worker_main(void *argument);

/* Frees a block outside the plan's order, when all threads have ended. */
void worker_sweep(worker *by, uint32_t number);

/* Gives the worker's caches back. */
void worker_detach(worker *done);

#endif
