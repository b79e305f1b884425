/* Names of jobs, and jobs that start after others. */
#include "support/jobs_kit.h"

enum { JOBS = 200 };

static tarn_job_options counting(atomic_uint *count, tarn_job_group *group)
{
    return (tarn_job_options){.function = jobs_kit_count, .payload = count, .group = group};
}

/* ---- handles ---- */

static void a_handle_is_done_when_its_job_is(void **state)
{
    (void)state;
    tarn_jobs_options one = {.workers = 1};
    jobs_kit kit = jobs_kit_open(&one);
    atomic_uint count = 0;
    tarn_job_options options = counting(&count, NULL);
    tarn_job_handle handle;
    kit_expect_status(tarn_job_start(kit.worker, &options, &handle), TARN_OK);
    assert_true(handle.bits != 0);
    assert_false(tarn_job_is_done(kit.jobs, handle));
    assert_true(tarn_worker_help(kit.worker));
    assert_true(tarn_job_is_done(kit.jobs, handle));
    assert_true(tarn_job_is_done(kit.jobs, (tarn_job_handle){0}));
    assert_true(tarn_job_is_done(kit.jobs, (tarn_job_handle){UINT64_MAX}));
    jobs_kit_close(kit);
}

/* J2: the slot goes round many times, and no old name ever means a new job. */
static void J2_a_stale_handle_is_done_for_ever(void **state)
{
    (void)state;
    tarn_jobs_options one = {.workers = 1, .jobs_max = 1};
    jobs_kit kit = jobs_kit_open(&one);
    atomic_uint count = 0;
    tarn_job_options options = counting(&count, NULL);
    tarn_job_handle handles[JOBS];
    for (int i = 0; i < JOBS; i++) {
        kit_expect_status(tarn_job_start(kit.worker, &options, &handles[i]), TARN_OK);
        for (int k = 0; k < i; k++) {
            assert_true(tarn_job_is_done(kit.jobs, handles[k]));
            assert_true(handles[k].bits != handles[i].bits);
        }
        assert_false(tarn_job_is_done(kit.jobs, handles[i]));
        while (tarn_worker_help(kit.worker))
            ;
    }
    assert_int_equal(atomic_load(&count), JOBS);
    jobs_kit_close(kit);
}

/* ---- after others ---- */

typedef struct step {
    atomic_uint *clock;
    unsigned *time;
} step;

static void note_time(tarn_worker *worker, void *payload)
{
    (void)worker;
    const step *self = payload;
    *self->time = atomic_fetch_add(self->clock, 1) + 1;
}

static void a_job_starts_after_jobs_and_groups(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 3; workers++) {
        jobs_kit kit = jobs_kit_of(workers);
        for (int round = 0; round < JOBS; round++) {
            atomic_uint clock = 0;
            unsigned times[6] = {0};
            tarn_job_group all, first;
            tarn_job_handle handles[2];
            tarn_job_group *const groups[] = {&first};
            tarn_job_group_begin(kit.worker, &all);
            tarn_job_group_init(&first);
            step steps[6];
            for (int i = 0; i < 6; i++)
                steps[i] = (step){&clock, &times[i]};
            tarn_job_options options = {
                .function = note_time, .payload = &steps[0], .payload_bytes = sizeof(step)};
            options.group = &first;
            tarn_job_start(kit.worker, &options, NULL);
            options.payload = &steps[1];
            tarn_job_start(kit.worker, &options, NULL);
            options.group = &all;
            options.payload = &steps[2];
            tarn_job_start(kit.worker, &options, &handles[0]);
            options.payload = &steps[3];
            options.after_groups = groups;
            options.after_groups_count = 1;
            tarn_job_start(kit.worker, &options, &handles[1]);
            options.payload = &steps[4];
            options.after_jobs = handles;
            options.after_jobs_count = 2;
            kit_expect_status(tarn_job_start(kit.worker, &options, &handles[0]), TARN_OK);
            options.payload = &steps[5];
            options.after_groups_count = 0;
            options.after_jobs_count = 1;
            kit_expect_status(tarn_job_start(kit.worker, &options, NULL), TARN_OK);
            tarn_job_group_wait(kit.worker, &all);
            for (int i = 0; i < 6; i++)
                assert_true(times[i] != 0);
            assert_true(times[3] > times[0] && times[3] > times[1]);
            assert_true(times[4] > times[2] && times[4] > times[3]);
            assert_true(times[5] > times[4]);
        }
        jobs_kit_close(kit);
    }
}

static void after_what_is_over_a_job_starts_at_once(void **state)
{
    (void)state;
    jobs_kit kit = jobs_kit_of(1);
    atomic_uint count = 0;
    tarn_job_group over, group;
    tarn_job_group *const groups[] = {&over};
    tarn_job_handle none = {0};
    tarn_job_group_init(&over);
    tarn_job_group_begin(kit.worker, &group);
    tarn_job_options options = counting(&count, &group);
    options.after_groups = groups;
    options.after_groups_count = 1;
    options.after_jobs = &none;
    options.after_jobs_count = 1;
    kit_expect_status(tarn_job_start(kit.worker, &options, NULL), TARN_OK);
    tarn_job_group_wait(kit.worker, &group);
    assert_int_equal(atomic_load(&count), 1);
    jobs_kit_close(kit);
}

static void a_job_after_a_cancelled_one_still_starts(void **state)
{
    (void)state;
    tarn_jobs_options one = {.workers = 1};
    jobs_kit kit = jobs_kit_open(&one);
    atomic_uint count = 0;
    tarn_job_group cancelled, group;
    tarn_job_handle handle;
    tarn_job_group_init(&cancelled);
    tarn_job_group_begin(kit.worker, &group);
    tarn_job_options options = counting(&count, &cancelled);
    tarn_job_start(kit.worker, &options, &handle);
    tarn_job_group_cancel(&cancelled);
    options.group = &group;
    options.after_jobs = &handle;
    options.after_jobs_count = 1;
    tarn_job_start(kit.worker, &options, NULL);
    while (tarn_worker_help(kit.worker))
        ;
    assert_true(tarn_job_group_is_done(kit.worker, &group));
    assert_int_equal(atomic_load(&count), 1);
    jobs_kit_close(kit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handle_is_done_when_its_job_is),
        cmocka_unit_test(J2_a_stale_handle_is_done_for_ever),
        cmocka_unit_test(a_job_starts_after_jobs_and_groups),
        cmocka_unit_test(after_what_is_over_a_job_starts_at_once),
        cmocka_unit_test(a_job_after_a_cancelled_one_still_starts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
