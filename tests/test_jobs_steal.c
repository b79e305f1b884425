/* How jobs get from one worker to another, told on one thread, which has both. */
#include "support/jobs_kit.h"

#include "jobs/state.h"

enum { MANY = 1000, FEW = 10, PARKS_MAX = 64 };

typedef struct pair {
    jobs_kit kit;
    tarn_worker *one, *other;
    atomic_uint parks;
    uint32_t ran, strangers;
    bool are_in_order;
} pair;

static void count_parks(void *context, tarn_jobs_event event, uint32_t worker, const char *name)
{
    (void)worker, (void)name;
    if (event == TARN_EVENT_PARK)
        atomic_fetch_add(&((pair *)context)->parks, 1);
}

static void open_pair(pair *self)
{
    tarn_jobs_options options = {
        .host_threads_only = true, .attached_max = 2, .hook = count_parks, .hook_context = self};
    *self = (pair){.are_in_order = true};
    self->kit = jobs_kit_open(&options);
    kit_expect_status(tarn_worker_attach(self->kit.jobs, "one", &self->one), TARN_OK);
    kit_expect_status(tarn_worker_attach(self->kit.jobs, "other", &self->other), TARN_OK);
}

static void close_pair(pair *self)
{
    kit_expect_status(tarn_worker_detach(self->one), TARN_OK);
    kit_expect_status(tarn_worker_detach(self->other), TARN_OK);
    jobs_kit_close(self->kit);
}

typedef struct numbered {
    pair *of;
    uint32_t number;
} numbered;

static void run_numbered(tarn_worker *worker, void *payload)
{
    const numbered *self = payload;
    (void)worker;
    self->of->are_in_order &= self->number == self->of->ran;
    self->of->ran++;
}

static void run_stranger(tarn_worker *worker, void *of)
{
    (void)worker;
    ((pair *)of)->strangers++;
}

static void push_numbered(pair *self, tarn_job_group *group, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        numbered job = {self, i};
        tarn_job_run(self->one, group, run_numbered, &job, sizeof job);
    }
}

static bool has_nothing(tarn_worker *worker)
{
    return tarn_deque_is_bare(&tarn_worker_of_(worker)->deques[TARN_PRIORITY_NORMAL]);
}

static void of_many_a_thief_takes_a_few_and_none_is_lost(void **state)
{
    (void)state;
    pair self;
    tarn_job_group group;
    open_pair(&self);
    tarn_job_group_begin(self.one, &group);
    push_numbered(&self, &group, MANY);
    for (uint32_t i = 0; i < TARN_DEQUE_STEALS_MAX; i++) {
        assert_true(tarn_worker_help(self.other));
        assert_int_equal(has_nothing(self.other), i + 1 == TARN_DEQUE_STEALS_MAX);
    }
    assert_true(self.are_in_order);
    assert_true(tarn_worker_help(self.other));
    tarn_job_group_wait(self.one, &group); /* what the other has and did not begin, too */
    assert_int_equal(self.ran, MANY);
    close_pair(&self);
}

static void of_few_it_takes_one(void **state)
{
    (void)state;
    pair self;
    tarn_job_group group;
    open_pair(&self);
    tarn_job_group_begin(self.one, &group);
    push_numbered(&self, &group, FEW);
    assert_true(tarn_worker_help(self.other));
    assert_true(has_nothing(self.other));
    assert_true(self.are_in_order);
    tarn_job_group_wait(self.one, &group);
    assert_int_equal(self.ran, FEW);
    close_pair(&self);
}

/* J9: the other is busy, and many strangers lie before the only job of the group. */
static void a_wait_gets_at_its_job_behind_strangers(void **state)
{
    (void)state;
    pair self;
    tarn_job_group group;
    open_pair(&self);
    tarn_job_group_init(&group);
    for (uint32_t i = 0; i < MANY; i++)
        tarn_job_run(self.one, NULL, run_stranger, &self, 0);
    push_numbered(&self, &group, 1);
    tarn_job_group_wait(self.other, &group);
    assert_int_equal(self.ran, 1);
    assert_int_equal(self.strangers, 0);
    assert_true(atomic_load(&self.parks) <= PARKS_MAX);
    while (tarn_worker_help(self.one))
        ;
    assert_int_equal(self.strangers, MANY);
    close_pair(&self);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_many_a_thief_takes_a_few_and_none_is_lost),
        cmocka_unit_test(of_few_it_takes_one),
        cmocka_unit_test(a_wait_gets_at_its_job_behind_strangers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
