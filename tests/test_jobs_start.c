/* What a job can have: a priority, a place, a thread that is no worker to submit it; and what a
 * worker has. */
#include "support/jobs_kit.h"

enum { JOBS = 200 };

static tarn_job_options counting(atomic_uint *count, tarn_job_group *group)
{
    return (tarn_job_options){.function = jobs_kit_count, .payload = count, .group = group};
}

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

/* ---- priorities ---- */

static void the_urgent_comes_first(void **state)
{
    (void)state;
    tarn_jobs_options one = {.workers = 1};
    jobs_kit kit = jobs_kit_open(&one);
    atomic_uint clock = 0;
    unsigned times[4] = {0};
    const tarn_job_priority priorities[] = {TARN_PRIORITY_LOW, TARN_PRIORITY_NORMAL,
                                            TARN_PRIORITY_HIGH, TARN_PRIORITY_LOW};
    for (int i = 0; i < 4; i++) {
        step self = {&clock, &times[i]};
        tarn_job_options options = {.function = note_time,
                                    .payload = &self,
                                    .payload_bytes = sizeof self,
                                    .priority = priorities[i]};
        if (i % 2 == 0)
            kit_expect_status(tarn_job_submit(kit.jobs, &options, NULL), TARN_OK);
        else
            kit_expect_status(tarn_job_start(kit.worker, &options, NULL), TARN_OK);
    }
    while (tarn_worker_help(kit.worker))
        ;
    assert_int_equal(times[2], 1);
    assert_int_equal(times[1], 2);
    assert_int_equal(times[0] + times[3], 7);
    jobs_kit_close(kit);
}

static void a_wait_finds_its_jobs_of_every_priority(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 2; workers++) {
        tarn_jobs_options few = {.workers = workers, .deque_jobs = 4};
        jobs_kit kit = jobs_kit_open(&few);
        atomic_uint count = 0, other = 0;
        tarn_job_group group;
        tarn_job_group_begin(kit.worker, &group);
        for (int i = 0; i < JOBS; i++) {
            tarn_job_options options = counting(&count, &group);
            options.priority = (tarn_job_priority)(i % TARN_PRIORITIES);
            tarn_job_start(kit.worker, &options, NULL);
            options = counting(&other, NULL);
            options.priority = (tarn_job_priority)(i / 2 % TARN_PRIORITIES);
            tarn_job_start(kit.worker, &options, NULL);
        }
        tarn_job_group_wait(kit.worker, &group);
        assert_int_equal(atomic_load(&count), JOBS);
        jobs_kit_close(kit);
    }
}

/* ---- pinned ---- */

typedef struct where {
    uint32_t wanted;
    int *failures;
    atomic_uint *count;
} where;

static void check_place(tarn_worker *worker, void *payload)
{
    const where *self = payload;
    KIT_EXPECT(self->failures, worker->index == self->wanted);
    atomic_fetch_add(self->count, 1);
}

static void pin_to_others(tarn_worker *worker, void *payload)
{
    where self = *(where *)payload;
    tarn_job_group group;
    tarn_job_group_begin(worker, &group);
    for (self.wanted = 0; self.wanted < tarn_jobs_workers(worker->jobs); self.wanted++) {
        tarn_job_options options = {.function = check_place,
                                    .payload = &self,
                                    .payload_bytes = sizeof self,
                                    .group = &group,
                                    .is_pinned = true,
                                    .pinned_to = self.wanted};
        KIT_EXPECT(self.failures, tarn_job_start(worker, &options, NULL) == TARN_OK);
    }
    tarn_job_group_wait(worker, &group);
}

/* Worker 0 is inside a wait meanwhile, which runs the pinned jobs of its own group's jobs. */
static void pinned_jobs_run_where_they_belong(void **state)
{
    (void)state;
    jobs_kit kit = jobs_kit_of(3);
    int failures = 0;
    atomic_uint count = 0;
    tarn_job_group group;
    where self = {0, &failures, &count};
    tarn_job_group_begin(kit.worker, &group);
    for (int i = 0; i < 50; i++)
        tarn_job_run(kit.worker, &group, pin_to_others, &self, sizeof self);
    tarn_job_group_wait(kit.worker, &group);
    assert_int_equal(failures, 0);
    assert_int_equal(atomic_load(&count), 150);
    jobs_kit_close(kit);
}

static void pinned_jobs_run_in_order(void **state)
{
    (void)state;
    jobs_kit kit = jobs_kit_of(1);
    atomic_uint clock = 0;
    unsigned times[5] = {0};
    for (int i = 0; i < 5; i++) {
        step self = {&clock, &times[i]};
        tarn_job_options options = {.function = note_time,
                                    .payload = &self,
                                    .payload_bytes = sizeof self,
                                    .is_pinned = true};
        tarn_job_submit(kit.jobs, &options, NULL);
        if (i == 2)
            assert_true(tarn_worker_help(kit.worker));
    }
    while (tarn_worker_help(kit.worker))
        ;
    for (unsigned i = 0; i < 5; i++)
        assert_int_equal(times[i], i + 1);
    jobs_kit_close(kit);
}

/* ---- J13: threads that are no workers ---- */

typedef struct foreign {
    tarn_jobs *jobs;
    tarn_job_group *group;
    atomic_uint *count;
} foreign;

static int submit_many(void *argument)
{
    const foreign *self = argument;
    int failures = 0;
    tarn_job_handle last = {0};
    for (int i = 0; i < JOBS; i++) {
        tarn_job_options options = counting(self->count, self->group);
        options.priority = (tarn_job_priority)(i % TARN_PRIORITIES);
        options.after_jobs = &last;
        options.after_jobs_count = i % 5 == 0;
        KIT_EXPECT(&failures, tarn_job_submit(self->jobs, &options, &last) == TARN_OK);
    }
    while (!tarn_job_is_done(self->jobs, last))
        tarn_thread_yield();
    return failures;
}

static void J13_unregistered_threads_submit_and_poll(void **state)
{
    (void)state;
    jobs_kit kit = jobs_kit_of(2);
    tarn_job_group group;
    atomic_uint count = 0;
    foreign self = {kit.jobs, &group, &count};
    tarn_job_group_init(&group);
    assert_int_equal(kit_run_threads(4, submit_many, &self, 0), 0);
    tarn_job_group_wait(kit.worker, &group);
    assert_int_equal(atomic_load(&count), 4 * JOBS);
    jobs_kit_close(kit);
}

/* ---- what a worker has ---- */

static void use_caches(tarn_worker *worker, void *payload)
{
    const where *self = payload;
    KIT_EXPECT(self->failures, worker->caches_count == 2);
    void *a = tarn_alloc(worker->caches[0]), *b = tarn_alloc(worker->caches[1]);
    KIT_EXPECT(self->failures, a && b);
    memset(a, 1, 16);
    memset(b, 2, 48);
    tarn_free(worker->caches[0], a);
    tarn_free(worker->caches[1], b);
}

static void each_worker_has_a_cache_of_each_pool(void **state)
{
    (void)state;
    tarn_pool_options small = {.object_bytes = 16, .capacity = 1000, .caches_max = 4};
    tarn_pool_options large = {.object_bytes = 48, .capacity = 1000, .caches_max = 3};
    tarn_pool *const pools[] = {kit_pool(&small), kit_pool(&large)};
    tarn_jobs_options options = {.workers = 3, .attached_max = 1, .pools = pools, .pools_count = 2};
    jobs_kit kit = jobs_kit_open(&options);
    int failures = 0;
    where self = {0, &failures, NULL};
    tarn_job_group group;
    tarn_job_group_begin(kit.worker, &group);
    for (int i = 0; i < JOBS; i++)
        tarn_job_run(kit.worker, &group, use_caches, &self, sizeof self);
    tarn_job_group_wait(kit.worker, &group);
    assert_int_equal(failures, 0);
    tarn_worker *extra;
    kit_expect_status(tarn_worker_attach(kit.jobs, "extra", &extra), TARN_ERROR_NO_CACHE);
    assert_null(extra);
    tarn_jobs *second;
    tarn_worker *worker;
    kit_expect_status(tarn_jobs_create(&options, &second, &worker), TARN_ERROR_NO_CACHE);
    jobs_kit_close(kit);
    kit_expect_conserved(pools[0], 0);
    kit_destroy(pools[0]);
    kit_destroy(pools[1]);
}

/* ---- hooks ---- */

typedef struct told {
    atomic_uint events[TARN_EVENT_JOB_END + 1];
    atomic_uint named;
} told;

static void tell(void *context, tarn_jobs_event event, uint32_t worker, const char *name)
{
    told *all = context;
    atomic_fetch_add(&all->events[event], 1);
    if (name && strcmp(name, "counted") == 0 && worker < 2)
        atomic_fetch_add(&all->named, 1);
}

static void a_profiler_is_told_of_everything(void **state)
{
    (void)state;
    told all = {.named = 0};
    tarn_jobs_options options = {.workers = 2, .hook = tell, .hook_context = &all};
    jobs_kit kit = jobs_kit_open(&options);
    atomic_uint count = 0;
    tarn_job_group group;
    tarn_job_group_begin(kit.worker, &group);
    for (int i = 0; i < JOBS; i++) {
        tarn_job_options named = counting(&count, &group);
        named.name = i % 2 ? "counted" : NULL;
        tarn_job_start(kit.worker, &named, NULL);
    }
    tarn_job_group_wait(kit.worker, &group);
    while (atomic_load(&all.events[TARN_EVENT_PARK]) == 0)
        tarn_thread_yield(); /* the other worker has nothing to do */
    jobs_kit_close(kit);
    assert_int_equal(atomic_load(&all.events[TARN_EVENT_WORKER_START]), 1);
    assert_int_equal(atomic_load(&all.events[TARN_EVENT_WORKER_STOP]), 1);
    assert_int_equal(atomic_load(&all.events[TARN_EVENT_JOB_BEGIN]), JOBS);
    assert_int_equal(atomic_load(&all.events[TARN_EVENT_JOB_END]), JOBS);
    assert_int_equal(atomic_load(&all.named), JOBS);
    assert_int_equal(atomic_load(&all.events[TARN_EVENT_PARK]),
                     atomic_load(&all.events[TARN_EVENT_WAKE]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_urgent_comes_first),
        cmocka_unit_test(a_wait_finds_its_jobs_of_every_priority),
        cmocka_unit_test(pinned_jobs_run_where_they_belong),
        cmocka_unit_test(pinned_jobs_run_in_order),
        cmocka_unit_test(J13_unregistered_threads_submit_and_poll),
        cmocka_unit_test(each_worker_has_a_cache_of_each_pool),
        cmocka_unit_test(a_profiler_is_told_of_everything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
