/* Threads as coroutines, one of which runs at a time. They change only where the scheduler is
 * called: before an access to a shared atomic word, at a yield, a wait, or their end. Accesses in
 * between cannot be told apart by other threads unless there is a data race, which race.h reports.
 *
 * A thread that is stopped never runs again, in the middle of what it did: if the others still
 * finish, nothing that they need was in its hands. That is the test of lock-freedom. */
#ifndef TARN_MODEL_SCHEDULER_H
#define TARN_MODEL_SCHEDULER_H

#include "engine/knowledge.h"

#include <stdbool.h>
#include <stdint.h>

typedef void model_body(void);

/* Runs bodies[0..count) as threads 1..count, then check as thread 0, unless the run failed. */
void model_scheduler_run(model_body *const *bodies, uint32_t count, model_body *check);

/* The running thread, 0 outside of all and in the check. */
uint32_t model_self(void);
uint32_t model_thread_count(void);

/* Whether modelled threads run now: accesses are recorded and may switch. */
bool model_is_running(void);

/* Whether a thread of the present run was stopped for ever. */
bool model_has_stopped(void);

/* Only this thread may stop for ever in the runs that follow; 0: any may. */
void model_stops_only(uint32_t number);

/* Another thread may go on from here. */
void model_point(void);

/* Lets each of the others make a step first, if it can. */
void model_yield(void);

/* Sleeps until model_wake on the same address. A run in which all sleep fails. */
void model_wait(const void *address);
void model_wake(const void *address, uint32_t count_max);

/* Counts accesses, so that a subject that loops for ever ends the run. */
void model_tick(void);

/* Ends the process, with status 1, after so many accesses in all that follows; 0: never. For
 * subjects that are slow rather than endless, or endless outside of a run. */
void model_limit_steps(uint64_t steps_max);

/* What the thread's end runs, in the thread itself: see system.c. */
void model_at_thread_end(model_body *function);

/* Leaves the present run from within it; returns only outside of a run. */
void model_scheduler_abandon(void);
bool model_scheduler_is_inside(void);

/* The stacks of all modelled threads: what lies there is private. */
bool model_is_stack(const void *address);

#endif
