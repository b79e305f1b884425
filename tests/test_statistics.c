/* Figures: exact when nobody works, plausible while threads do. */
#include "support/kit.h"

static void t69_figures_are_exact_after_every_call(void **state)
{
    (void)state;
    enum { CAPACITY = 300, CACHES = 3 };
    static const uint32_t bounds[] = {1, 2, 5, 8, 40, 200};
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        uint64_t seed = 31 + b, allocs = 0, frees = 0;
        tarn_pool *pool = kit_small_pool(CAPACITY, CACHES + 1, bounds[b]);
        tarn_cache *caches[CACHES];
        void *live[CAPACITY];
        size_t count = 0;
        for (int i = 0; i < CACHES; i++)
            caches[i] = kit_attach(pool);
        for (int call = 0; call < 4000; call++) {
            uint64_t dice = kit_random(&seed);
            tarn_cache **cache = &caches[dice % CACHES];
            if (dice % 97 == 0) {
                kit_detach(*cache);
                *cache = kit_attach(pool);
            } else if (dice % 101 == 1) {
                kit_expect_status(tarn_pool_clear(pool), TARN_OK);
                frees += count;
                count = 0;
            } else if ((dice >> 20) % 100 < (call / 400 % 2 ? 70u : 30u)) {
                if (count == CAPACITY)
                    continue;
                live[count] = dice % 5 ? tarn_alloc(*cache) : tarn_guest_alloc(pool);
                assert_non_null(live[count++]);
                allocs++;
            } else if (count > 0) {
                if (dice % 5)
                    tarn_free(*cache, live[--count]);
                else
                    tarn_guest_free(pool, live[--count]);
                frees++;
            }
            tarn_pool_statistics statistics = kit_sample(pool);
            assert_int_equal(statistics.allocs, allocs);
            assert_int_equal(statistics.frees, frees);
            kit_expect_conserved(pool, count);
        }
        kit_clear_and_destroy(pool);
    }
}

static void guests_without_a_cache_are_counted_exactly(void **state)
{
    (void)state;
    enum { CAPACITY = 400 };
    static const uint32_t bounds[] = {1, 4, 7, 64, 300};
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        uint64_t seed = 5 + b;
        tarn_pool *pool = kit_small_pool(CAPACITY, 1, bounds[b]);
        tarn_cache *cache = kit_attach(pool);
        void *live[CAPACITY];
        size_t count = 0;
        for (int call = 0; call < 6000; call++) {
            uint64_t dice = kit_random(&seed);
            if (dice % 100 < (call / 700 % 2 ? 80u : 25u)) {
                if (count == CAPACITY)
                    continue;
                live[count] = dice & 1024 ? tarn_alloc(cache) : tarn_guest_alloc(pool);
                assert_non_null(live[count++]);
            } else if (count > 0) {
                if (dice & 1024)
                    tarn_free(cache, live[--count]);
                else
                    tarn_guest_free(pool, live[--count]);
            }
            kit_expect_conserved(pool, count);
        }
        kit_clear_and_destroy(pool);
    }
}

static void refusals_are_counted(void **state)
{
    (void)state;
    for (int exact = 0; exact <= 1; exact++) {
        tarn_pool_options options = {
            .object_bytes = 8, .capacity = 20, .caches_max = 2, .exact = exact};
        tarn_pool *pool = kit_pool(&options);
        tarn_cache *cache = kit_attach(pool);
        size_t slots = kit_info(pool).slots;
        void **objects = kit_array(slots);
        assert_int_equal(kit_alloc_many(cache, objects, slots), slots);
        assert_int_equal(kit_sample(pool).refusals, 0);
        void *none[3];
        assert_null(tarn_alloc(cache));
        assert_null(tarn_guest_alloc(pool));
        kit_expect_status(tarn_alloc_bulk(cache, 3, none), TARN_ERROR_FULL);
        assert_int_equal(kit_sample(pool).refusals, 3);
        kit_expect_conserved(pool, slots);
        free(objects);
        kit_clear_and_destroy(pool);
    }
}

static void operations_on_the_depot_are_counted(void **state)
{
    (void)state;
    tarn_pool *pool = kit_small_pool(1000, 2, 16);
    tarn_cache *cache = kit_attach(pool);
    void *objects[1000];
    assert_int_equal(kit_alloc_many(cache, objects, 1000), 1000);
    tarn_pool_statistics full = kit_sample(pool);
    assert_int_equal(full.depot_takes, 0);
    assert_int_equal(full.depot_puts, 0);
    kit_free_many(cache, objects, 1000);
    tarn_pool_statistics empty = kit_sample(pool);
    tarn_pool_info info = kit_info(pool);
    /* Each put moves at least a magazine, and at most what a cache holds. */
    assert_in_range(empty.depot_puts, (1000 - 16) / 16, 1000 / info.magazine_objects);
    assert_int_equal(kit_alloc_many(cache, objects, 1000), 1000);
    assert_in_range(kit_sample(pool).depot_takes, (1000 - 16) / 16, 1000 / info.magazine_objects);
    kit_clear_and_destroy(pool);
}

/* Producers, consumers and a sampler, who looks at every figure while the others work. */
enum { PLACES = 256, TRAFFIC = 30000 };

typedef struct worker {
    tarn_pool *pool;
    tarn_cache *cache; /* NULL: a guest */
    _Atomic(void *) *places;
    atomic_uint *working;
    uint64_t seed;
    bool produces;
} worker;

static void *take(worker *self)
{
    return self->cache ? tarn_alloc(self->cache) : tarn_guest_alloc(self->pool);
}

static void give_back(worker *self, void *object)
{
    if (object && self->cache)
        tarn_free(self->cache, object);
    else if (object)
        tarn_guest_free(self->pool, object);
}

static int work(void *argument)
{
    worker *self = argument;
    for (int i = 0; i < TRAFFIC; i++) {
        void *object = self->produces ? take(self) : NULL;
        if (object || !self->produces)
            object = atomic_exchange(&self->places[kit_random(&self->seed) % PLACES], object);
        give_back(self, object);
    }
    if (self->cache)
        tarn_cache_detach(self->cache);
    atomic_fetch_sub(self->working, 1);
    return 0;
}

/* Returns how many figures were out of all reason. */
static int look(const tarn_pool *pool, tarn_pool_statistics *before)
{
    int failures = 0;
    tarn_pool_statistics now;
    tarn_pool_info info;
    tarn_pool_sample(pool, &now);
    tarn_pool_describe(pool, &info);
    KIT_EXPECT(&failures, now.live <= info.slots);
    KIT_EXPECT(&failures, now.free_in_caches <= info.slots);
    KIT_EXPECT(&failures, now.free_in_depot <= info.slots);
    KIT_EXPECT(&failures, now.frees <= now.allocs);
    KIT_EXPECT(&failures, now.allocs >= before->allocs);
    KIT_EXPECT(&failures, now.allocs < (uint64_t)1 << 40);
    KIT_EXPECT(&failures, now.depot_takes >= before->depot_takes);
    KIT_EXPECT(&failures, now.depot_puts >= before->depot_puts);
    KIT_EXPECT(&failures, now.steals >= before->steals);
    KIT_EXPECT(&failures, now.drain_requests >= before->drain_requests);
    KIT_EXPECT(&failures, now.caches_attached <= info.caches_max);
    KIT_EXPECT(&failures, info.slots_carved <= info.slots);
    *before = now;
    return failures;
}

static void t69_t70_figures_are_plausible_while_threads_work(void **state)
{
    (void)state;
    enum { WORKERS = 4 };
    static const uint32_t bounds[] = {1, 8, 64};
    for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
        static _Atomic(void *) places[PLACES];
        tarn_pool *pool = kit_small_pool(PLACES + 50, 3, bounds[b]);
        atomic_uint working = WORKERS;
        worker workers[WORKERS];
        tarn_thread threads[WORKERS];
        for (int i = 0; i < WORKERS; i++) {
            /* Attached here: were guests to come first, they would have taken all caches. */
            tarn_cache *cache = i < 2 ? kit_attach(pool) : NULL;
            workers[i] = (worker){pool, cache, places, &working, 600 + (uint64_t)i, i % 2 == 0};
        }
        for (int i = 0; i < WORKERS; i++)
            assert_true(tarn_thread_create(&threads[i], work, &workers[i]));
        tarn_pool_statistics before = {0};
        int failures = 0;
        while (atomic_load(&working) > 0 && failures == 0)
            failures += look(pool, &before);
        for (int i = 0; i < WORKERS; i++)
            failures += tarn_thread_join(threads[i]);
        assert_int_equal(failures, 0);
        uint64_t live = 0;
        for (int i = 0; i < PLACES; i++) {
            void *object = atomic_exchange(&places[i], NULL);
            live += object != NULL;
        }
        kit_expect_conserved(pool, live);
        kit_clear_and_destroy(pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t69_figures_are_exact_after_every_call),
        cmocka_unit_test(guests_without_a_cache_are_counted_exactly),
        cmocka_unit_test(refusals_are_counted),
        cmocka_unit_test(operations_on_the_depot_are_counted),
        cmocka_unit_test(t69_t70_figures_are_plausible_while_threads_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
