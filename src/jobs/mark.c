#include "jobs/mark.h"

static tarn_u64 *mark_of(const tarn_jobs *jobs, uint32_t index)
{
    return &jobs->is.marks[index - 1];
}

static uint64_t ended_of(uint64_t word)
{
    return word >> TARN_MARK_CHAIN_BITS;
}

/* The slot's index, or 0 for what is no handle of these jobs. */
static uint32_t index_of(const tarn_jobs *jobs, tarn_job_handle handle)
{
    uint32_t index = (uint32_t)(handle.bits & TARN_MARK_CHAIN_MASK);
    return index <= jobs->is.links.index_max ? index : 0;
}

tarn_job_handle tarn_mark_name_(const tarn_jobs *jobs, tarn_task *task)
{
    uint32_t index = tarn_task_index_(jobs, task);
    task->flags |= TARN_TASK_TRACKED;
    /* relaxed: the slot's last life came here by way of the pool. */
    uint64_t word = tarn_u64_load_relaxed(mark_of(jobs, index));
    return (tarn_job_handle){(word & ~TARN_MARK_CHAIN_MASK) | index};
}

bool tarn_mark_is_over_(const tarn_jobs *jobs, tarn_job_handle handle)
{
    uint32_t index = index_of(jobs, handle);
    if (index == 0)
        return true;
    /* E47 acquire: what the job wrote. */
    return ended_of(tarn_u64_load_acquire(mark_of(jobs, index))) != ended_of(handle.bits);
}

bool tarn_mark_chain_(const tarn_jobs *jobs, tarn_job_handle handle, uint32_t edge)
{
    uint32_t index = index_of(jobs, handle);
    if (index == 0)
        return false;
    /* E47 acquire: what the job wrote, should it be over. */
    uint64_t word = tarn_u64_load_acquire(mark_of(jobs, index));
    do {
        if (ended_of(word) != ended_of(handle.bits))
            return false;
        tarn_links_set(&jobs->is.links, edge, (uint32_t)(word & TARN_MARK_CHAIN_MASK));
        /* E48 release: the edge and its link. E47 acquire: as above. */
    } while (!tarn_u64_cas_weak_acq_rel(mark_of(jobs, index), &word,
                                        (word & ~TARN_MARK_CHAIN_MASK) | edge));
    return true;
}

uint32_t tarn_mark_end_(const tarn_jobs *jobs, const tarn_task *task, bool *is_spent)
{
    tarn_u64 *mark = mark_of(jobs, tarn_task_index_(jobs, task));
    /* relaxed: the CAS orders. */
    uint64_t word = tarn_u64_load_relaxed(mark);
    uint64_t after;
    do {
        after = (ended_of(word) + 1) << TARN_MARK_CHAIN_BITS;
        /* E47 release: what the job wrote. E48 acquire: the edges of the chain. */
    } while (!tarn_u64_cas_weak_acq_rel(mark, &word, after));
    *is_spent = ended_of(after) == TARN_MARK_ENDED_MAX;
    return (uint32_t)(word & TARN_MARK_CHAIN_MASK);
}
