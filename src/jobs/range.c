/* parallel_for: a range is worked off from its front, a grain at a time. When the deque is bare,
 * which means that all that was split off has been stolen, or nothing was yet, the back half
 * becomes a job for whoever looks for one. */
#include "jobs/run.h"

#define PARTS_PER_WORKER 64u

typedef struct range {
    size_t begin, end, grain;
    tarn_range_fn *function;
    void *context;
    tarn_job_group *group;
} range;

_Static_assert(sizeof(range) <= TARN_JOB_PAYLOAD_BYTES, "a range is a payload");

static void work_off(tarn_worker *worker, void *payload)
{
    range *part = payload;
    const tarn_deque *deque = &tarn_worker_of_(worker)->deques[TARN_PRIORITY_NORMAL];
    while (part->end - part->begin > part->grain) {
        if (tarn_deque_is_bare(deque)) {
            range back = *part;
            back.begin = part->end = part->begin + (part->end - part->begin) / 2;
            tarn_job_run(worker, part->group, work_off, &back, sizeof back);
        } else {
            part->function(worker, part->context, part->begin, part->begin + part->grain);
            part->begin += part->grain;
        }
    }
    if (part->begin < part->end)
        part->function(worker, part->context, part->begin, part->end);
}

void tarn_parallel_for(tarn_worker *worker, size_t begin, size_t end, size_t grain,
                       tarn_range_fn *function, void *context)
{
    if (begin >= end)
        return;
    size_t workers = worker->jobs->is.workers_max;
    if (grain == 0)
        grain = (end - begin) / (workers * PARTS_PER_WORKER) + 1;
    tarn_job_group group;
    range whole = {begin, end, grain, function, context, &group};
    tarn_job_group_begin(worker, &group);
    if (workers == 1)
        whole.grain = end - begin;
    work_off(worker, &whole);
    tarn_job_group_wait(worker, &group);
}
