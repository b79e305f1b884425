/* Who sleeps, and who is woken for a job.
 *
 *   who has a job for others        a worker that found none
 *   puts it where all look          puts its bit into parked
 *   fence                           fence
 *   loads parked; wakes one         looks once more everywhere; sleeps
 *
 * One of the two sees the other: no job is left to workers that sleep. The first fence would be in
 * every push, so where the system can do it, the one who goes to sleep passes a barrier through all
 * threads instead (tarn_os_process_barrier), and a push only keeps the compiler from reordering. It
 * does fence once it has seen that somebody sleeps, before it looks whether somebody searches.
 *
 * Whoever takes a bit out of parked wakes that worker, so a job wakes one. While somebody is
 * searching, none is woken: who stops searching because it found something wakes the next if there
 * is more, and who stops because it found nothing looks once more, as above. */
#ifndef TARN_JOBS_IDLE_H
#define TARN_JOBS_IDLE_H

#include "jobs/state.h"

/* Between the push and the look. */
static inline void tarn_idle_fence_(const tarn_jobs *jobs)
{
    if (jobs->is.fences_notify)
        tarn_fence_seq_cst();
    else
        tarn_fence_compiler();
}

void tarn_idle_wake_one_(tarn_jobs *jobs);

/* After a push. */
static inline void tarn_idle_notify_(tarn_jobs *jobs)
{
    tarn_idle_fence_(jobs);
    /* relaxed: the fence above orders it after the push. */
    if (TARN_UNLIKELY(tarn_u64_load_relaxed(&jobs->parked) != 0))
        tarn_idle_wake_one_(jobs);
}

void tarn_idle_wake_(tarn_jobs *jobs, uint32_t index);
void tarn_idle_wake_all_(tarn_jobs *jobs);

/* As of tarn_team_end.wakes. */
void tarn_idle_wake_tag_(tarn_jobs *jobs, uint32_t tag);

/* A worker is about to sleep. With a team, it can only run jobs of that. */
void tarn_idle_announce_(tarn_worker_ *worker, bool is_picky);

/* It is not, or no longer. Returns whether somebody has woken it for a job. */
bool tarn_idle_renounce_(tarn_worker_ *worker);

/* It was woken for a job that it cannot run: so is the next of its kind. */
void tarn_idle_pass_on_(tarn_worker_ *worker);

/* It found a job when it looked once more. It may have been woken for another, or another may have
 * been left to it while it searched: wakes the next if there is more. */
void tarn_idle_hand_on_(tarn_jobs *jobs);

void tarn_idle_begin_search_(tarn_jobs *jobs);
void tarn_idle_end_search_(tarn_jobs *jobs, bool has_found);

/* Sleeps until it is woken, or for so long; tells the hook. */
void tarn_idle_sleep_(tarn_worker_ *worker, uint32_t ticket, uint64_t timeout_ns);

/* A little pause, longer each time. */
void tarn_idle_pause_(uint32_t round);

#define TARN_IDLE_ROUNDS 200u /* of searching before sleep: some tens of microseconds */

#endif
