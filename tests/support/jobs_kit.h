/* What the tests of jobs share: schedulers made in one line, and a watchdog, since what goes wrong
 * here is mostly a wait that never ends. */
#ifndef TARN_TESTS_SUPPORT_JOBS_KIT_H
#define TARN_TESTS_SUPPORT_JOBS_KIT_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* alarm */
#endif

#include "support/kit.h"

#include <unistd.h>

#define JOBS_KIT_SECONDS_MAX 200u

typedef struct jobs_kit {
    tarn_jobs *jobs;
    tarn_worker *worker;
} jobs_kit;

static inline jobs_kit jobs_kit_open(const tarn_jobs_options *options)
{
    jobs_kit kit = {NULL, NULL};
    alarm(JOBS_KIT_SECONDS_MAX);
    kit_expect_status(tarn_jobs_create(options, &kit.jobs, &kit.worker), TARN_OK);
    assert_non_null(kit.jobs);
    return kit;
}

/* So many workers, and room for two host threads. */
static inline jobs_kit jobs_kit_of(uint32_t workers)
{
    tarn_jobs_options options = {.workers = workers, .attached_max = 2};
    return jobs_kit_open(&options);
}

static inline void jobs_kit_close(jobs_kit kit)
{
    const char *late = NULL;
    tarn_status status = tarn_jobs_destroy(kit.jobs, &late);
    if (status != TARN_OK)
        print_error("late: %s\n", late);
    kit_expect_status(status, TARN_OK);
}

/* Counts its calls. */
static inline void jobs_kit_count(tarn_worker *worker, void *counter)
{
    (void)worker;
    atomic_fetch_add((atomic_uint *)counter, 1);
}

/* Runs what it is told to, until the flag is up. */
static inline void jobs_kit_help_until(tarn_worker *worker, atomic_uint *flag)
{
    while (atomic_load(flag) == 0)
        if (!tarn_worker_help(worker))
            tarn_thread_yield();
}

#endif
