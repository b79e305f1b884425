/* Waits end, whatever runs where: no memory is touched after the last job, no job waits for a
 * place, no lock meets itself, no stack grows with strangers. */
#include "support/jobs_kit.h"

enum { ROUNDS = 20000, NESTED = 100000 };

/* J1: the group lies on the stack, and is overwritten as soon as the wait returns. */
static void wait_and_overwrite(tarn_worker *worker, atomic_uint *count, int round)
{
    tarn_job_group group;
    tarn_job_group_begin(worker, &group);
    for (int i = 0; i < 1 + round % 3; i++)
        tarn_job_run(worker, &group, jobs_kit_count, count, 0);
    tarn_job_group_wait(worker, &group);
    memset((void *)&group, 0xEE, sizeof group);
}

static void J1_a_group_is_not_touched_after_its_last_job(void **state)
{
    (void)state;
    jobs_kit kit = jobs_kit_of(3);
    atomic_uint count = 0;
    for (int round = 0; round < ROUNDS; round++)
        wait_and_overwrite(kit.worker, &count, round);
    assert_int_equal(atomic_load(&count), ROUNDS * 2 - 1);
    jobs_kit_close(kit);
}

static void J1_nor_is_a_shared_one(void **state)
{
    (void)state;
    jobs_kit kit = jobs_kit_of(3);
    atomic_uint count = 0;
    for (int round = 0; round < ROUNDS / 4; round++) {
        tarn_job_group *group = malloc(sizeof *group);
        assert_non_null(group);
        tarn_job_group_init(group);
        for (int i = 0; i < 3; i++) {
            tarn_job_options options = {
                .function = jobs_kit_count, .payload = &count, .group = group};
            tarn_job_submit(kit.jobs, &options, NULL);
        }
        tarn_job_group_wait(kit.worker, group);
        free(group);
    }
    assert_int_equal(atomic_load(&count), ROUNDS / 4 * 3);
    jobs_kit_close(kit);
}

/* ---- J8: strangers on the stack ---- */

typedef struct scopes {
    tarn_job_group gate;     /* what all wait for, in another thread's hands */
    uint32_t depth, deepest; /* of the first worker */
    atomic_uint inside, parked, count;
} scopes;

static void wait_inside(tarn_worker *worker, void *payload)
{
    scopes *self = payload;
    if (++self->depth > self->deepest)
        self->deepest = self->depth;
    tarn_job_group_wait_any(worker, &self->gate);
    --self->depth;
    jobs_kit_count(worker, &self->count);
}

static void hold_until_parked(tarn_worker *worker, void *payload)
{
    (void)worker;
    scopes *self = payload;
    kit_raise(&self->inside, 1);
    kit_await(&self->parked, 1);
}

static void note_park(void *context, tarn_jobs_event event, uint32_t worker, const char *name)
{
    (void)name;
    if (event == TARN_EVENT_PARK && worker == 0)
        kit_raise(&((scopes *)context)->parked, 1);
}

/* Each waits inside the one before, until there are enough of them on the stack. */
static void J8_waits_that_help_strangers_do_not_pile_up(void **state)
{
    (void)state;
    scopes self = {.depth = 0};
    tarn_jobs_options options = {.workers = 2,
                                 .jobs_max = NESTED,
                                 .deque_jobs = NESTED,
                                 .help_depth_max = 5,
                                 .hook = note_park,
                                 .hook_context = &self};
    jobs_kit kit = jobs_kit_open(&options);
    tarn_job_group_init(&self.gate);
    tarn_job_run(kit.worker, &self.gate, hold_until_parked, &self, 0);
    kit_await(&self.inside, 1);
    for (int i = 0; i < NESTED; i++) {
        tarn_job_options scope = {
            .function = wait_inside, .payload = &self, .is_pinned = true, .pinned_to = 0};
        kit_expect_status(tarn_job_start(kit.worker, &scope, NULL), TARN_OK);
    }
    while (tarn_worker_help(kit.worker))
        ;
    assert_int_equal(atomic_load(&self.count), NESTED);
    assert_int_equal(self.deepest, 6);
    jobs_kit_close(kit);
}

/* ---- J9: a lock held over a wait ---- */

typedef struct locked {
    atomic_flag *lock;
    int *failures;
    atomic_uint *count;
} locked;

static void work(tarn_worker *worker, void *payload)
{
    (void)worker;
    volatile unsigned spins = 0;
    while (spins < 200)
        spins = spins + 1;
    atomic_fetch_add((atomic_uint *)payload, 1);
}

/* A lock that no thread may want twice, so that a stranger on top of its holder would show. */
static void hold_over_a_wait(tarn_worker *worker, void *payload)
{
    static _Thread_local bool has_lock;
    const locked *self = payload;
    KIT_EXPECT(self->failures, !has_lock);
    if (has_lock)
        return;
    while (atomic_flag_test_and_set(self->lock))
        tarn_thread_yield();
    has_lock = true;
    tarn_job_group group;
    tarn_job_group_begin(worker, &group);
    for (int i = 0; i < 4; i++)
        tarn_job_run(worker, &group, work, self->count, 0);
    tarn_job_group_wait(worker, &group);
    has_lock = false;
    atomic_flag_clear(self->lock);
}

static void J9_an_isolated_wait_meets_no_stranger(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 3; workers++) {
        jobs_kit kit = jobs_kit_of(workers);
        atomic_flag lock = ATOMIC_FLAG_INIT;
        int failures = 0;
        atomic_uint count = 0;
        tarn_job_group group;
        locked self = {&lock, &failures, &count};
        tarn_job_group_begin(kit.worker, &group);
        for (int i = 0; i < 500; i++)
            tarn_job_run(kit.worker, &group, hold_over_a_wait, &self, sizeof self);
        tarn_job_group_wait(kit.worker, &group);
        assert_int_equal(failures, 0);
        assert_int_equal(atomic_load(&count), 2000);
        jobs_kit_close(kit);
    }
}

/* The same told in steps: the awaited job is in another thread's hands, and there is nothing to do
 * but strangers' jobs. */
typedef struct strangers {
    atomic_uint inside, may_end, seen;
} strangers;

static void end_when_told(tarn_worker *worker, void *payload)
{
    (void)worker;
    strangers *self = payload;
    kit_raise(&self->inside, 1);
    kit_await(&self->may_end, 1);
}

static void wait_for_another(tarn_worker *worker, void *payload)
{
    strangers *self = payload;
    tarn_job_group group;
    tarn_job_group_begin(worker, &group);
    tarn_job_run(worker, &group, end_when_told, self, 0);
    kit_await(&self->inside, 1); /* stolen */
    tarn_job_group_wait(worker, &group);
    kit_raise(&self->inside, 2);
}

static void J9_nor_does_it_steal_one(void **state)
{
    (void)state;
    tarn_jobs_options options = {.workers = 3};
    jobs_kit kit = jobs_kit_open(&options);
    strangers self = {.seen = 0};
    tarn_job_run(kit.worker, NULL, wait_for_another, &self, 0);
    kit_await(&self.inside, 1);
    for (int i = 0; i < 10; i++) {
        tarn_job_run(kit.worker, NULL, jobs_kit_count, &self.seen, 0);
        usleep(300);
    }
    assert_int_equal(atomic_load(&self.seen), 0);
    kit_raise(&self.may_end, 1);
    kit_await(&self.inside, 2);
    while (atomic_load(&self.seen) < 10)
        if (!tarn_worker_help(kit.worker))
            tarn_thread_yield();
    jobs_kit_close(kit);
}

/* ---- jobs that the awaited ones began ---- */

typedef struct begun {
    atomic_uint flag;
    kit_barrier barrier;
} begun;

static void meet(tarn_worker *worker, void *barrier)
{
    (void)worker;
    kit_barrier_wait(barrier);
}

static void begin_two_that_meet(tarn_worker *worker, void *payload)
{
    begun *self = payload;
    kit_raise(&self->flag, 1);
    tarn_job_group group;
    tarn_job_group_begin(worker, &group);
    tarn_job_run(worker, &group, meet, &self->barrier, 0);
    tarn_job_run(worker, &group, meet, &self->barrier, 0);
    tarn_job_group_wait(worker, &group);
}

/* Two jobs that can only end together: the one who waits for their beginner has to run one. */
static void a_wait_runs_what_its_jobs_began(void **state)
{
    (void)state;
    tarn_jobs_options options = {.workers = 2};
    jobs_kit kit = jobs_kit_open(&options);
    for (int round = 0; round < 200; round++) {
        begun self = {.barrier = {.count = 2}};
        tarn_job_group group;
        tarn_job_group_begin(kit.worker, &group);
        tarn_job_run(kit.worker, &group, begin_two_that_meet, &self, 0);
        kit_await(&self.flag, 1); /* the other worker has it */
        tarn_job_group_wait(kit.worker, &group);
    }
    jobs_kit_close(kit);
}

static void hold(tarn_worker *worker, void *flag)
{
    (void)worker;
    kit_await(flag, 1);
}

/* A wait must not be satisfied by another group's jobs. */
static void a_wait_ends_for_its_own_group_only(void **state)
{
    (void)state;
    jobs_kit kit = jobs_kit_of(2);
    for (int round = 0; round < 200; round++) {
        atomic_uint flag = 0, count = 0;
        tarn_job_group slow, quick;
        tarn_job_group_init(&slow);
        tarn_job_group_begin(kit.worker, &quick);
        tarn_job_options held = {.function = hold, .payload = &flag, .group = &slow};
        tarn_job_submit(kit.jobs, &held, NULL);
        for (int i = 0; i < 10; i++)
            tarn_job_run(kit.worker, &quick, jobs_kit_count, &count, 0);
        tarn_job_group_wait(kit.worker, &quick);
        assert_int_equal(atomic_load(&count), 10);
        assert_false(tarn_job_group_is_done(kit.worker, &slow));
        assert_false(tarn_job_group_is_done(NULL, &slow));
        kit_raise(&flag, 1);
        tarn_job_group_wait(kit.worker, &slow);
    }
    jobs_kit_close(kit);
}

/* What lies above a group's jobs is neither run in its wait nor lost. */
static void a_wait_leaves_strangers_on_top_to_others(void **state)
{
    (void)state;
    jobs_kit kit = jobs_kit_of(1);
    atomic_uint others = 0, count = 0;
    tarn_job_group group;
    tarn_job_group_begin(kit.worker, &group);
    for (int i = 0; i < 2; i++) {
        tarn_job_run(kit.worker, &group, jobs_kit_count, &count, 0);
        tarn_job_run(kit.worker, NULL, jobs_kit_count, &others, 0);
    }
    tarn_job_group_wait(kit.worker, &group);
    assert_int_equal(atomic_load(&count), 2);
    assert_int_equal(atomic_load(&others), 0);
    tarn_job_run(kit.worker, NULL, jobs_kit_count, &others, 0);
    tarn_job_group_wait(kit.worker, &group); /* is done */
    assert_int_equal(atomic_load(&others), 0);
    while (tarn_worker_help(kit.worker))
        ;
    assert_int_equal(atomic_load(&others), 3);
    jobs_kit_close(kit);
}

/* ---- parallel_for ---- */

typedef struct ranges {
    unsigned char *seen;
    size_t grain;
    int *failures;
} ranges;

static void mark(tarn_worker *worker, void *context, size_t begin, size_t end)
{
    (void)worker;
    const ranges *self = context;
    KIT_EXPECT(self->failures, begin < end);
    for (size_t i = begin; i < end; i++)
        self->seen[i]++;
}

static void parallel_for_covers_each_index_once(void **state)
{
    (void)state;
    static unsigned char seen[10007];
    for (uint32_t workers = 1; workers <= 3; workers++) {
        jobs_kit kit = jobs_kit_of(workers);
        for (size_t count = 0; count < sizeof seen; count = count * 3 + 1)
            for (size_t grain = 0; grain < 2000; grain = grain * 7 + 1) {
                int failures = 0;
                ranges self = {seen, grain, &failures};
                memset(seen, 0, sizeof seen);
                tarn_parallel_for(kit.worker, 5, 5 + count, grain, mark, &self);
                assert_int_equal(failures, 0);
                for (size_t i = 0; i < sizeof seen; i++)
                    assert_int_equal(seen[i], i >= 5 && i < 5 + count);
            }
        tarn_parallel_for(kit.worker, 7, 3, 0, mark, NULL); /* nothing */
        jobs_kit_close(kit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(J1_a_group_is_not_touched_after_its_last_job),
        cmocka_unit_test(J1_nor_is_a_shared_one),
        cmocka_unit_test(J8_waits_that_help_strangers_do_not_pile_up),
        cmocka_unit_test(J9_an_isolated_wait_meets_no_stranger),
        cmocka_unit_test(J9_nor_does_it_steal_one),
        cmocka_unit_test(a_wait_runs_what_its_jobs_began),
        cmocka_unit_test(a_wait_ends_for_its_own_group_only),
        cmocka_unit_test(a_wait_leaves_strangers_on_top_to_others),
        cmocka_unit_test(parallel_for_covers_each_index_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
