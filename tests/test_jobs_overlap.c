/* J11, told step by step: a job comes, or a group ends, before each single atomic access of a
 * worker that goes to sleep. The other thread acts on this one, so nothing is left to chance. */
#include "support/jobs_kit.h"

#include "support/interleave.h"

#include "jobs/idle.h"
#include "jobs/state.h"
#include "jobs/team.h"

enum { CLOSE_STEPS = 120, STRIDE = 41 };

typedef struct world {
    jobs_kit kit;
    tarn_job_group group;
    uint32_t at;   /* the access before which the other acts */
    bool at_sleep; /* or there */
    bool has_acted;
    atomic_uint ran;
    bool is_waiting;    /* for the group, which the job would end */
    uint32_t forgotten; /* sleeps though a job was there and nobody had woken the sleeper */
} world;

static world now;

static void finish(void)
{
    now.has_acted = true;
    tarn_team_end end = tarn_team_finish_((tarn_team *)(void *)&now.group);
    tarn_idle_wake_tag_(now.kit.jobs, end.wakes);
}

static bool is_forgotten(uint32_t worker)
{
    return now.has_acted && atomic_load(&now.ran) == 0 &&
           (tarn_u64_load_relaxed(&now.kit.jobs->parked) >> worker & 1) != 0;
}

/* Told by the worker. A wait that has forgotten its job would never wake. */
static void look_at_sleep(void *context, tarn_jobs_event event, uint32_t worker, const char *name)
{
    (void)context, (void)name;
    if (event == TARN_EVENT_PARK && now.at_sleep)
        finish();
    if (event == TARN_EVENT_PARK && now.is_waiting && is_forgotten(worker))
        fail_msg("the job that came before step %u is slept over", now.at);
    now.forgotten += event == TARN_EVENT_WAKE && is_forgotten(worker);
}

static void submit_at(void *context, uint32_t point)
{
    (void)context;
    if (point != now.at)
        return;
    now.has_acted = true;
    tarn_job_options job = {.function = jobs_kit_count, .payload = &now.ran};
    assert_int_equal(tarn_job_submit(now.kit.jobs, &job, NULL), TARN_OK);
}

static void work_a_little(void *context)
{
    (void)context;
    assert_true(tarn_worker_work(now.kit.worker, 1));
}

static void open_world(void)
{
    /* A second worker that never comes, so that this one is not alone. */
    tarn_jobs_options options = {.workers = 1, .attached_max = 1, .hook = look_at_sleep};
    now = (world){.kit = jobs_kit_open(&options)};
}

/* All of the first steps, where it looks around, and of the last, where it goes to sleep, and some
 * of the many between. */
static uint32_t step_after(uint32_t step, uint32_t last)
{
    return step < CLOSE_STEPS || step + CLOSE_STEPS >= last ? step + 1 : step + STRIDE;
}

static void J11_a_job_before_each_step_is_not_slept_over(void **state)
{
    (void)state;
    open_world();
    uint32_t last = interleave(work_a_little, submit_at, NULL);
    assert_true(last > 2 * CLOSE_STEPS);
    for (now.at = 1; now.at <= last; now.at = step_after(now.at, last)) {
        now.has_acted = false;
        atomic_store(&now.ran, 0);
        interleave(work_a_little, submit_at, NULL);
        while (tarn_worker_help(now.kit.worker))
            ;
        assert_int_equal(atomic_load(&now.ran), now.has_acted);
    }
    assert_int_equal(now.forgotten, 0);
    jobs_kit_close(now.kit);
}

/* ---- a group's end ---- */

static void finish_at(void *context, uint32_t point)
{
    (void)context;
    if (point == now.at)
        finish();
}

static void wait_for_it(void *context)
{
    (void)context;
    tarn_job_group_wait(now.kit.worker, &now.group);
}

static uint32_t wait_once(bool is_shared, interleave_other *other)
{
    if (is_shared)
        tarn_job_group_init(&now.group);
    else
        tarn_job_group_begin(now.kit.worker, &now.group);
    tarn_team_add((tarn_team *)(void *)&now.group, is_shared ? 0 : 1);
    now.has_acted = false;
    uint32_t steps = interleave(wait_for_it, other, NULL);
    assert_true(now.has_acted);
    return steps;
}

/* A sleep that nobody ends is a hang. The first round tells how many steps there are until then. */
static void sleeps_until_its_end(bool is_shared)
{
    open_world();
    atomic_store(&now.ran, 1); /* no jobs here */
    now.at_sleep = true;
    uint32_t last = wait_once(is_shared, finish_at);
    now.at_sleep = false;
    for (now.at = 1; now.at <= last - 8; now.at = step_after(now.at, last))
        wait_once(is_shared, finish_at);
    jobs_kit_close(now.kit);
}

/* ---- a job of the group, among others ---- */

static void end_group(tarn_worker *worker, void *payload)
{
    (void)worker, (void)payload;
    finish();
    atomic_store(&now.ran, 1);
}

static void submit_member_at(void *context, uint32_t point)
{
    (void)context;
    if (point != now.at)
        return;
    now.has_acted = true;
    tarn_job_options job = {.function = end_group, .payload = &now, .group = &now.group};
    assert_int_equal(tarn_job_submit(now.kit.jobs, &job, NULL), TARN_OK);
}

/* The wait looks through a list in which a stranger lies, and puts that back. */
static void J11_a_job_before_each_step_of_a_wait_among_strangers_is_found(void **state)
{
    (void)state;
    open_world();
    atomic_uint strangers = 0;
    tarn_job_options stranger = {.function = jobs_kit_count, .payload = &strangers};
    assert_int_equal(tarn_job_submit(now.kit.jobs, &stranger, NULL), TARN_OK);
    atomic_store(&now.ran, 1);
    now.at_sleep = true;
    uint32_t last = wait_once(true, finish_at);
    now.at_sleep = false;
    now.is_waiting = true;
    for (now.at = 1; now.at <= last - 8; now.at = step_after(now.at, last)) {
        atomic_store(&now.ran, 0);
        wait_once(true, submit_member_at);
    }
    assert_int_equal(now.forgotten, 0);
    assert_int_equal(atomic_load(&strangers), 0);
    assert_true(tarn_worker_help(now.kit.worker));
    assert_int_equal(atomic_load(&strangers), 1);
    jobs_kit_close(now.kit);
}

static void J11_a_scoped_groups_end_before_each_step_is_noticed(void **state)
{
    (void)state;
    sleeps_until_its_end(false);
}
static void J11_so_is_a_shared_ones(void **state)
{
    (void)state;
    sleeps_until_its_end(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(J11_a_job_before_each_step_is_not_slept_over),
        cmocka_unit_test(J11_a_scoped_groups_end_before_each_step_is_noticed),
        cmocka_unit_test(J11_so_is_a_shared_ones),
        cmocka_unit_test(J11_a_job_before_each_step_of_a_wait_among_strangers_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
