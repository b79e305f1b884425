/* J7: fibers that change threads by force, while they hold objects and have groups begun. */
#define _GNU_SOURCE /* ucontext */

#include "support/jobs_kit.h"

#include "support/fiber.h"

enum { FIBERS = 8, STEPS = 60, HELD = 5, WORKERS = 3 };

/* What a fiber knows; plain, handed from thread to thread with it. */
typedef struct traveller {
    fiber fiber;
    tarn_worker *worker; /* of the thread that it is on */
    tarn_job_group *all;
    uint32_t number, next; /* where it wants to go on */
    uint32_t moves;
    int failures;
    atomic_uint small_jobs;
} traveller;

/* Runs the fiber here. Afterwards, not before, it may go on elsewhere. */
static void resume(tarn_worker *worker, void *payload)
{
    traveller *self = payload;
    self->worker = worker;
    fiber_resume(&self->fiber);
    if (self->fiber.is_over)
        return;
    tarn_job_options job = {.function = resume,
                            .payload = self,
                            .group = self->all,
                            .is_pinned = true,
                            .pinned_to = self->next};
    KIT_EXPECT(&self->failures, tarn_job_start(worker, &job, NULL) == TARN_OK);
}

/* To another worker each time. */
static void move(traveller *self)
{
    uint32_t before = self->worker->index;
    self->next = (before + 1 + self->moves % (WORKERS - 1)) % WORKERS;
    fiber_yield(&self->fiber);
    self->moves++;
    KIT_EXPECT(&self->failures, self->worker->index != before);
}

static void step(traveller *self, uint32_t number)
{
    uint64_t *held[HELD];
    tarn_job_group group;
    for (uint32_t i = 0; i < HELD; i++) {
        held[i] = tarn_alloc(self->worker->caches[0]);
        KIT_EXPECT(&self->failures, held[i] != NULL);
        if (!held[i])
            return;
        *held[i] = (uint64_t)self->number << 32 | number << 8 | i;
    }
    tarn_job_group_begin(self->worker, &group);
    for (int i = 0; i < 4; i++)
        tarn_job_run(self->worker, &group, jobs_kit_count, &self->small_jobs, 0);
    move(self);
    tarn_job_run(self->worker, &group, jobs_kit_count, &self->small_jobs, 0);
    if (number % 2)
        tarn_job_group_wait(self->worker, &group);
    move(self);
    tarn_job_group_wait(self->worker, &group);
    KIT_EXPECT(&self->failures, atomic_load(&self->small_jobs) == 5 * (number + 1));
    for (uint32_t i = 0; i < HELD; i++) {
        KIT_EXPECT(&self->failures, *held[i] == ((uint64_t)self->number << 32 | number << 8 | i));
        tarn_free(self->worker->caches[0], held[i]);
    }
}

static void travel(fiber *f)
{
    traveller *self = f->user;
    for (uint32_t i = 0; i < STEPS; i++)
        step(self, i);
}

static void J7_fibers_move_between_workers_with_what_they_hold(void **state)
{
    (void)state;
    tarn_pool_options objects = {
        .object_bytes = sizeof(uint64_t), .capacity = 1000, .caches_max = WORKERS};
    tarn_pool *const pool = kit_pool(&objects);
    tarn_jobs_options options = {.workers = WORKERS, .pools = &pool, .pools_count = 1};
    jobs_kit kit = jobs_kit_open(&options);
    static traveller travellers[FIBERS];
    tarn_job_group all;
    tarn_job_group_init(&all);
    for (uint32_t i = 0; i < FIBERS; i++) {
        traveller *self = &travellers[i];
        *self = (traveller){.all = &all, .number = i + 1};
        assert_true(fiber_create(&self->fiber, travel, self));
        tarn_job_options job = {.function = resume,
                                .payload = self,
                                .group = &all,
                                .is_pinned = true,
                                .pinned_to = i % WORKERS};
        kit_expect_status(tarn_job_start(kit.worker, &job, NULL), TARN_OK);
    }
    tarn_job_group_wait(kit.worker, &all);
    for (uint32_t i = 0; i < FIBERS; i++) {
        assert_int_equal(travellers[i].failures, 0);
        assert_true(travellers[i].fiber.is_over);
        assert_int_equal(travellers[i].moves, 2 * STEPS);
        fiber_destroy(&travellers[i].fiber);
    }
    jobs_kit_close(kit);
    kit_expect_conserved(pool, 0);
    kit_destroy(pool);
}

/* ---- what a group's beginner notes in it, while another thread has it ---- */

typedef struct moved {
    tarn_jobs *jobs;
    tarn_job_group group;
    atomic_uint is_ready, is_begun, has_helped, count, ran_before;
} moved;

/* The flag is relaxed, and orders nothing: what the beginner does meanwhile must not be touched. */
static int go_on_elsewhere(void *argument)
{
    moved *self = argument;
    tarn_worker *worker;
    int failures = 0;
    KIT_EXPECT(&failures, tarn_worker_attach(self->jobs, "elsewhere", &worker) == TARN_OK);
    tarn_job_run(worker, NULL, jobs_kit_count, &self->ran_before, 0);
    while (tarn_worker_help(worker))
        ;
    kit_raise(&self->is_ready, 1);
    kit_await(&self->is_begun, 1);
    while (atomic_load_explicit(&self->has_helped, memory_order_relaxed) == 0)
        tarn_thread_yield();
    tarn_job_run(worker, &self->group, jobs_kit_count, &self->count, 0);
    tarn_job_group_wait(worker, &self->group);
    KIT_EXPECT(&failures, tarn_worker_detach(worker) == TARN_OK);
    return failures;
}

static void J7_a_group_that_moved_is_not_looked_at_beside_its_beginner(void **state)
{
    (void)state;
    tarn_jobs_options options = {.workers = 1, .attached_max = 1};
    jobs_kit kit = jobs_kit_open(&options);
    moved self = {.jobs = kit.jobs};
    tarn_thread thread;
    assert_true(tarn_thread_create(&thread, go_on_elsewhere, &self));
    kit_await(&self.is_ready, 1);
    tarn_job_options job = {
        .function = jobs_kit_count, .payload = &self.count, .group = &self.group};
    tarn_job_group_begin(kit.worker, &self.group);
    for (int i = 0; i < 3; i++)
        kit_expect_status(tarn_job_submit(kit.jobs, &job, NULL), TARN_OK);
    kit_raise(&self.is_begun, 1);
    assert_true(tarn_worker_help(kit.worker)); /* with some more into its deque: it notes where */
    atomic_store_explicit(&self.has_helped, 1, memory_order_relaxed);
    assert_int_equal(tarn_thread_join(thread), 0);
    assert_int_equal(atomic_load(&self.count), 4);
    assert_int_equal(atomic_load(&self.ran_before), 1);
    jobs_kit_close(kit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(J7_fibers_move_between_workers_with_what_they_hold),
        cmocka_unit_test(J7_a_group_that_moved_is_not_looked_at_beside_its_beginner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
