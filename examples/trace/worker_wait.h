/* Where a replay thread waits for others, and the clock that leaves the waiting out. */
#ifndef TARN_TRACE_WORKER_WAIT_H
#define TARN_TRACE_WORKER_WAIT_H

#include "worker.h"

/* Processor time of the calling thread. */
uint64_t thread_time_ns(void);

/* Waits until the operation is at most a window ahead of all threads. Returns the first rank that
 * may not go on without another call; 0 when the run is to stop. */
uint64_t wait_for_window(worker *me, uint32_t rank);

/* Waits until the operation in front on its block was announced. False when the run is to stop. */
bool wait_for_step(worker *me, const plan_operation *operation);

#endif
