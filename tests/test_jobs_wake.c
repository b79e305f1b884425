/* J11: a worker that sleeps is woken by the job that is pushed, though nobody else would ever take
 * it: the thread that pushes looks on and does not help. */
#include "support/jobs_kit.h"

#include "base/os.h"

enum { ROUNDS = 30 };

#define LOOK_ON_NS ((uint64_t)20 * 1000 * 1000 * 1000)
#define SETTLE_NS  ((uint64_t)2 * 1000 * 1000)

static void count_parks(void *parks, tarn_jobs_event event, uint32_t worker, const char *name)
{
    (void)worker, (void)name;
    if (event == TARN_EVENT_PARK)
        atomic_fetch_add((atomic_uint *)parks, 1);
}

static bool look_on_until(const atomic_uint *word, unsigned value)
{
    for (uint64_t end = tarn_os_time_ns() + LOOK_ON_NS; atomic_load(word) < value;) {
        if (tarn_os_time_ns() > end)
            return false;
        tarn_thread_yield();
    }
    return true;
}

/* After it has said that it parks, a worker is soon asleep. */
static void let_it_fall_asleep(void)
{
    for (uint64_t end = tarn_os_time_ns() + SETTLE_NS; tarn_os_time_ns() < end;)
        tarn_thread_yield();
}

static void wake_often(bool by_submission)
{
    atomic_uint parks = 0, ran = 0;
    tarn_jobs_options options = {.workers = 2, .hook = count_parks, .hook_context = &parks};
    jobs_kit kit = jobs_kit_open(&options);
    for (unsigned round = 1; round <= ROUNDS; round++) {
        assert_true(look_on_until(&parks, round));
        let_it_fall_asleep();
        tarn_job_options job = {.function = jobs_kit_count, .payload = &ran};
        if (by_submission)
            kit_expect_status(tarn_job_submit(kit.jobs, &job, NULL), TARN_OK);
        else
            kit_expect_status(tarn_job_run(kit.worker, NULL, jobs_kit_count, &ran, 0), TARN_OK);
        assert_true(look_on_until(&ran, round));
    }
    jobs_kit_close(kit);
}

static void J11_a_push_wakes_a_sleeper(void **state)
{
    (void)state;
    wake_often(false);
}

static void J11_so_does_a_foreign_threads_job(void **state)
{
    (void)state;
    wake_often(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(J11_a_push_wakes_a_sleeper),
        cmocka_unit_test(J11_so_does_a_foreign_threads_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
