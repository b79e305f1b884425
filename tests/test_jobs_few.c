/* With few jobs, or few workers or none, all work is done all the same. */
#include "support/jobs_kit.h"
#include "support/memory_hooks.h"

/* ---- J5: no job is free ---- */

typedef struct tree {
    atomic_uint *count;
    uint32_t depth, width;
} tree;

static void climb(tarn_worker *worker, void *payload)
{
    tree self = *(tree *)payload;
    atomic_fetch_add(self.count, 1);
    if (self.depth-- == 0)
        return;
    tarn_job_group group;
    tarn_job_group_begin(worker, &group);
    for (uint32_t i = 0; i < self.width; i++)
        tarn_job_run(worker, &group, climb, &self, sizeof self);
    tarn_job_group_wait(worker, &group);
}

static unsigned leaves(uint32_t depth, uint32_t width)
{
    return depth == 0 ? 1 : 1 + width * leaves(depth - 1, width);
}

static void J5_jobs_run_inline_when_none_is_free(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 3; workers++)
        for (size_t jobs_max = 1; jobs_max <= 9; jobs_max += 4) {
            tarn_jobs_options options = {.workers = workers, .jobs_max = jobs_max};
            jobs_kit kit = jobs_kit_open(&options);
            atomic_uint count = 0;
            tree root = {&count, 2, 150}; /* more at once than there are places, slack included */
            climb(kit.worker, &root);
            assert_int_equal(atomic_load(&count), leaves(2, 150));
            jobs_kit_close(kit);
        }
}

static void J5_what_cannot_run_inline_is_refused(void **state)
{
    (void)state;
    tarn_jobs_options one = {.workers = 1, .attached_max = 1, .jobs_max = 1};
    jobs_kit kit = jobs_kit_open(&one);
    atomic_uint count = 0;
    tarn_job_group group;
    tarn_job_handle handles[64], first;
    tarn_job_options plain = {.function = jobs_kit_count, .payload = &count};
    kit_expect_status(tarn_job_start(kit.worker, &plain, &first), TARN_OK);
    unsigned started = 1;
    do
        kit_expect_status(tarn_job_start(kit.worker, &plain, &handles[0]), TARN_OK);
    while (handles[0].bits != 0 && ++started < 1000);
    assert_true(started < 1000); /* then the next ran at once */
    assert_int_equal(atomic_load(&count), 1);
    tarn_job_group_begin(kit.worker, &group);
    tarn_job_options after = {.function = jobs_kit_count,
                              .payload = &count,
                              .group = &group,
                              .after_jobs = &first,
                              .after_jobs_count = 1};
    tarn_job_options pinned = {
        .function = jobs_kit_count, .payload = &count, .is_pinned = true, .pinned_to = 1};
    kit_expect_status(tarn_job_start(kit.worker, &after, NULL), TARN_ERROR_FULL);
    kit_expect_status(tarn_job_start(kit.worker, &pinned, NULL), TARN_ERROR_FULL);
    kit_expect_status(tarn_job_submit(kit.jobs, &plain, NULL), TARN_ERROR_FULL);
    tarn_job_group_wait(kit.worker, &group); /* nothing was counted */
    while (tarn_worker_help(kit.worker))
        ;
    assert_int_equal(atomic_load(&count), started + 1);
    jobs_kit_close(kit);
}

static memory_hooks hooks;

static void creation_fails_whole_at_every_memory_call(void **state)
{
    (void)state;
    memory_hooks_init(&hooks, 0);
    tarn_jobs_options options = {.workers = 2, .memory = &hooks.memory};
    tarn_status status = TARN_ERROR_NO_MEMORY;
    for (uint64_t n = 1; status == TARN_ERROR_NO_MEMORY && n < 100; n++) {
        tarn_jobs *jobs;
        tarn_worker *worker;
        memory_hooks_restart(&hooks);
        hooks.fail_at = n;
        status = tarn_jobs_create(&options, &jobs, &worker);
        assert_int_equal(status == TARN_OK, hooks.failures == 0);
        if (status == TARN_OK)
            kit_expect_status(tarn_jobs_destroy(jobs, NULL), TARN_OK);
        else
            assert_true(!jobs && !worker);
        assert_true(memory_hooks_are_balanced(&hooks));
    }
    kit_expect_status(status, TARN_OK);
    memory_hooks_destroy(&hooks);
}

/* ---- J8: depth ---- */

enum { NESTED = 100000, ZIGZAGS = 60000 };

typedef struct chain {
    atomic_uint *count;
    uint32_t left, pin_every;
    int *failures;
    void *thread; /* of the first worker: an address that is its alone */
} chain;

static _Thread_local char own_byte;

static void check_thread(tarn_worker *worker, void *payload)
{
    const chain *self = payload;
    KIT_EXPECT(self->failures, worker->index == 0 && self->thread == &own_byte);
    atomic_fetch_add(self->count, 1);
}

static void descend(tarn_worker *worker, void *payload)
{
    chain self = *(chain *)payload;
    atomic_fetch_add(self.count, 1);
    if (self.left-- == 0)
        return;
    tarn_job_group group;
    tarn_job_group_begin(worker, &group);
    if (self.left % self.pin_every == 0 && self.failures) {
        tarn_job_options pinned = {.function = check_thread,
                                   .payload = &self,
                                   .payload_bytes = sizeof self,
                                   .group = &group,
                                   .is_pinned = true};
        KIT_EXPECT(self.failures, tarn_job_start(worker, &pinned, NULL) == TARN_OK);
    }
    tarn_job_run(worker, &group, descend, &self, sizeof self);
    tarn_job_group_wait(worker, &group);
}

static void J8_scopes_nest_without_end(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 2; workers++) {
        tarn_jobs_options options = {.workers = workers, .jobs_max = 2 * NESTED};
        jobs_kit kit = jobs_kit_open(&options);
        atomic_uint count = 0;
        int failures = 0;
        chain self = {&count, NESTED, 1000, &failures, &own_byte};
        descend(kit.worker, &self);
        assert_int_equal(failures, 0);
        assert_int_equal(atomic_load(&count), NESTED + 1 + NESTED / 1000);
        jobs_kit_close(kit);
    }
}

/* The same where each level runs inline. */
static void J8_nor_does_it_matter_that_no_job_is_free(void **state)
{
    (void)state;
    tarn_jobs_options options = {.workers = 1, .jobs_max = 1};
    jobs_kit kit = jobs_kit_open(&options);
    atomic_uint count = 0;
    chain self = {.count = &count, .left = NESTED, .pin_every = NESTED + 1};
    descend(kit.worker, &self);
    assert_int_equal(atomic_load(&count), NESTED + 1);
    jobs_kit_close(kit);
}

/* Each level is begun by the other worker than the one before, so that each has every second: on
 * neither stack do the depths follow each other. */
typedef struct zigzag {
    atomic_uint *begun; /* levels */
    uint32_t level, levels;
} zigzag;

static void descend_elsewhere(tarn_worker *worker, void *payload)
{
    zigzag self = *(zigzag *)payload;
    kit_raise(self.begun, ++self.level);
    if (self.level == self.levels)
        return;
    tarn_job_group group;
    tarn_job_group_begin(worker, &group);
    tarn_job_run(worker, &group, descend_elsewhere, &self, sizeof self);
    kit_await(self.begun, self.level + 1);
    tarn_job_group_wait(worker, &group);
}

static void J8_scopes_nest_on_two_stacks(void **state)
{
    (void)state;
    for (uint32_t first = 0; first < 2; first++) {
        jobs_kit kit = jobs_kit_of(2);
        atomic_uint begun = first;
        zigzag top = {&begun, first, ZIGZAGS};
        descend_elsewhere(kit.worker, &top);
        assert_int_equal(atomic_load(&begun), ZIGZAGS);
        jobs_kit_close(kit);
    }
}

/* ---- J10: few workers ---- */

static void J10_one_worker_is_enough(void **state)
{
    (void)state;
    tarn_jobs_options options = {.workers = 1};
    jobs_kit kit = jobs_kit_open(&options);
    atomic_uint count = 0;
    tree root = {&count, 9, 2};
    tarn_job_group group;
    tarn_job_group_begin(kit.worker, &group);
    tarn_job_run(kit.worker, &group, climb, &root, sizeof root);
    tarn_job_group_wait_any(kit.worker, &group);
    assert_int_equal(atomic_load(&count), leaves(9, 2));
    jobs_kit_close(kit);
}

static void J10_without_workers_whoever_attaches_does_the_work(void **state)
{
    (void)state;
    tarn_jobs_options options = {.host_threads_only = true, .attached_max = 1};
    jobs_kit kit = jobs_kit_open(&options);
    assert_null(kit.worker);
    assert_int_equal(tarn_jobs_workers(kit.jobs), 0);
    atomic_uint count = 0;
    tarn_job_group group;
    tarn_job_group_init(&group);
    tree root = {&count, 7, 2};
    tarn_job_options job = {
        .function = climb, .payload = &root, .payload_bytes = sizeof root, .group = &group};
    for (int i = 0; i < 5; i++)
        kit_expect_status(tarn_job_submit(kit.jobs, &job, NULL), TARN_OK);
    assert_false(tarn_job_group_is_done(NULL, &group));
    tarn_worker *worker, *second;
    kit_expect_status(tarn_worker_attach(kit.jobs, "host", &worker), TARN_OK);
    kit_expect_status(tarn_worker_attach(kit.jobs, "host", &second), TARN_ERROR_NO_WORKER);
    assert_null(second);
    tarn_job_group_wait(worker, &group);
    assert_int_equal(atomic_load(&count), 5 * leaves(7, 2));
    kit_expect_status(tarn_worker_detach(worker), TARN_OK);
    kit_expect_status(tarn_worker_detach(worker), TARN_ERROR_NOT_ATTACHED);
    jobs_kit_close(kit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(J5_jobs_run_inline_when_none_is_free),
        cmocka_unit_test(J5_what_cannot_run_inline_is_refused),
        cmocka_unit_test(creation_fails_whole_at_every_memory_call),
        cmocka_unit_test(J8_scopes_nest_without_end),
        cmocka_unit_test(J8_nor_does_it_matter_that_no_job_is_free),
        cmocka_unit_test(J8_scopes_nest_on_two_stacks),
        cmocka_unit_test(J10_one_worker_is_enough),
        cmocka_unit_test(J10_without_workers_whoever_attaches_does_the_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
