/* A job group from the inside: how many of its jobs are not done, and who waits for that.
 *
 *   may overlap     count, finish   is_done, announce   begin, init      I1 own + shared count is
 *   count, finish   yes             yes                 no                  the number of its jobs
 *   is_done,        yes             yes                 no                  that are not done
 *   announce                                                             I2 who counts the last job
 *                                                                           has no access after it
 *
 * A shared group has one count. A scoped group has two, so that its owner, the worker that began
 * it, need not change an atomic word that others change too:
 *
 *   own      jobs that the owner added, minus those that the owner ran in its wait. Its alone to
 *            change. Each change adds 2^32 to the word beside, so that no value comes back
 *   shared   the rest, which may be negative
 *
 * Their sum, read one after the other, is 0 only if the group is done. Where the owner reads, own
 * stands still. Another worker, to which a fiber took the group, reads own before and after: if it
 * is the same, it was so in between. (A job whose end is counted was counted when it was added, as
 * that happened before; and of jobs that are not counted at all, the first was added by one that is
 * counted and not done.)
 *
 * The shared word: count, the tasks that start after the group, who waits.
 *
 *    63            40 39               16 15   9 8      7         6        0
 *   [ count, signed  | first of a chain  | 0    | tied | always  | waiter   ]
 *
 *   waiter   index + 1 of the worker that sleeps until count is 0; TARN_TEAM_MANY: several.
 *            Before its owner sleeps, own is added to shared
 *   always   the waiter is to be woken whenever count falls
 *   tied     a job of the team starts after others or is pinned, so that who waits must help with
 *            any: what it waits for may be strangers to all, and two that pinned jobs to each other
 *            must not both be choosy
 *
 *   E42 a finisher's change of shared (release) -> is_done's load of it (acquire): all that the job
 *       wrote. Later changes are read-modify-writes and so carry it on.
 *   E43 the owner's store of own (release) -> another worker's load of it (acquire): the same.
 *   E44 a dependent's change of the chain (release) -> the finisher that takes it (acquire): the
 *       edges of the chain. */
#ifndef TARN_JOBS_TEAM_H
#define TARN_JOBS_TEAM_H

#include "base/atomic.h"
#include "tarn/jobs.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TARN_TEAM_APART_WORDS 7u /* a line less one word: it may begin anywhere */

/* What the owner changes, what all read and what others change lie in lines of their own, without
 * asking the caller, whose stack it is mostly on, for an alignment. */
typedef struct tarn_team {
    tarn_u64 own;
    uint64_t floor[TARN_PRIORITIES]; /* no job of the team lies below it in the owner's deque */
    uint64_t apart_1[TARN_TEAM_APART_WORDS];
    struct tarn_team *parent; /* whose job began this one; alive until this one is done */
    uint32_t owner;           /* index + 1; 0: a shared group */
    uint32_t depth;           /* parents above it */
    tarn_u32 cancelled;
    uint64_t apart_2[TARN_TEAM_APART_WORDS];
    tarn_u64 shared;
    tarn_u32 thief; /* index + 1 of the worker that stole from it last: a hint */
    uint64_t apart_3[TARN_TEAM_APART_WORDS];
} tarn_team;

_Static_assert(sizeof(tarn_team) <= sizeof(tarn_job_group), "the public struct has room");

#define TARN_TEAM_ONE         ((uint64_t)1 << 40)
#define TARN_TEAM_CHAIN_SHIFT 16u
#define TARN_TEAM_CHAIN_MASK  ((uint64_t)0xFFFFFF << TARN_TEAM_CHAIN_SHIFT)
#define TARN_TEAM_TIED        ((uint64_t)1 << 8)
#define TARN_TEAM_ALWAYS      ((uint64_t)1 << 7)
#define TARN_TEAM_WAITER_MASK ((uint64_t)127)
#define TARN_TEAM_MANY        127u
#define TARN_TEAM_OWN_STEP    ((uint64_t)1 << 32)
#define TARN_TEAM_FLOOR_ABOVE UINT64_MAX /* nothing of it was pushed yet */

/* What is left to do when a job of the team is done. */
typedef struct tarn_team_end {
    uint32_t chain; /* first of the tasks that start now, or 0 */
    uint32_t wakes; /* index + 1 of the worker to wake, TARN_TEAM_MANY: all, or 0 */
} tarn_team_end;

static inline int64_t tarn_team_count_of(uint64_t shared)
{
    return (int64_t)shared >> 40;
}

static inline void tarn_team_own_add(tarn_team *team, int64_t jobs)
{
    /* relaxed: the owner's alone. */
    uint64_t own = tarn_u64_load_relaxed(&team->own);
    /* E43 release: for a fiber that took the group elsewhere. */
    tarn_u64_store_release(&team->own, own + TARN_TEAM_OWN_STEP + (uint64_t)jobs);
}

/* Before the job is to be found by others. `tag` is the worker's index + 1, 0 for other threads. */
static inline void tarn_team_add(tarn_team *team, uint32_t tag)
{
    if (team->owner == tag && tag != 0)
        tarn_team_own_add(team, 1);
    else
        /* relaxed: whoever ends the job got it from here, and so after this. */
        tarn_u64_fetch_add_relaxed(&team->shared, TARN_TEAM_ONE);
}

/* After the job was added. */
static inline void tarn_team_tie(tarn_team *team)
{
    /* relaxed: who waits for the job sees it at the latest when it was woken in vain. */
    tarn_u64_fetch_or_relaxed(&team->shared, TARN_TEAM_TIED);
}

static inline bool tarn_team_is_tied(const tarn_team *team)
{
    /* relaxed: as above. */
    return (tarn_u64_load_relaxed(&team->shared) & TARN_TEAM_TIED) != 0;
}

static inline int64_t tarn_team_own_of(uint64_t own)
{
    return (int32_t)(uint32_t)own;
}

bool tarn_team_is_done_elsewhere_(const tarn_team *team);

/* Whether all jobs are done. `tag` as above. */
static inline bool tarn_team_is_done(const tarn_team *team, uint32_t tag)
{
    if (team->owner != 0 && team->owner != tag)
        return tarn_team_is_done_elsewhere_(team);
    /* relaxed: the owner's alone; always 0 in a shared group. */
    int64_t own = tarn_team_own_of(tarn_u64_load_relaxed(&team->own));
    /* E42 acquire: what the jobs wrote. */
    return own + tarn_team_count_of(tarn_u64_load_acquire(&team->shared)) == 0;
}

static inline bool tarn_team_is_cancelled(const tarn_team *team)
{
    /* relaxed: a request, which may be seen late. */
    return tarn_u32_load_relaxed(&team->cancelled) != 0;
}

/* A job has ended, and not in its owner's wait. The last access. */
tarn_team_end tarn_team_finish_(tarn_team *team);

/* Says that the worker is about to sleep until the team is done. False: it is done. The second
 * takes that back. */
bool tarn_team_announce_(tarn_team *team, uint32_t tag);
void tarn_team_renounce_(tarn_team *team, uint32_t tag);

/* Has the task of that index start when the team is done. The link of an index is set by the
 * caller's function. False: it is done already. Shared groups only. */
struct tarn_links;
bool tarn_team_chain_(tarn_team *team, const struct tarn_links *links, uint32_t index);

/* Whether the team is the other, or was begun by a job of it, or of one so begun, and so on. Both
 * have jobs that are not done. */
static inline bool tarn_team_descends(const tarn_team *team, const tarn_team *from)
{
    while (team && team != from && team->depth > from->depth)
        team = team->parent;
    return team == from;
}

#endif
