/* The end of a scheduler: whatever lies, waits or is attached, it comes within a bound or says who
 * is late. */
#include "support/jobs_kit.h"

enum { JOBS = 500 };

typedef struct late_job {
    atomic_uint *begun, *may_end, *count;
} late_job;

static void hold_and_wait(tarn_worker *worker, void *payload)
{
    late_job self = *(late_job *)payload;
    tarn_job_group group;
    tarn_job_group_begin(worker, &group);
    atomic_fetch_add(self.begun, 1);
    kit_await(self.may_end, 1);
    tarn_job_options creators = {.function = jobs_kit_count,
                                 .payload = self.count,
                                 .group = &group,
                                 .is_pinned = true,
                                 .pinned_to = 0}; /* who destroys, at that time */
    tarn_job_start(worker, &creators, NULL);
    for (int i = 0; i < JOBS; i++)
        tarn_job_run(worker, &group, jobs_kit_count, self.count, 0);
    tarn_job_group_wait(worker, &group);
}

static void J_shutdown_with_work_queued_drops_it(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 3; workers++) {
        jobs_kit kit = jobs_kit_of(workers);
        atomic_uint count = 0;
        tarn_job_group after;
        tarn_job_group *const groups[] = {&after};
        tarn_job_group_init(&after);
        tarn_job_options job = {.function = jobs_kit_count, .payload = &count};
        for (int i = 0; i < JOBS; i++) {
            job.priority = (tarn_job_priority)(i % TARN_PRIORITIES);
            job.is_pinned = i % 7 == 0;
            job.pinned_to = (uint32_t)i % (workers + 2); /* also to workers that never come */
            job.group = i % 2 ? &after : NULL;
            tarn_job_start(kit.worker, &job, NULL);
            tarn_job_submit(kit.jobs, &job, NULL);
        }
        job.group = NULL;
        job.after_groups = groups;
        job.after_groups_count = 1;
        tarn_job_start(kit.worker, &job, NULL);
        jobs_kit_close(kit);
        assert_true(tarn_job_group_is_done(NULL, &after));
        assert_true(atomic_load(&count) <= (workers > 1 ? 2 * JOBS + 1 : 0));
    }
}

static void J_shutdown_without_workers_drops_it_too(void **state)
{
    (void)state;
    tarn_jobs_options options = {.host_threads_only = true, .attached_max = 1};
    jobs_kit kit = jobs_kit_open(&options);
    atomic_uint count = 0;
    tarn_job_group group;
    tarn_job_group_init(&group);
    tarn_job_options job = {.function = jobs_kit_count, .payload = &count, .group = &group};
    for (int i = 0; i < JOBS; i++)
        kit_expect_status(tarn_job_submit(kit.jobs, &job, NULL), TARN_OK);
    jobs_kit_close(kit);
    assert_true(tarn_job_group_is_done(NULL, &group));
    assert_int_equal(atomic_load(&count), 0);
}

static int destroy_later(void *argument)
{
    jobs_kit *kit = argument;
    return tarn_jobs_destroy(kit->jobs, NULL) == TARN_OK ? 0 : 1;
}

/* A job waits for jobs that will never begin: its wait ends, and so does it. */
static void J_shutdown_ends_the_waits_of_jobs(void **state)
{
    (void)state;
    jobs_kit kit = jobs_kit_of(3);
    atomic_uint begun = 0, may_end = 0, count = 0;
    late_job self = {&begun, &may_end, &count};
    for (uint32_t i = 1; i < 3; i++) {
        tarn_job_options job = {.function = hold_and_wait,
                                .payload = &self,
                                .payload_bytes = sizeof self,
                                .is_pinned = true,
                                .pinned_to = i};
        tarn_job_start(kit.worker, &job, NULL);
    }
    kit_await(&begun, 2);
    tarn_thread thread;
    assert_true(tarn_thread_create(&thread, destroy_later, &kit));
    kit_raise(&may_end, 1);
    assert_int_equal(tarn_thread_join(thread), 0);
}

/* A forgotten detach is named, and the scheduler stays whole until it is made up for. */
static void a_forgotten_detach_times_out_with_a_name(void **state)
{
    (void)state;
    tarn_jobs_options options = {.workers = 2, .attached_max = 2, .stop_ms = 20};
    jobs_kit kit = jobs_kit_open(&options);
    tarn_worker *first, *second, *third;
    kit_expect_status(tarn_worker_attach(kit.jobs, "loader", &first), TARN_OK);
    kit_expect_status(tarn_worker_attach(kit.jobs, "sound", &second), TARN_OK);
    assert_true(first->index == 2 && second->index == 3);
    kit_expect_status(tarn_worker_detach(first), TARN_OK);
    kit_expect_status(tarn_worker_detach(kit.worker), TARN_ERROR_INVALID);
    kit_expect_status(tarn_worker_detach(NULL), TARN_ERROR_INVALID);
    const char *late = NULL;
    kit_expect_status(tarn_jobs_destroy(kit.jobs, &late), TARN_ERROR_BUSY);
    assert_non_null(late);
    assert_string_equal(late, "sound");
    kit_expect_status(tarn_worker_attach(kit.jobs, "more", &third), TARN_ERROR_BUSY);
    kit_expect_status(tarn_jobs_destroy(kit.jobs, NULL), TARN_ERROR_BUSY);
    assert_false(tarn_worker_work(second, 10000)); /* told that it ends */
    kit_expect_status(tarn_worker_detach(second), TARN_OK);
    kit_expect_status(tarn_jobs_destroy(kit.jobs, &late), TARN_OK);
    assert_null(late);
}

static void a_job_that_does_not_end_is_named_too(void **state)
{
    (void)state;
    tarn_jobs_options options = {.workers = 2, .stop_ms = 20};
    jobs_kit kit = jobs_kit_open(&options);
    atomic_uint begun = 0, may_end = 0, count = 0;
    late_job self = {&begun, &may_end, &count};
    tarn_job_options job = {.function = hold_and_wait,
                            .payload = &self,
                            .payload_bytes = sizeof self,
                            .name = "path finding",
                            .is_pinned = true,
                            .pinned_to = 1};
    tarn_job_start(kit.worker, &job, NULL);
    kit_await(&begun, 1);
    const char *late = NULL;
    kit_expect_status(tarn_jobs_destroy(kit.jobs, &late), TARN_ERROR_BUSY);
    assert_string_equal(late, "path finding");
    kit_raise(&may_end, 1);
    jobs_kit_close(kit);
}

/* ---- host threads come and go ---- */

typedef struct visitor {
    tarn_jobs *jobs;
    tarn_job_group *group;
    atomic_uint *count, *attached;
} visitor;

static void spread(tarn_worker *worker, void *payload)
{
    visitor self = *(visitor *)payload;
    for (int i = 0; i < 3; i++)
        tarn_job_run(worker, self.group, jobs_kit_count, self.count, 0);
}

static int visit(void *argument)
{
    const visitor *self = argument;
    int failures = 0;
    for (int round = 0; round < JOBS; round++) {
        tarn_worker *worker;
        tarn_status status = tarn_worker_attach(self->jobs, "visitor", &worker);
        KIT_EXPECT(&failures, status == TARN_OK || status == TARN_ERROR_NO_WORKER);
        if (status != TARN_OK) {
            tarn_thread_yield();
            continue;
        }
        /* Leaves what it pushed to others. */
        tarn_job_run(worker, self->group, spread, self, sizeof *self);
        atomic_fetch_add(self->attached, 1);
        if (round % 3 == 0)
            tarn_worker_help(worker);
        KIT_EXPECT(&failures, tarn_worker_detach(worker) == TARN_OK);
    }
    return failures;
}

static void host_threads_come_and_go_and_no_job_is_lost(void **state)
{
    (void)state;
    jobs_kit kit = jobs_kit_of(2);
    tarn_job_group group;
    atomic_uint count = 0, attached = 0;
    visitor self = {kit.jobs, &group, &count, &attached};
    tarn_job_group_init(&group);
    assert_int_equal(kit_run_threads(3, visit, &self, 0), 0);
    tarn_job_group_wait(kit.worker, &group);
    assert_true(atomic_load(&attached) > 0);
    assert_int_equal(atomic_load(&count), 3 * atomic_load(&attached));
    jobs_kit_close(kit);
}

static int work_until_told(void *argument)
{
    const visitor *self = argument;
    int failures = 0;
    tarn_worker *worker;
    KIT_EXPECT(&failures, tarn_worker_attach(self->jobs, "host", &worker) == TARN_OK);
    atomic_fetch_add(self->attached, 1);
    while (tarn_worker_work(worker, 1000))
        ;
    KIT_EXPECT(&failures, tarn_worker_detach(worker) == TARN_OK);
    return failures;
}

static void host_threads_work_until_the_end(void **state)
{
    (void)state;
    tarn_jobs_options options = {.host_threads_only = true, .attached_max = 2};
    jobs_kit kit = jobs_kit_open(&options);
    tarn_thread threads[2];
    atomic_uint count = 0, attached = 0;
    tarn_job_group group;
    visitor self = {kit.jobs, &group, &count, &attached};
    for (int i = 0; i < 2; i++)
        assert_true(tarn_thread_create(&threads[i], work_until_told, &self));
    kit_await(&attached, 2);
    tarn_job_group_init(&group);
    tarn_job_options job = {.function = jobs_kit_count, .payload = &count, .group = &group};
    for (int i = 0; i < JOBS; i++)
        kit_expect_status(tarn_job_submit(kit.jobs, &job, NULL), TARN_OK);
    while (!tarn_job_group_is_done(NULL, &group))
        tarn_thread_yield();
    assert_int_equal(atomic_load(&count), JOBS);
    jobs_kit_close(kit);
    for (int i = 0; i < 2; i++)
        assert_int_equal(tarn_thread_join(threads[i]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(J_shutdown_with_work_queued_drops_it),
        cmocka_unit_test(J_shutdown_without_workers_drops_it_too),
        cmocka_unit_test(J_shutdown_ends_the_waits_of_jobs),
        cmocka_unit_test(a_forgotten_detach_times_out_with_a_name),
        cmocka_unit_test(a_job_that_does_not_end_is_named_too),
        cmocka_unit_test(host_threads_come_and_go_and_no_job_is_lost),
        cmocka_unit_test(host_threads_work_until_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
