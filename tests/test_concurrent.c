/* Threads at work on one pool, with plain payloads: small, and meant for ThreadSanitizer too. */
#include "support/kit.h"

enum { PLACES = 128, WORKERS = 4, ROUNDS = 8000, WORDS = 4 };

/* An object that is passed on carries the same word in each place, written without atomics. */
typedef struct payload {
    uint64_t words[WORDS];
} payload;

typedef _Atomic(payload *) place;

typedef struct worker {
    tarn_pool *pool;
    place *places;
    kit_barrier *barrier;
    uint64_t seed;
    uint32_t attaches_each; /* reattaches every so many rounds; 0: a guest */
    uint32_t burst_max;
} worker;

static void sign(payload *object, uint64_t word)
{
    for (int i = 0; i < WORDS; i++)
        object->words[i] = word;
}

static bool is_signed(const payload *object)
{
    for (int i = 1; i < WORDS; i++)
        if (object->words[i] != object->words[0])
            return false;
    return true;
}

static void *take(worker *self, tarn_cache *cache)
{
    return cache ? tarn_alloc(cache) : tarn_guest_alloc(self->pool);
}

static void give(worker *self, tarn_cache *cache, void *object)
{
    if (cache)
        tarn_free(cache, object);
    else
        tarn_guest_free(self->pool, object);
}

/* Exchanges a fresh object, or nothing, for what lies in some place, and frees that. */
static int exchange_one(worker *self, tarn_cache *cache)
{
    int failures = 0;
    payload *fresh = kit_random(&self->seed) % 3 ? take(self, cache) : NULL;
    if (fresh)
        sign(fresh, self->seed);
    payload *found = atomic_exchange(&self->places[self->seed / 7 % PLACES], fresh);
    if (found) {
        KIT_EXPECT(&failures, is_signed(found));
        sign(found, 0);
        give(self, cache, found);
    }
    return failures;
}

/* Takes several, one by one or at once, and frees them again. */
static int take_a_burst(worker *self, tarn_cache *cache)
{
    int failures = 0;
    void *objects[64];
    size_t count = 1 + kit_random(&self->seed) % self->burst_max;
    bool is_bulk = cache && self->seed % 2;
    if (is_bulk && tarn_alloc_bulk(cache, count, objects) != TARN_OK)
        return 0;
    for (size_t i = 0; i < count && !is_bulk; i++)
        if (!(objects[i] = take(self, cache)))
            count = i;
    for (size_t i = 0; i < count; i++)
        sign(objects[i], self->seed + i);
    for (size_t i = 0; i < count; i++) {
        payload *object = objects[i];
        KIT_EXPECT(&failures, is_signed(object) && object->words[0] == self->seed + i);
        if (!is_bulk)
            give(self, cache, object);
    }
    if (is_bulk)
        tarn_free_bulk(cache, count, objects);
    return failures;
}

static int work(void *argument)
{
    worker *self = argument;
    tarn_cache *cache = NULL;
    int failures = 0;
    kit_barrier_wait(self->barrier);
    for (uint32_t round = 0; round < ROUNDS && failures == 0; round++) {
        if (self->attaches_each && round % self->attaches_each == 0) {
            if (cache)
                tarn_cache_detach(cache);
            tarn_cache_attach(self->pool, &cache);
        }
        if (kit_random(&self->seed) % 16)
            failures += exchange_one(self, cache);
        else
            failures += take_a_burst(self, cache);
    }
    if (cache)
        tarn_cache_detach(cache);
    return failures;
}

/* Frees what is left in the places. Returns how many there were. */
static uint64_t collect(tarn_pool *pool, place *places)
{
    uint64_t count = 0;
    for (int i = 0; i < PLACES; i++) {
        payload *object = atomic_exchange(&places[i], NULL);
        count += object != NULL;
        if (object)
            tarn_guest_free(pool, object);
    }
    return count;
}

static void run(const tarn_pool_options *options, uint64_t seed, const uint32_t *attaches_each)
{
    static place places[PLACES];
    tarn_pool *pool = kit_pool(options);
    kit_barrier barrier = {.count = WORKERS};
    worker workers[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        workers[i] =
            (worker){pool, places, &barrier, seed * 10 + (uint64_t)i, attaches_each[i], 40};
    assert_int_equal(kit_run_threads(WORKERS, work, workers, sizeof *workers), 0);
    tarn_pool_statistics statistics = kit_sample(pool);
    uint64_t live = statistics.live;
    kit_expect_conserved(pool, live);
    assert_int_equal(collect(pool, places), live);
    kit_expect_conserved(pool, 0);
    /* Nothing was lost: the capacity can be had, each object once. */
    tarn_pool_info info = kit_info(pool);
    void **objects = kit_array(info.slots);
    size_t count = 0;
    while (count < info.slots && (objects[count] = tarn_guest_alloc(pool)) != NULL)
        count++;
    assert_in_range(count, options->capacity, info.slots);
    assert_true(kit_are_apart(objects, count, sizeof(payload)));
    free(objects);
    kit_clear_and_destroy(pool);
}

static const uint32_t attached[WORKERS] = {ROUNDS, ROUNDS, ROUNDS, ROUNDS};
static const uint32_t mixed[WORKERS] = {ROUNDS, 50, 0, 0};
static const uint32_t restless[WORKERS] = {10, 20, 30, 0};

static tarn_pool_options options_for(size_t capacity, uint32_t caches_max, uint32_t bound)
{
    return (tarn_pool_options){.object_bytes = sizeof(payload),
                               .capacity = capacity,
                               .caches_max = caches_max,
                               .cache_objects_max = bound};
}

static void t71_payloads_pass_from_free_to_alloc_between_caches(void **state)
{
    (void)state;
    static const uint32_t bounds[] = {1, 4, 40, 400};
    for (uint32_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        tarn_pool_options options = options_for(1000, WORKERS + 1, bounds[i]);
        run(&options, 1 + i, attached);
    }
}

static void t71_payloads_pass_in_a_pool_that_runs_dry(void **state)
{
    (void)state;
    static const uint32_t bounds[] = {1, 8, 32};
    for (uint32_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        tarn_pool_options options = options_for(60, WORKERS + 1, bounds[i]);
        run(&options, 11 + i, attached);
    }
}

static void t71_payloads_pass_while_caches_come_and_go(void **state)
{
    (void)state;
    static const uint32_t bounds[] = {1, 8, 100};
    for (uint32_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        tarn_pool_options options = options_for(300, WORKERS + 1, bounds[i]);
        run(&options, 21 + i, restless);
    }
}

static void t71_payloads_pass_between_guests_and_caches(void **state)
{
    (void)state;
    for (uint32_t caches_max = 1; caches_max <= 3; caches_max++) {
        tarn_pool_options options = options_for(300, caches_max, 16);
        run(&options, 31 + caches_max, mixed);
    }
}

static void t71_payloads_pass_through_an_exact_pool(void **state)
{
    (void)state;
    tarn_pool_options options = options_for(150, WORKERS + 1, 0);
    options.exact = true;
    run(&options, 41, mixed);
}

static void t71_payloads_pass_in_a_pool_that_grows(void **state)
{
    (void)state;
    tarn_pool_options options = options_for(1, WORKERS + 1, 4);
    options.capacity_max = 600;
    options.grow_objects = 7;
    run(&options, 51, restless);
}

/* Bursts and nothing else: between two users of an object, only the pool is there to order what
 * they write, so ThreadSanitizer sees each edge that the pool would lack. */
static int burst_alone(void *argument)
{
    worker *self = argument;
    tarn_cache *cache = NULL;
    int failures = 0;
    kit_barrier_wait(self->barrier);
    if (self->attaches_each)
        tarn_cache_attach(self->pool, &cache);
    for (uint32_t round = 0; round < 600 && failures == 0; round++) {
        failures += take_a_burst(self, cache);
        if (round % 8 == 0)
            tarn_thread_yield();
    }
    if (cache)
        tarn_cache_detach(cache);
    return failures;
}

static void t23_only_the_pool_orders_the_users_of_an_object(void **state)
{
    (void)state;
    static const uint32_t guests[WORKERS] = {0, 0, 0, 0};
    static const uint32_t *kinds[] = {attached, mixed, guests};
    for (uint32_t i = 0; i < 12; i++) {
        tarn_pool_options options = options_for(40 + 50 * (i % 2), 2 + i % 4, 1 + 6 * (i % 3));
        options.exact = i >= 9;
        tarn_pool *pool = kit_pool(&options);
        kit_barrier barrier = {.count = WORKERS};
        worker workers[WORKERS];
        for (uint32_t w = 0; w < WORKERS; w++)
            workers[w] = (worker){pool, NULL, &barrier, 700 + 10 * i + w, kinds[i % 3][w], 40};
        assert_int_equal(kit_run_threads(WORKERS, burst_alone, workers, sizeof *workers), 0);
        kit_expect_conserved(pool, 0);
        kit_destroy(pool);
    }
}

/* Threads that want the same cache: who does not get it tries again. */
static int attach_in_turn(void *argument)
{
    worker *self = argument;
    int failures = 0;
    kit_barrier_wait(self->barrier);
    for (uint32_t turns = 0; turns < 150 && failures == 0;) {
        tarn_cache *cache = NULL;
        if (tarn_cache_attach(self->pool, &cache) == TARN_OK) {
            failures += take_a_burst(self, cache);
            KIT_EXPECT(&failures, tarn_cache_detach(cache) == TARN_OK);
            turns++;
        }
        tarn_thread_yield();
    }
    return failures;
}

static int use_and_leave(void *argument)
{
    worker *self = argument;
    int failures = 0;
    for (int burst = 0; burst < 3; burst++)
        failures += take_a_burst(self, NULL);
    return failures;
}

/* One thread attaches what others detach and what guest threads leave behind at their end. */
static void t23_only_the_cache_orders_its_users(void **state)
{
    (void)state;
    tarn_pool_options options = options_for(200, 1, 16);
    tarn_pool *pool = kit_pool(&options);
    kit_barrier barrier = {.count = 2};
    worker workers[3];
    tarn_thread threads[2];
    for (uint32_t w = 0; w < 3; w++)
        workers[w] = (worker){pool, NULL, &barrier, 800 + w, 0, 40};
    for (int t = 0; t < 2; t++)
        assert_true(tarn_thread_create(&threads[t], attach_in_turn, &workers[t]));
    for (int i = 0; i < 100; i++)
        kit_run_thread(use_and_leave, &workers[2]);
    for (int t = 0; t < 2; t++)
        assert_int_equal(tarn_thread_join(threads[t]), 0);
    assert_int_equal(kit_sample(pool).caches_attached, 0);
    kit_expect_conserved(pool, 0);
    kit_destroy(pool);
}

/* Threads that come, use the pool as guests and go, several at a time. */
static int use_briefly(void *argument)
{
    tarn_pool *pool = argument;
    int failures = 0;
    payload *objects[30];
    for (size_t i = 0; i < 30; i++) {
        objects[i] = tarn_guest_alloc(pool);
        KIT_EXPECT(&failures, objects[i] != NULL);
        if (objects[i])
            sign(objects[i], i);
    }
    for (size_t i = 0; i < 30; i++) {
        KIT_EXPECT(&failures, is_signed(objects[i]) && objects[i]->words[0] == i);
        tarn_guest_free(pool, objects[i]);
    }
    return failures;
}

static void t26_threads_that_end_lose_nothing(void **state)
{
    (void)state;
    tarn_pool_options options = options_for(30 * WORKERS, 3, 20);
    tarn_pool *pool = kit_pool(&options);
    for (int round = 0; round < 60; round++)
        assert_int_equal(kit_run_threads(WORKERS, use_briefly, pool, 0), 0);
    assert_int_equal(kit_sample(pool).caches_attached, 0);
    assert_int_equal(kit_sample(pool).refusals, 0);
    kit_expect_conserved(pool, 0);
    kit_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t71_payloads_pass_from_free_to_alloc_between_caches),
        cmocka_unit_test(t71_payloads_pass_in_a_pool_that_runs_dry),
        cmocka_unit_test(t71_payloads_pass_while_caches_come_and_go),
        cmocka_unit_test(t71_payloads_pass_between_guests_and_caches),
        cmocka_unit_test(t71_payloads_pass_through_an_exact_pool),
        cmocka_unit_test(t71_payloads_pass_in_a_pool_that_grows),
        cmocka_unit_test(t23_only_the_pool_orders_the_users_of_an_object),
        cmocka_unit_test(t23_only_the_cache_orders_its_users),
        cmocka_unit_test(t26_threads_that_end_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
