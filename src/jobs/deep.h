/* Jobs inside waits inside jobs: each level takes some hundred bytes of the thread's stack. After
 * TARN_DEEP_LEVELS of them, whichever groups they are of, it goes on in a thread made for it, with
 * a stack of its own, which has the worker until it returns. The worker's first thread sleeps
 * meanwhile, but for jobs that are pinned to it: those are handed down to it, since they mean that
 * thread.
 *
 *   E50 a store of hand (release) -> the other thread's load of it (acquire): the worker, and the
 *       job that is handed over. */
#ifndef TARN_JOBS_DEEP_H
#define TARN_JOBS_DEEP_H

#include "jobs/run.h"
#include "jobs/state.h"

#define TARN_DEEP_LEVELS 1024u

/* Before a wait, or a job that runs on the spot. */
static inline bool tarn_deep_is_due_(const tarn_worker_ *worker)
{
    return TARN_UNLIKELY(worker->levels >= TARN_DEEP_LEVELS);
}

typedef void tarn_deep_fn_(tarn_worker_ *worker, void *argument);

/* Calls the function on another stack. */
void tarn_deep_call_(tarn_worker_ *worker, tarn_deep_fn_ *function, void *argument);

/* Runs a pinned job of a worker that is on such a stack. Returns when it is done. */
void tarn_deep_hand_down_(tarn_worker_ *worker, tarn_task *task);

/* Whether the job is to be handed down. */
static inline bool tarn_deep_is_for_first_(const tarn_worker_ *worker, const tarn_task *task)
{
    return TARN_UNLIKELY(worker->is_away) && (task->flags & TARN_TASK_PINNED) != 0;
}

#endif
