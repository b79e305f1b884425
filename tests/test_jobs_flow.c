/* J15: one-sided traffic through workers' caches stays within its bound, and the pool of jobs is
 * whole afterwards. */
#include "support/jobs_kit.h"

enum { OBJECTS = 200000, RING = 256, WORKERS = 3 };

typedef struct flow {
    _Atomic(uint64_t *) ring[RING];
    int failures;
    uint64_t taken, given;
} flow;

static void produce(tarn_worker *worker, void *payload)
{
    flow *self = payload;
    while (self->taken < OBJECTS) {
        uint64_t *object = tarn_alloc(worker->caches[0]);
        KIT_EXPECT(&self->failures, object != NULL);
        if (!object)
            return;
        *object = self->taken;
        while (atomic_load_explicit(&self->ring[self->taken % RING], memory_order_acquire))
            tarn_thread_yield();
        atomic_store_explicit(&self->ring[self->taken++ % RING], object, memory_order_release);
    }
}

static void consume(tarn_worker *worker, void *payload)
{
    flow *self = payload;
    while (self->given < OBJECTS) {
        _Atomic(uint64_t *) *place = &self->ring[self->given % RING];
        uint64_t *object = atomic_load_explicit(place, memory_order_acquire);
        if (!object) {
            tarn_thread_yield();
            continue;
        }
        KIT_EXPECT(&self->failures, *object == self->given);
        self->given++;
        tarn_free(worker->caches[0], object);
        atomic_store_explicit(place, NULL, memory_order_release);
    }
}

static void J15_one_sided_traffic_keeps_within_its_bound(void **state)
{
    (void)state;
    tarn_pool_options objects = {
        .object_bytes = sizeof(uint64_t), .capacity = 100000, .caches_max = WORKERS};
    tarn_pool *const pool = kit_pool(&objects);
    tarn_jobs_options options = {.workers = WORKERS, .pools = &pool, .pools_count = 1};
    jobs_kit kit = jobs_kit_open(&options);
    static flow self;
    tarn_job_group group;
    tarn_job_group_begin(kit.worker, &group);
    tarn_job_options job = {
        .function = produce, .payload = &self, .group = &group, .is_pinned = true, .pinned_to = 1};
    tarn_job_start(kit.worker, &job, NULL);
    job.function = consume;
    job.pinned_to = 2;
    tarn_job_start(kit.worker, &job, NULL);
    tarn_job_group_wait(kit.worker, &group);
    assert_int_equal(self.failures, 0);
    assert_int_equal(self.given, OBJECTS);
    tarn_pool_info info = kit_info(pool);
    uint64_t bound = RING + 2 + (uint64_t)WORKERS * info.cache_objects_max + info.magazine_objects;
    assert_true(info.slots_carved <= bound);
    jobs_kit_close(kit);
    kit_expect_conserved(pool, 0);
    kit_destroy(pool);
}

static void nothing(tarn_worker *worker, void *payload)
{
    (void)worker, (void)payload;
}

/* What one worker starts and another ends goes back to where it can be had: else the pool of jobs
 * would run dry, and jobs would run on the starting thread. */
static void J15_jobs_come_back_from_who_ran_them(void **state)
{
    (void)state;
    tarn_jobs_options options = {.workers = 2, .jobs_max = 64};
    jobs_kit kit = jobs_kit_open(&options);
    for (int i = 0; i < 20000; i++) {
        tarn_job_handle handle;
        tarn_job_options job = {.function = nothing, .is_pinned = true, .pinned_to = 1};
        tarn_status status = tarn_job_start(kit.worker, &job, &handle);
        kit_expect_status(status, TARN_OK);
        while (i % 32 == 31 && !tarn_job_is_done(kit.jobs, handle))
            tarn_thread_yield();
    }
    jobs_kit_close(kit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(J15_one_sided_traffic_keeps_within_its_bound),
        cmocka_unit_test(J15_jobs_come_back_from_who_ran_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
