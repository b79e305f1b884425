/* Workers that have nothing to do sleep, and no job is left to sleepers. */
#define _GNU_SOURCE /* getrusage, usleep, mkdtemp */

#include "support/check.h"

#include "support/jobs_kit.h"

#include "base/os.h"
#include "base/os_quota.h"
#include "base/park.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum { ROUNDS = 3000, SLEEP_US = 300000 };

static double cpu_seconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static atomic_uint parked;

static void count_parked(void *context, tarn_jobs_event event, uint32_t worker, const char *name)
{
    (void)context, (void)worker, (void)name;
    if (event == TARN_EVENT_PARK)
        atomic_fetch_add(&parked, 1);
    else if (event == TARN_EVENT_WAKE)
        atomic_fetch_sub(&parked, 1);
}

static void await_parked(unsigned count)
{
    while (atomic_load(&parked) < count)
        usleep(100);
}

static void idle_workers_use_no_processor(void **state)
{
    (void)state;
    tarn_jobs_options options = {.workers = 4, .hook = count_parked};
    jobs_kit kit = jobs_kit_open(&options);
    await_parked(3);
    double before = cpu_seconds();
    usleep(SLEEP_US);
    double used = cpu_seconds() - before;
    check_that(used < 0.01 * SLEEP_US * 1e-6, "%.6f s of %d us", used, SLEEP_US);
    jobs_kit_close(kit);
}

static void sleep_long(tarn_worker *worker, void *payload)
{
    (void)worker;
    usleep(SLEEP_US);
    atomic_store((atomic_uint *)payload, 1);
}

static void a_wait_with_nothing_to_do_uses_none_either(void **state)
{
    (void)state;
    tarn_jobs_options options = {.workers = 2};
    jobs_kit kit = jobs_kit_open(&options);
    atomic_uint done = 0;
    tarn_job_group group;
    tarn_job_group_begin(kit.worker, &group);
    tarn_job_options pinned = {.function = sleep_long,
                               .payload = &done,
                               .group = &group,
                               .is_pinned = true,
                               .pinned_to = 1};
    double before = cpu_seconds();
    tarn_job_start(kit.worker, &pinned, NULL);
    tarn_job_group_wait(kit.worker, &group);
    double used = cpu_seconds() - before;
    assert_int_equal(atomic_load(&done), 1);
    check_that(used < 0.02 * SLEEP_US * 1e-6, "%.6f s of %d us", used, SLEEP_US);
    jobs_kit_close(kit);
}

/* J11: a job comes while the last worker goes to sleep, and nothing comes after it. Nobody but the
 * worker can run it; a lost wake-up is a hang. */
static void J11_no_wake_up_is_lost(void **state)
{
    (void)state;
    tarn_jobs_options options = {.workers = 2};
    jobs_kit kit = jobs_kit_open(&options);
    uint64_t random = 1;
    for (int round = 0; round < ROUNDS; round++) {
        atomic_uint done = 0;
        tarn_job_options job = {.function = jobs_kit_count, .payload = &done};
        /* Submitted, or pushed by a worker that then neither waits nor helps. */
        if (round % 2)
            tarn_job_submit(kit.jobs, &job, NULL);
        else
            tarn_job_run(kit.worker, NULL, jobs_kit_count, &done, 0);
        while (atomic_load(&done) == 0)
            tarn_thread_yield();
        /* About as long as a search takes before sleep. */
        uint64_t wait_ns = kit_random(&random) % 200000;
        for (uint64_t end = tarn_os_time_ns() + wait_ns; tarn_os_time_ns() < end;)
            ;
    }
    jobs_kit_close(kit);
}

/* The same for two sleepers and two jobs: one wake each. */
static void J11_each_of_two_jobs_wakes_a_worker(void **state)
{
    (void)state;
    tarn_jobs_options options = {.workers = 3, .hook = count_parked};
    jobs_kit kit = jobs_kit_open(&options);
    for (int round = 0; round < 200; round++) {
        atomic_uint both = 0;
        await_parked(2);
        tarn_job_options job = {.function = jobs_kit_count, .payload = &both};
        tarn_job_submit(kit.jobs, &job, NULL);
        tarn_job_submit(kit.jobs, &job, NULL);
        while (atomic_load(&both) < 2)
            tarn_thread_yield();
    }
    jobs_kit_close(kit);
}

static void meet(tarn_worker *worker, void *barrier)
{
    (void)worker;
    kit_barrier_wait(barrier);
}

/* Three jobs that can only end together, so each needs a thread of its own. */
static void jobs_that_need_each_other_all_get_a_thread(void **state)
{
    (void)state;
    jobs_kit kit = jobs_kit_of(3);
    for (int round = 0; round < ROUNDS / 4; round++) {
        kit_barrier barrier = {.count = 3};
        tarn_job_group group;
        tarn_job_group_begin(kit.worker, &group);
        for (int i = 0; i < 3; i++)
            tarn_job_run(kit.worker, &group, meet, &barrier, 0);
        tarn_job_group_wait(kit.worker, &group);
    }
    jobs_kit_close(kit);
}

/* ---- what the system says ---- */

static int wake_later(void *argument)
{
    usleep(1000);
    tarn_park_wake(argument);
    return 0;
}

static void a_park_keeps_its_contract(void **state)
{
    (void)state;
    alarm(JOBS_KIT_SECONDS_MAX);
    tarn_park park = {0};
    uint32_t ticket = tarn_park_ticket(&park);
    tarn_park_wait(&park, ticket, 1000); /* the end of the time */
    tarn_park_wake(&park);
    tarn_park_wait(&park, ticket, TARN_PARK_FOR_EVER); /* woken before */
    assert_true(tarn_park_ticket(&park) != ticket);
    for (int round = 0; round < 20; round++) {
        tarn_thread thread;
        ticket = tarn_park_ticket(&park);
        assert_true(tarn_thread_create(&thread, wake_later, &park));
        while (tarn_park_ticket(&park) == ticket)
            tarn_park_wait(&park, ticket, TARN_PARK_FOR_EVER);
        tarn_thread_join(thread);
    }
}

#ifdef __linux__
static void the_affinity_decides_how_many_workers_there_are(void **state)
{
    (void)state;
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_in_range(tarn_os_processors(), 1, CPU_COUNT(&before));
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &before))
            CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(tarn_os_processors(), 1);
    tarn_jobs_options options = {.stop_ms = 0};
    jobs_kit kit = jobs_kit_open(&options);
    assert_int_equal(tarn_jobs_workers(kit.jobs), 1);
    jobs_kit_close(kit);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
}
#endif

/* Writes root/path. */
static void put(const char *root, const char *path, const char *text)
{
    char full[512];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *slash = strchr(full + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(full, 0700);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static uint32_t quota(const char *groups, const char *path, const char *text, const char *path_2,
                      const char *text_2)
{
    char root[] = "/tmp/tarn-quota-XXXXXX", command[64];
    assert_non_null(mkdtemp(root));
    if (groups)
        put(root, "/proc/self/cgroup", groups);
    if (path)
        put(root, path, text);
    if (path_2)
        put(root, path_2, text_2);
    uint32_t found = tarn_os_quota_processors(root);
    snprintf(command, sizeof command, "rm -r '%s'", root);
    assert_int_equal(system(command), 0);
    return found;
}

static void the_cgroups_quota_is_found(void **state)
{
    (void)state;
    const char *two = "0::/a/b\n", *one = "5:cpu,cpuacct:/a\n3:cpuset:/\n";
    const char *leaf = "/sys/fs/cgroup/a/b/cpu.max", *above = "/sys/fs/cgroup/a/cpu.max";
    assert_true(quota(NULL, NULL, NULL, NULL, NULL) == UINT32_MAX);
    assert_true(quota(two, leaf, "max 100000\n", NULL, NULL) == UINT32_MAX);
    assert_int_equal(quota(two, leaf, "200000 100000\n", NULL, NULL), 2);
    assert_int_equal(quota(two, leaf, "150000 100000\n", NULL, NULL), 2);
    assert_int_equal(quota(two, leaf, "1000 100000\n", NULL, NULL), 1);
    assert_int_equal(quota(two, leaf, "max 100000\n", above, "300000 100000\n"), 3);
    assert_int_equal(quota(two, leaf, "400000 100000\n", above, "300000 100000\n"), 3);
    assert_int_equal(quota("0::/\n", "/sys/fs/cgroup/cpu.max", "500000 100000", NULL, NULL), 5);
    const char *quota_us = "/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us";
    const char *period_us = "/sys/fs/cgroup/cpu/a/cpu.cfs_period_us";
    assert_int_equal(quota(one, quota_us, "250000\n", period_us, "100000\n"), 3);
    assert_true(quota(one, quota_us, "-1\n", period_us, "100000\n") == UINT32_MAX);
    assert_true(quota("3:cpuset:/a\n", quota_us, "1\n", period_us, "1\n") == UINT32_MAX);
    assert_true(quota("nonsense\n", leaf, "1 1\n", NULL, NULL) == UINT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_workers_use_no_processor),
        cmocka_unit_test(a_wait_with_nothing_to_do_uses_none_either),
        cmocka_unit_test(J11_no_wake_up_is_lost),
        cmocka_unit_test(J11_each_of_two_jobs_wakes_a_worker),
        cmocka_unit_test(jobs_that_need_each_other_all_get_a_thread),
        cmocka_unit_test(a_park_keeps_its_contract),
#ifdef __linux__
        cmocka_unit_test(the_affinity_decides_how_many_workers_there_are),
#endif
        cmocka_unit_test(the_cgroups_quota_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
