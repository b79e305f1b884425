/* The workers' threads, and the host's. */
#ifndef TARN_JOBS_THREAD_H
#define TARN_JOBS_THREAD_H

#include "jobs/state.h"

/* Caches of the pool of tasks and of the host's pools, and a lane of its frame, by that name or,
 * for NULL, one of the worker's own. On failure none is attached. */
tarn_status tarn_thread_attach_caches_(tarn_worker_ *worker, const char *name);
void tarn_thread_detach_caches_(tarn_worker_ *worker);

/* Whose place this is now. The second says that a thread has left it. */
uint32_t tarn_thread_place_(const tarn_worker_ *worker);
void tarn_thread_leave_(tarn_worker_ *worker);

/* Starts the thread of a worker whose caches are attached. */
bool tarn_thread_start_worker_(tarn_worker_ *worker);

/* Runs jobs, and sleeps when there are none, until that time or until the scheduler stops. Returns
 * whether it goes on. */
bool tarn_thread_work_(tarn_worker_ *worker, uint64_t end_ns);

#endif
