/* Jobs run once, with their payload, and groups are done when their jobs are. */
#include "support/jobs_kit.h"

enum { MANY = 3000 };

static void bad_options_are_refused_and_nothing_is_held(void **state)
{
    (void)state;
    tarn_pool *no_pool = NULL;
    const tarn_jobs_options bad[] = {
        {.workers = TARN_WORKERS_MAX + 1},
        {.workers = TARN_WORKERS_MAX, .attached_max = 1},
        {.attached_max = TARN_WORKERS_MAX},
        {.attached_max = UINT32_MAX},
        {.host_threads_only = true},
        {.jobs_max = TARN_JOBS_MAX + 1},
        {.deque_jobs = 1},
        {.deque_jobs = (1u << 20) + 1},
        {.pools_count = 1},
        {.pools = &no_pool, .pools_count = 1},
        {.pools = &no_pool, .pools_count = TARN_WORKER_POOLS_MAX + 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tarn_jobs *jobs = (tarn_jobs *)&bad;
        tarn_worker *worker = (tarn_worker *)&bad;
        kit_expect_status(tarn_jobs_create(&bad[i], &jobs, &worker), TARN_ERROR_INVALID);
        assert_null(jobs);
        assert_null(worker);
    }
    tarn_jobs *jobs;
    tarn_worker *worker;
    const tarn_jobs_options good = {.workers = 1};
    kit_expect_status(tarn_jobs_create(NULL, &jobs, &worker), TARN_ERROR_INVALID);
    kit_expect_status(tarn_jobs_create(&good, NULL, &worker), TARN_ERROR_INVALID);
    kit_expect_status(tarn_jobs_create(&good, &jobs, NULL), TARN_ERROR_INVALID);
    kit_expect_status(tarn_jobs_destroy(NULL, NULL), TARN_OK);
}

static void bad_jobs_are_refused(void **state)
{
    (void)state;
    jobs_kit kit = jobs_kit_of(1);
    tarn_job_group scoped, shared;
    tarn_job_group *const after_scoped[] = {&scoped}, *const after_none[] = {NULL};
    char payload[TARN_JOB_PAYLOAD_BYTES + 1] = {0};
    tarn_job_group_begin(kit.worker, &scoped);
    tarn_job_group_init(&shared);
    const tarn_job_options bad[] = {
        {.function = NULL},
        {.function = jobs_kit_count, .payload_bytes = 8},
        {.function = jobs_kit_count, .payload = payload, .payload_bytes = sizeof payload},
        {.function = jobs_kit_count, .priority = TARN_PRIORITIES},
        {.function = jobs_kit_count, .is_pinned = true, .pinned_to = 3},
        {.function = jobs_kit_count, .after_groups = after_scoped, .after_groups_count = 1},
        {.function = jobs_kit_count, .after_groups = after_none, .after_groups_count = 1},
        {.function = jobs_kit_count, .after_groups_count = 1},
        {.function = jobs_kit_count, .after_jobs_count = 1},
        {.function = jobs_kit_count, .after_jobs_count = TARN_JOB_AFTER_MAX + 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tarn_job_handle handle = {7};
        kit_expect_status(tarn_job_start(kit.worker, &bad[i], &handle), TARN_ERROR_INVALID);
        assert_true(handle.bits == 0);
        kit_expect_status(tarn_job_submit(kit.jobs, &bad[i], NULL), TARN_ERROR_INVALID);
    }
    kit_expect_status(tarn_job_start(kit.worker, NULL, NULL), TARN_ERROR_INVALID);
    kit_expect_status(tarn_job_start(NULL, &bad[1], NULL), TARN_ERROR_INVALID);
    kit_expect_status(tarn_job_run(kit.worker, NULL, NULL, NULL, 0), TARN_ERROR_INVALID);
    kit_expect_status(tarn_job_run(kit.worker, NULL, jobs_kit_count, NULL, 8), TARN_ERROR_INVALID);
    kit_expect_status(tarn_job_run(NULL, NULL, jobs_kit_count, NULL, 0), TARN_ERROR_INVALID);
    kit_expect_status(tarn_job_run(kit.worker, NULL, jobs_kit_count, payload, sizeof payload),
                      TARN_ERROR_INVALID);
    tarn_job_group_wait(kit.worker, &scoped);
    tarn_job_group_wait(kit.worker, &shared);
    jobs_kit_close(kit);
}

/* ---- payloads ---- */

typedef struct sized {
    size_t bytes;
    int *failures;
    atomic_uint *count;
} sized;

static void check_payload(tarn_worker *worker, void *payload)
{
    (void)worker;
    sized about;
    memcpy(&about, payload, sizeof about);
    const unsigned char *bytes = payload;
    KIT_EXPECT(about.failures, (uintptr_t)payload % 16 == 0);
    for (size_t i = sizeof about; i < about.bytes; i++)
        KIT_EXPECT(about.failures, bytes[i] == (unsigned char)(i * 7));
    memset(payload, 0xAA, about.bytes); /* it is the job's own */
    atomic_fetch_add(about.count, 1);
}

static void a_payload_of_any_size_arrives_whole(void **state)
{
    (void)state;
    jobs_kit kit = jobs_kit_of(2);
    tarn_job_group group;
    unsigned char payload[TARN_JOB_PAYLOAD_BYTES];
    int failures = 0;
    atomic_uint count = 0;
    tarn_job_group_begin(kit.worker, &group);
    for (size_t bytes = sizeof(sized); bytes <= sizeof payload; bytes++) {
        for (size_t i = 0; i < sizeof payload; i++)
            payload[i] = (unsigned char)(i * 7);
        sized about = {bytes, &failures, &count};
        memcpy(payload, &about, sizeof about);
        kit_expect_status(tarn_job_run(kit.worker, &group, check_payload, payload, bytes), TARN_OK);
    }
    memset(payload, 0, sizeof payload); /* copied before the call returned */
    tarn_job_group_wait(kit.worker, &group);
    assert_int_equal(failures, 0);
    assert_int_equal(atomic_load(&count), sizeof payload - sizeof(sized) + 1);
    jobs_kit_close(kit);
}

static void keep_pointer(tarn_worker *worker, void *payload)
{
    (void)worker;
    *(void **)payload = payload;
}

static void without_bytes_the_pointer_is_handed_on(void **state)
{
    (void)state;
    jobs_kit kit = jobs_kit_of(1);
    tarn_job_group group;
    void *place = NULL;
    tarn_job_group_begin(kit.worker, &group);
    tarn_job_run(kit.worker, &group, keep_pointer, &place, 0);
    tarn_job_group_wait(kit.worker, &group);
    assert_ptr_equal(place, &place);
    jobs_kit_close(kit);
}

/* ---- groups ---- */

static void every_job_of_a_group_runs_once(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 4; workers++) {
        jobs_kit kit = jobs_kit_of(workers);
        assert_int_equal(tarn_jobs_workers(kit.jobs), workers);
        assert_int_equal(tarn_jobs_workers_max(kit.jobs), workers + 2);
        atomic_uint counts[MANY] = {0};
        tarn_job_group group;
        tarn_job_group_begin(kit.worker, &group);
        assert_true(tarn_job_group_is_done(kit.worker, &group));
        for (int i = 0; i < MANY; i++)
            tarn_job_run(kit.worker, &group, jobs_kit_count, &counts[i], 0);
        tarn_job_group_wait(kit.worker, &group);
        assert_true(tarn_job_group_is_done(kit.worker, &group));
        for (int i = 0; i < MANY; i++)
            assert_int_equal(atomic_load(&counts[i]), 1);
        jobs_kit_close(kit);
    }
}

static void more_jobs_than_a_deque_holds_are_not_lost(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 2; workers++) {
        tarn_jobs_options options = {.workers = workers, .deque_jobs = 2};
        jobs_kit kit = jobs_kit_open(&options);
        atomic_uint counts[MANY] = {0};
        tarn_job_group group;
        tarn_job_group_begin(kit.worker, &group);
        for (int i = 0; i < MANY; i++)
            tarn_job_run(kit.worker, &group, jobs_kit_count, &counts[i], 0);
        tarn_job_group_wait(kit.worker, &group);
        for (int i = 0; i < MANY; i++)
            assert_int_equal(atomic_load(&counts[i]), 1);
        jobs_kit_close(kit);
    }
}

typedef struct node {
    tarn_job_group *group;
    atomic_uint *count;
    uint32_t depth;
} node;

static void grow(tarn_worker *worker, void *payload)
{
    node self = *(node *)payload;
    atomic_fetch_add(self.count, 1);
    if (self.depth-- == 0)
        return;
    for (int i = 0; i < 3; i++)
        tarn_job_run(worker, self.group, grow, &self, sizeof self);
}

static void jobs_may_add_jobs_to_the_group_that_is_waited_for(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 3; workers++) {
        jobs_kit kit = jobs_kit_of(workers);
        tarn_job_group scoped, shared;
        atomic_uint count = 0;
        tarn_job_group_begin(kit.worker, &scoped);
        tarn_job_group_init(&shared);
        node of_scoped = {&scoped, &count, 6}, of_shared = {&shared, &count, 6};
        tarn_job_run(kit.worker, &scoped, grow, &of_scoped, sizeof of_scoped);
        tarn_job_group_wait(kit.worker, &scoped);
        assert_int_equal(atomic_load(&count), (729 * 3 - 1) / 2);
        tarn_job_run(kit.worker, &shared, grow, &of_shared, sizeof of_shared);
        tarn_job_group_wait(kit.worker, &shared);
        assert_int_equal(atomic_load(&count), 729 * 3 - 1);
        jobs_kit_close(kit);
    }
}

static void jobs_without_a_group_run_too(void **state)
{
    (void)state;
    jobs_kit kit = jobs_kit_of(2);
    atomic_uint count = 0;
    for (int i = 0; i < MANY; i++)
        tarn_job_run(kit.worker, NULL, jobs_kit_count, &count, 0);
    while (atomic_load(&count) < MANY)
        if (!tarn_worker_help(kit.worker))
            tarn_thread_yield();
    assert_int_equal(atomic_load(&count), MANY);
    jobs_kit_close(kit);
}

/* What is pushed after the group began lies on top of its jobs. */
static void a_wait_reaches_its_jobs_under_others(void **state)
{
    (void)state;
    tarn_jobs_options options = {.workers = 1, .deque_jobs = 64};
    jobs_kit kit = jobs_kit_open(&options);
    atomic_uint own = 0, other = 0;
    tarn_job_group group;
    tarn_job_group_begin(kit.worker, &group);
    for (int i = 0; i < 200; i++) {
        tarn_job_run(kit.worker, &group, jobs_kit_count, &own, 0);
        tarn_job_run(kit.worker, NULL, jobs_kit_count, &other, 0);
    }
    tarn_job_group_wait(kit.worker, &group);
    assert_int_equal(atomic_load(&own), 200);
    assert_int_equal(atomic_load(&other), 0); /* isolated: those are strangers */
    while (tarn_worker_help(kit.worker))
        ;
    assert_int_equal(atomic_load(&other), 200);
    jobs_kit_close(kit);
}

/* A shared group's wait empties the deque; a scoped one that began before still finds its jobs. */
static void a_floor_comes_down_with_the_deque(void **state)
{
    (void)state;
    tarn_jobs_options options = {.workers = 1};
    jobs_kit kit = jobs_kit_open(&options);
    atomic_uint inner = 0;
    tarn_job_group scoped, shared;
    tarn_job_group_init(&shared);
    tarn_job_run(kit.worker, &shared, jobs_kit_count, &inner, 0);
    tarn_job_group_begin(kit.worker, &scoped);
    tarn_job_run(kit.worker, &scoped, jobs_kit_count, &inner, 0);
    tarn_job_group_wait(kit.worker, &shared); /* puts the job on top aside */
    assert_int_equal(atomic_load(&inner), 1);
    tarn_job_run(kit.worker, &scoped, jobs_kit_count, &inner, 0);
    tarn_job_group_wait(kit.worker, &scoped);
    assert_int_equal(atomic_load(&inner), 3);
    jobs_kit_close(kit);
}

/* ---- cancelling ---- */

static void cancel_and_count(tarn_worker *worker, void *payload)
{
    const node *self = payload;
    tarn_job_group_cancel(self->group);
    jobs_kit_count(worker, self->count);
}

static void a_cancelled_groups_jobs_do_not_begin_until_it_is_begun_anew(void **state)
{
    (void)state;
    tarn_jobs_options options = {.workers = 1};
    jobs_kit kit = jobs_kit_open(&options);
    atomic_uint count = 0;
    tarn_job_group group;
    tarn_job_group_begin(kit.worker, &group);
    assert_false(tarn_job_group_is_cancelled(&group));
    for (int i = 0; i < 10; i++)
        tarn_job_run(kit.worker, &group, jobs_kit_count, &count, 0);
    node self = {&group, &count, 0};
    tarn_job_run(kit.worker, &group, cancel_and_count, &self, sizeof self);
    tarn_job_group_wait(kit.worker, &group);
    assert_true(tarn_job_group_is_cancelled(&group));
    assert_int_equal(atomic_load(&count), 1); /* the last pushed came first */
    tarn_job_group_begin(kit.worker, &group);
    assert_false(tarn_job_group_is_cancelled(&group));
    tarn_job_run(kit.worker, &group, jobs_kit_count, &count, 0);
    tarn_job_group_wait(kit.worker, &group);
    assert_int_equal(atomic_load(&count), 2);
    jobs_kit_close(kit);
}

static void a_shared_group_stays_cancelled_until_it_is_made_anew(void **state)
{
    (void)state;
    jobs_kit kit = jobs_kit_of(2);
    atomic_uint count = 0;
    tarn_job_group group;
    tarn_job_group_init(&group);
    tarn_job_group_cancel(&group);
    for (int round = 0; round < 2; round++) {
        tarn_job_run(kit.worker, &group, jobs_kit_count, &count, 0);
        tarn_job_group_wait(kit.worker, &group);
        assert_int_equal(atomic_load(&count), 0);
    }
    tarn_job_group_init(&group);
    tarn_job_run(kit.worker, &group, jobs_kit_count, &count, 0);
    tarn_job_group_wait(kit.worker, &group);
    assert_int_equal(atomic_load(&count), 1);
    jobs_kit_close(kit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_options_are_refused_and_nothing_is_held),
        cmocka_unit_test(bad_jobs_are_refused),
        cmocka_unit_test(a_payload_of_any_size_arrives_whole),
        cmocka_unit_test(without_bytes_the_pointer_is_handed_on),
        cmocka_unit_test(every_job_of_a_group_runs_once),
        cmocka_unit_test(more_jobs_than_a_deque_holds_are_not_lost),
        cmocka_unit_test(jobs_may_add_jobs_to_the_group_that_is_waited_for),
        cmocka_unit_test(jobs_without_a_group_run_too),
        cmocka_unit_test(a_wait_reaches_its_jobs_under_others),
        cmocka_unit_test(a_floor_comes_down_with_the_deque),
        cmocka_unit_test(a_cancelled_groups_jobs_do_not_begin_until_it_is_begun_anew),
        cmocka_unit_test(a_shared_group_stays_cancelled_until_it_is_made_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
