#include "short.h"

#include "base/atomic.h"
#include "base/os.h"
#include "base/park.h"
#include "tarn/jobs.h"

#include <stdint.h>

#define FIB_N       15u
#define FIB_RESULT  610u
#define JOBS        500u
#define RANGE       10000u
#define WORKERS_MAX 3u

typedef struct fib_job {
    uint32_t *result;
    uint32_t n;
} fib_job;

static uint32_t fib(tarn_worker *worker, uint32_t n);

static void run_fib(tarn_worker *worker, void *payload)
{
    const fib_job *job = payload;
    *job->result = fib(worker, job->n);
}

static uint32_t fib(tarn_worker *worker, uint32_t n)
{
    if (n < 2)
        return n;
    uint32_t one = 0, two;
    tarn_job_group group;
    fib_job job = {&one, n - 1};
    tarn_job_group_begin(worker, &group);
    CHECK(tarn_job_run(worker, &group, run_fib, &job, sizeof job) == TARN_OK);
    two = fib(worker, n - 2);
    tarn_job_group_wait(worker, &group);
    return one + two;
}

static void count(tarn_worker *worker, void *counter)
{
    (void)worker;
    tarn_u32_fetch_add_relaxed(counter, 1);
}

static void add_range(tarn_worker *worker, void *sum, size_t begin, size_t end)
{
    (void)worker;
    uint64_t part = 0;
    for (size_t i = begin; i < end; i++)
        part += i;
    tarn_u64_fetch_add_relaxed(sum, part);
}

/* Every way in: pushed, submitted, urgent, pinned, after another. */
static void start_all_ways(tarn_jobs *jobs, tarn_worker *worker, uint32_t workers)
{
    tarn_u32 counter = {0};
    tarn_job_group group;
    tarn_job_handle last = {0};
    tarn_job_group_init(&group);
    for (uint32_t i = 0; i < JOBS; i++) {
        tarn_job_options job = {.function = count,
                                .payload = &counter,
                                .group = &group,
                                .priority = (tarn_job_priority)(i % TARN_PRIORITIES),
                                .is_pinned = i % 5 == 0,
                                .pinned_to = i % workers,
                                .after_jobs = &last,
                                .after_jobs_count = i % 3 == 0};
        if (i % 2)
            CHECK(tarn_job_start(worker, &job, &last) == TARN_OK);
        else
            CHECK(tarn_job_submit(jobs, &job, &last) == TARN_OK);
    }
    tarn_job_group_wait(worker, &group);
    CHECK(tarn_job_is_done(jobs, last));
    CHECK(tarn_u32_load_relaxed(&counter) == JOBS);
}

static void work_with(uint32_t workers)
{
    tarn_jobs_options options = {.workers = workers, .deque_jobs = 64};
    tarn_jobs *jobs;
    tarn_worker *worker;
    tarn_u64 sum = {0};
    CHECK(tarn_jobs_create(&options, &jobs, &worker) == TARN_OK);
    CHECK(fib(worker, FIB_N) == FIB_RESULT);
    start_all_ways(jobs, worker, workers);
    tarn_parallel_for(worker, 0, RANGE, 0, add_range, &sum);
    CHECK(tarn_u64_load_relaxed(&sum) == (uint64_t)RANGE * (RANGE - 1) / 2);
    CHECK(tarn_jobs_destroy(jobs, NULL) == TARN_OK);
}

static void keep_the_systems_contracts(void)
{
    tarn_park park = {0};
    uint64_t start_ns = tarn_os_time_ns();
    CHECK(tarn_os_processors() >= 1);
    tarn_park_wait(&park, tarn_park_ticket(&park), 2000000);
    CHECK(tarn_os_time_ns() > start_ns);
    uint32_t ticket = tarn_park_ticket(&park);
    tarn_park_wake(&park);
    tarn_park_wait(&park, ticket, TARN_PARK_FOR_EVER);
    CHECK(tarn_park_ticket(&park) != ticket);
    if (tarn_os_process_barrier_init())
        tarn_os_process_barrier();
}

void short_jobs(void)
{
    keep_the_systems_contracts();
    for (uint32_t workers = 1; workers <= WORKERS_MAX; workers++)
        work_with(workers);
}
