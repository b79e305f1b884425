#include "jobs/team.h"

#include "base/assert.h"
#include "depot/stack.h"

/* Only a fiber that moved asks from another worker than its group's owner. */
bool tarn_team_is_done_elsewhere_(const tarn_team *team)
{
    /* E43 acquire: what the owner counted is in shared at least so far. */
    uint64_t before = tarn_u64_load_acquire(&team->own);
    /* E42 acquire: what the jobs wrote. */
    int64_t shared = tarn_team_count_of(tarn_u64_load_acquire(&team->shared));
    /* E43 acquire. */
    uint64_t after = tarn_u64_load_acquire(&team->own);
    return before == after && tarn_team_own_of(before) + shared == 0;
}

static uint32_t wakes_of(uint64_t before, int64_t count)
{
    uint32_t waiter = (uint32_t)(before & TARN_TEAM_WAITER_MASK);
    return count == 0 || before & TARN_TEAM_ALWAYS ? waiter : 0;
}

/* Who waits takes the word as it is, and clears it of the waiter itself. */
static tarn_team_end finish_scoped(tarn_team *team)
{
    /* E42 release: what the job wrote. */
    uint64_t before = tarn_u64_fetch_add_release(&team->shared, (uint64_t)0 - TARN_TEAM_ONE);
    return (tarn_team_end){.wakes = wakes_of(before, tarn_team_count_of(before) - 1)};
}

/* The last one leaves a word that is ready for another round. */
static tarn_team_end finish_shared(tarn_team *team)
{
    /* relaxed: the CAS orders. */
    uint64_t before = tarn_u64_load_relaxed(&team->shared);
    uint64_t after;
    do {
        after = before - TARN_TEAM_ONE;
        if (tarn_team_count_of(after) == 0)
            after = 0;
        /* E42 release: what the job wrote. E44 acquire: the edges of the chain. */
    } while (!tarn_u64_cas_weak_acq_rel(&team->shared, &before, after));
    if (tarn_team_count_of(after) != 0)
        return (tarn_team_end){.chain = 0};
    return (tarn_team_end){.chain =
                               (uint32_t)((before & TARN_TEAM_CHAIN_MASK) >> TARN_TEAM_CHAIN_SHIFT),
                           .wakes = (uint32_t)(before & TARN_TEAM_WAITER_MASK)};
}

tarn_team_end tarn_team_finish_(tarn_team *team)
{
    return team->owner != 0 ? finish_scoped(team) : finish_shared(team);
}

/* The word with the waiter in it, and what the owner counted. */
static uint64_t announced(const tarn_team *team, uint64_t shared, uint32_t tag, int64_t own)
{
    uint64_t waiter = shared & TARN_TEAM_WAITER_MASK;
    uint64_t rest = shared & ~TARN_TEAM_WAITER_MASK;
    if (team->owner != 0 && team->owner != tag)
        rest |= TARN_TEAM_ALWAYS;
    return rest + (uint64_t)own * TARN_TEAM_ONE +
           (waiter != 0 && waiter != tag ? TARN_TEAM_MANY : tag);
}

bool tarn_team_announce_(tarn_team *team, uint32_t tag)
{
    bool is_owner = team->owner == tag;
    /* relaxed: the owner's alone. */
    int64_t own = is_owner ? tarn_team_own_of(tarn_u64_load_relaxed(&team->own)) : 0;
    /* E42 acquire: as in is_done. */
    uint64_t shared = tarn_u64_load_acquire(&team->shared);
    bool is_exact = is_owner || team->owner == 0;
    do {
        if (is_exact && tarn_team_count_of(shared) + own == 0)
            return false;
        /* E42 acquire: as in is_done. */
    } while (!tarn_u64_cas_weak_acquire(&team->shared, &shared, announced(team, shared, tag, own)));
    if (is_owner)
        tarn_team_own_add(team, -own);
    return true;
}

void tarn_team_renounce_(tarn_team *team, uint32_t tag)
{
    /* relaxed: the waiter looks at the count by itself. */
    uint64_t shared = tarn_u64_load_relaxed(&team->shared);
    do {
        if ((shared & TARN_TEAM_WAITER_MASK) != tag)
            return; /* there are others, or the last job has cleared it */
        /* relaxed: a waiter less is no news to anyone. */
    } while (!tarn_u64_cas_weak_relaxed(&team->shared, &shared,
                                        shared & ~(TARN_TEAM_WAITER_MASK | TARN_TEAM_ALWAYS)));
}

bool tarn_team_chain_(tarn_team *team, const tarn_links *links, uint32_t index)
{
    TARN_ASSERT(team->owner == 0);
    /* E42 acquire: as in is_done. */
    uint64_t shared = tarn_u64_load_acquire(&team->shared);
    uint64_t chained;
    do {
        if (tarn_team_count_of(shared) == 0)
            return false;
        tarn_links_set(links, index,
                       (uint32_t)((shared & TARN_TEAM_CHAIN_MASK) >> TARN_TEAM_CHAIN_SHIFT));
        chained = (shared & ~TARN_TEAM_CHAIN_MASK) | (uint64_t)index << TARN_TEAM_CHAIN_SHIFT;
        /* E44 release: the edge and its link. E42 acquire. */
    } while (!tarn_u64_cas_weak_acq_rel(&team->shared, &shared, chained));
    return true;
}
