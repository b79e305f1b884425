/* Creation. One block of the host's memory holds everything but the pool of tasks:
 *
 *   [ tarn_jobs | workers | places of their deques | marks | links ]  */
#include "base/os.h"
#include "base/size.h"
#include "jobs/destroy.h"
#include "jobs/thread.h"

#include <string.h>

#define JOBS_DEFAULT       ((size_t)65536)
#define DEQUE_JOBS_DEFAULT 8192u
#define DEQUE_JOBS_MAX     ((uint32_t)1 << 20)
#define HELP_DEPTH_DEFAULT 16u
#define STOP_MS_DEFAULT    5000u
#define GUESTS             16u /* caches for threads that submit; others go without */
#define PAGE_BYTES_DEFAULT ((size_t)4096)

/* Offsets into the block. */
typedef struct layout {
    size_t workers, places, marks, links, bytes;
    uint64_t deque_jobs;
} layout;

static uint32_t or_default(uint32_t value, uint32_t other)
{
    return value != 0 ? value : other;
}

static bool are_pools_valid(const tarn_jobs_options *options)
{
    if (options->pools_count > TARN_WORKER_POOLS_MAX || (options->pools_count && !options->pools))
        return false;
    for (uint32_t i = 0; i < options->pools_count; i++)
        if (!options->pools[i])
            return false;
    return true;
}

static bool are_valid(const tarn_jobs_options *options)
{
    uint32_t own_min = options->host_threads_only ? 0 : or_default(options->workers, 1);
    return own_min <= TARN_WORKERS_MAX && options->attached_max <= TARN_WORKERS_MAX - own_min &&
           own_min + options->attached_max > 0 && options->jobs_max <= TARN_JOBS_MAX &&
           options->deque_jobs <= DEQUE_JOBS_MAX && options->deque_jobs != 1 &&
           are_pools_valid(options);
}

static void count_workers(tarn_jobs_constants *is, const tarn_jobs_options *options)
{
    uint32_t own = options->workers;
    if (options->host_threads_only)
        own = 0;
    else if (own == 0)
        own = (uint32_t)tarn_size_clamp(tarn_os_processors(), 1,
                                        TARN_WORKERS_MAX - options->attached_max);
    is->workers_count = own;
    is->workers_max = own + options->attached_max;
    is->has_creator = own > 0;
}

static bool choose_memory(tarn_jobs_constants *is, const tarn_jobs_options *options)
{
    is->memory = options->memory ? *options->memory : tarn_os_memory();
    if (is->memory.page_bytes == 0)
        is->memory.page_bytes = PAGE_BYTES_DEFAULT;
    return is->memory.reserve && is->memory.commit && is->memory.decommit && is->memory.release &&
           tarn_is_power_of_two(is->memory.page_bytes) &&
           is->memory.page_bytes >= PAGE_BYTES_DEFAULT;
}

static tarn_status create_pool(tarn_jobs_constants *is, const tarn_jobs_options *options)
{
    tarn_pool_options pool = {
        .name = "jobs",
        .object_bytes = 128,
        .object_alignment = 128,
        .capacity = options->jobs_max ? options->jobs_max : JOBS_DEFAULT,
        .caches_max = is->workers_max + GUESTS,
        .memory = &is->memory,
    };
    return tarn_pool_create(&pool, &is->pool);
}

static size_t place_after(size_t *bytes, size_t count, size_t each)
{
    size_t offset = (*bytes + TARN_LINE_BYTES - 1) & ~(size_t)(TARN_LINE_BYTES - 1);
    *bytes = offset + count * each;
    return offset;
}

/* Nothing overflows: jobs, workers and deques have small bounds. */
static layout lay_out(const tarn_jobs_constants *is, const tarn_jobs_options *options)
{
    layout plan = {.bytes = sizeof(tarn_jobs), .deque_jobs = 2};
    size_t slots = (size_t)is->pool->plan.slots_max;
    while (plan.deque_jobs < or_default(options->deque_jobs, DEQUE_JOBS_DEFAULT))
        plan.deque_jobs *= 2;
    plan.workers = place_after(&plan.bytes, is->workers_max, sizeof(tarn_worker_));
    plan.places = place_after(&plan.bytes, (size_t)plan.deque_jobs,
                              sizeof(tarn_u64) * TARN_PRIORITIES * is->workers_max);
    plan.marks = place_after(&plan.bytes, slots, sizeof(tarn_u64));
    plan.links = place_after(&plan.bytes, slots + 1, sizeof(tarn_u32));
    plan.bytes = (plan.bytes + is->memory.page_bytes - 1) & ~(is->memory.page_bytes - 1);
    return plan;
}

static void *take_memory(const tarn_memory *memory, size_t bytes)
{
    void *block = memory->reserve(memory->context, bytes, memory->page_bytes);
    if (block && !memory->commit(memory->context, block, bytes)) {
        memory->release(memory->context, block, bytes);
        block = NULL;
    }
    return block;
}

static void set_up_worker(tarn_jobs *jobs, uint32_t index, const layout *plan)
{
    tarn_worker_ *worker = &jobs->is.workers[index];
    tarn_u64 *places = (tarn_u64 *)(void *)((char *)jobs + plan->places);
    worker->face = (tarn_worker){.jobs = jobs,
                                 .index = index,
                                 .caches_count = jobs->is.pools_count,
                                 .caches = worker->caches};
    worker->tag = index + 1;
    worker->random = 2654435769u * (index + 1);
    for (uint32_t p = 0; p < TARN_PRIORITIES; p++)
        tarn_deque_init(&worker->deques[p],
                        places + (index * TARN_PRIORITIES + p) * plan->deque_jobs,
                        plan->deque_jobs);
}

/* The memory is zero, so only what differs from zero is set. */
static void set_up(tarn_jobs *jobs, const tarn_jobs_constants *is, const layout *plan,
                   const tarn_jobs_options *options)
{
    char *base = (char *)jobs;
    jobs->is = *is;
    jobs->is.workers = (tarn_worker_ *)(void *)(base + plan->workers);
    jobs->is.marks = (tarn_u64 *)(void *)(base + plan->marks);
    jobs->is.bytes = plan->bytes;
    jobs->is.help_depth_max = or_default(options->help_depth_max, HELP_DEPTH_DEFAULT);
    jobs->is.stop_ms = or_default(options->stop_ms, STOP_MS_DEFAULT);
    jobs->is.is_alone = is->workers_max == 1;
    jobs->is.has_barrier = is->workers_max > 1 && tarn_os_process_barrier_init();
    jobs->is.fences_notify = is->workers_max > 1 && !jobs->is.has_barrier;
    jobs->is.hook = options->hook;
    jobs->is.hook_context = options->hook_context;
    jobs->is.frame = options->frame;
    jobs->is.pools_count = options->pools_count;
    for (uint32_t i = 0; i < options->pools_count; i++)
        jobs->is.pools[i] = options->pools[i];
    tarn_links_init(&jobs->is.links, (tarn_u32 *)(void *)(base + plan->links), sizeof(tarn_u32),
                    (uint32_t)is->pool->plan.slots_max);
    for (uint32_t i = 0; i < is->workers_max; i++)
        set_up_worker(jobs, i, plan);
}

/* The creating thread has the first worker. */
static tarn_status start_workers(tarn_jobs *jobs)
{
    for (uint32_t i = 0; i < jobs->is.workers_count; i++) {
        tarn_status status = tarn_thread_attach_caches_(&jobs->is.workers[i], NULL);
        if (status != TARN_OK)
            return status;
    }
    for (uint32_t i = 0; i < jobs->is.workers_count; i++) {
        tarn_worker_ *worker = &jobs->is.workers[i];
        /* relaxed: the thread's creation orders it. */
        tarn_u32_store_relaxed(&worker->place, TARN_PLACE_OWN);
        if (i > 0 && !tarn_thread_start_worker_(worker)) {
            /* relaxed: the place is this thread's. */
            tarn_u32_store_relaxed(&worker->place, TARN_PLACE_FREE);
            return TARN_ERROR_NO_THREAD;
        }
    }
    return TARN_OK;
}

static tarn_status create(const tarn_jobs_options *options, tarn_jobs_constants *is,
                          tarn_jobs **result)
{
    tarn_status status = create_pool(is, options);
    if (status != TARN_OK)
        return status;
    layout plan = lay_out(is, options);
    tarn_jobs *jobs = take_memory(&is->memory, plan.bytes);
    if (!jobs) {
        tarn_pool_destroy(is->pool);
        return TARN_ERROR_NO_MEMORY;
    }
    set_up(jobs, is, &plan, options);
    status = start_workers(jobs);
    if (status == TARN_OK) {
        *result = jobs;
        return TARN_OK;
    }
    tarn_destroy_stop_(jobs);
    tarn_destroy_give_back_(jobs);
    return status;
}

tarn_status tarn_jobs_create(const tarn_jobs_options *options, tarn_jobs **jobs,
                             tarn_worker **worker)
{
    tarn_jobs_constants is = {.workers = NULL};
    if (jobs)
        *jobs = NULL;
    if (worker)
        *worker = NULL;
    if (!options || !jobs || !worker || !are_valid(options) || !choose_memory(&is, options))
        return TARN_ERROR_INVALID;
    count_workers(&is, options);
    tarn_status status = create(options, &is, jobs);
    if (status == TARN_OK && is.has_creator)
        *worker = &(*jobs)->is.workers[0].face;
    return status;
}

uint32_t tarn_jobs_workers_max(const tarn_jobs *jobs)
{
    return jobs->is.workers_max;
}

uint32_t tarn_jobs_workers(const tarn_jobs *jobs)
{
    return jobs->is.workers_count;
}
