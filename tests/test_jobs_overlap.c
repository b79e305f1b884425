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
    uint32_t forgotten; /* sleeps though a job was there and nobody had woken the sleeper */
} world;

static world now;

static void finish(void)
{
    now.has_acted = true;
    tarn_team_end end = tarn_team_finish_((tarn_team *)(void *)&now.group);
    tarn_idle_wake_tag_(now.kit.jobs, end.wakes);
}

/* Told by the worker when it has slept. */
static void look_at_sleep(void *context, tarn_jobs_event event, uint32_t worker, const char *name)
{
    (void)context, (void)name;
    if (event == TARN_EVENT_PARK && now.at_sleep)
        finish();
    if (event != TARN_EVENT_WAKE || !now.has_acted || atomic_load(&now.ran) != 0)
        return;
    now.forgotten += (tarn_u64_load_relaxed(&now.kit.jobs->parked) >> worker & 1) != 0;
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

/* All of the last steps, where it goes to sleep, and some of the many before. */
static uint32_t step_after(uint32_t step, uint32_t last)
{
    return step + CLOSE_STEPS >= last ? step + 1 : step + STRIDE;
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

static uint32_t wait_once(bool is_shared)
{
    if (is_shared)
        tarn_job_group_init(&now.group);
    else
        tarn_job_group_begin(now.kit.worker, &now.group);
    tarn_team_add((tarn_team *)(void *)&now.group, is_shared ? 0 : 1);
    now.has_acted = false;
    uint32_t steps = interleave(wait_for_it, finish_at, NULL);
    assert_true(now.has_acted);
    return steps;
}

/* A sleep that nobody ends is a hang. The first round tells how many steps there are until then. */
static void sleeps_until_its_end(bool is_shared)
{
    open_world();
    atomic_store(&now.ran, 1); /* no jobs here */
    now.at_sleep = true;
    uint32_t last = wait_once(is_shared);
    now.at_sleep = false;
    for (now.at = 1; now.at <= last - 8; now.at = step_after(now.at, last))
        wait_once(is_shared);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
