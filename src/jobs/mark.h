/* Names of jobs, and what starts after them: a word per slot of the pool of tasks, which stays when
 * the task is free.
 *
 *    63         24 23          0     I1 ended counts the named lives of the slot that are over
 *   [ ended      | chain        ]    I2 a slot whose ended has all bits set is never used again
 *
 * A handle is the same word with the slot's index in place of the chain, for the life after
 * `ended`.
 *
 *   E47 the end's CAS (release) -> is_done's load and chain's (acquire): what the job wrote.
 *   E48 chain's CAS (release) -> the end's (acquire): the edges of the chain. */
#ifndef TARN_JOBS_MARK_H
#define TARN_JOBS_MARK_H

#include "jobs/state.h"

#define TARN_MARK_CHAIN_BITS 24u
#define TARN_MARK_CHAIN_MASK (((uint64_t)1 << TARN_MARK_CHAIN_BITS) - 1)
#define TARN_MARK_ENDED_MAX  (((uint64_t)1 << (64 - TARN_MARK_CHAIN_BITS)) - 1)

/* Names the task, which nobody else has yet. */
tarn_job_handle tarn_mark_name_(const tarn_jobs *jobs, tarn_task *task);

bool tarn_mark_is_over_(const tarn_jobs *jobs, tarn_job_handle handle);

/* As tarn_team_chain_. */
bool tarn_mark_chain_(const tarn_jobs *jobs, tarn_job_handle handle, uint32_t index);

/* The named task's end. Returns its chain; *is_spent: the slot must not be used again. */
uint32_t tarn_mark_end_(const tarn_jobs *jobs, const tarn_task *task, bool *is_spent);

#endif
