/* T34, told step by step: where the threads that a fork leaves behind can have been, and what the
 * child does about it. */
#define _GNU_SOURCE /* fork, alarm */

#include "support/child.h"

#include "base/os.h"
#include "pool/cache.h"

typedef struct story {
    tarn_pool *pool;
    tarn_cache *cache;
    atomic_uint step;
    bool forks_in_callback;
} story;

static size_t count_all(tarn_pool *pool)
{
    size_t count = 0;
    while (tarn_guest_alloc(pool))
        count++;
    return count;
}

static int child_keeps_its_cache(void *argument)
{
    story *s = argument;
    int failures = 0;
    uint64_t owner = tarn_owner_guest_(tarn_os_thread_id());
    tarn_cache_state *cache = tarn_cache_find_(s->pool, owner);
    KIT_EXPECT(&failures, cache != NULL);
    child_expect_conserved(&failures, s->pool, 1);
    KIT_EXPECT(&failures, tarn_guest_alloc(s->pool) != NULL);
    KIT_EXPECT(&failures, cache == tarn_cache_find_(s->pool, owner));
    child_expect_conserved(&failures, s->pool, 2);
    KIT_EXPECT(&failures, kit_sample(s->pool).caches_attached == 1);
    return failures;
}

static void the_forking_threads_guest_cache_stays_its_own_in_the_child(void **state)
{
    (void)state;
    story s = {.pool = kit_small_pool(100, 4, 8)};
    assert_non_null(tarn_guest_alloc(s.pool));
    in_child(child_keeps_its_cache, &s);
    kit_clear_and_destroy(s.pool);
}

/* Forks while a thread waits between its steps 1 and 2. */
static void fork_beside(tarn_thread_fn *function, child_fn *child, story *s)
{
    tarn_thread thread;
    assert_true(tarn_thread_create(&thread, function, s));
    kit_await(&s->step, 1);
    in_child(child, s);
    kit_raise(&s->step, 2);
    assert_int_equal(tarn_thread_join(thread), 0);
}

/* Takes a few objects, gives them back to its cache, and waits. */
static int parked_guest(void *argument)
{
    story *s = argument;
    void *objects[4];
    for (uint32_t i = 0; i < 4; i++)
        objects[i] = tarn_guest_alloc(s->pool);
    for (uint32_t i = 0; i < 4; i++)
        tarn_guest_free(s->pool, objects[i]);
    kit_raise(&s->step, 1);
    kit_await(&s->step, 2);
    return 0;
}

static int child_reaches_the_capacity(void *argument)
{
    story *s = argument;
    int failures = 0;
    KIT_EXPECT(&failures, kit_sample(s->pool).caches_attached == 1);
    KIT_EXPECT(&failures, count_all(s->pool) >= 100);
    KIT_EXPECT(&failures, tarn_pool_clear(s->pool) == TARN_OK);
    tarn_cache *caches[2] = {NULL, NULL}; /* the lost one is there again; the second is the own */
    KIT_EXPECT(&failures, tarn_cache_attach(s->pool, &caches[0]) == TARN_OK);
    KIT_EXPECT(&failures, tarn_cache_attach(s->pool, &caches[1]) == TARN_ERROR_NO_CACHE);
    KIT_EXPECT(&failures, kit_sample(s->pool).caches_attached == 2);
    return failures;
}

static void a_vanished_guests_cache_is_lost_until_clear_and_the_capacity_is_not(void **state)
{
    (void)state;
    story s = {.pool = kit_small_pool(100, 2, 8)};
    fork_beside(parked_guest, child_reaches_the_capacity, &s);
    kit_destroy(s.pool);
}

static int parked_user(void *argument)
{
    story *s = argument;
    (void)tarn_cache_attach(s->pool, &s->cache);
    tarn_free(s->cache, tarn_alloc(s->cache));
    kit_raise(&s->step, 1);
    kit_await(&s->step, 2);
    tarn_cache_detach(s->cache);
    return 0;
}

static int child_takes_the_cache_over(void *argument)
{
    story *s = argument;
    int failures = 0;
    void *object = tarn_alloc(s->cache);
    KIT_EXPECT(&failures, object != NULL);
    tarn_free(s->cache, object);
    KIT_EXPECT(&failures, tarn_cache_detach(s->cache) == TARN_OK);
    child_expect_conserved(&failures, s->pool, 0);
    KIT_EXPECT(&failures, tarn_pool_destroy(s->pool) == TARN_OK);
    return failures;
}

static void a_cache_whose_user_was_in_no_call_is_used_and_detached_in_the_child(void **state)
{
    (void)state;
    story s = {.pool = kit_small_pool(100, 2, 8)};
    fork_beside(parked_user, child_takes_the_cache_over, &s);
    kit_destroy(s.pool);
}

static int child_attaches_nothing(void *argument)
{
    story *s = argument;
    int failures = 0;
    tarn_cache *cache = NULL;
    KIT_EXPECT(&failures, tarn_cache_attach(s->pool, &cache) == TARN_ERROR_NO_CACHE);
    KIT_EXPECT(&failures, tarn_pool_clear(s->pool) == TARN_OK);
    KIT_EXPECT(&failures, tarn_cache_attach(s->pool, &cache) == TARN_OK);
    return failures;
}

static void attaching_waits_for_no_thread_that_vanished_while_it_emptied_a_cache(void **state)
{
    (void)state;
    story s = {.pool = kit_small_pool(100, 1, 8)};
    tarn_cache *cache = kit_attach(s.pool);
    kit_detach(cache);
    tarn_u64 *owner = &tarn_cache_state_of_(cache)->owner;
    tarn_u64_store_release(owner, TARN_OWNER_BUSY); /* as in the middle of detach */
    in_child(child_attaches_nothing, &s);
    tarn_u64_store_release(owner, TARN_OWNER_FREE);
    kit_destroy(s.pool);
}

static bool grow_and_wait(void *context, tarn_pool *pool, size_t now, size_t next)
{
    (void)pool, (void)now, (void)next;
    story *s = context;
    if (atomic_load(&s->step) == 0) {
        kit_raise(&s->step, 1);
        kit_await(&s->step, 2);
    }
    return true;
}

static tarn_pool *growing_pool(tarn_grow_fn *grow, story *s)
{
    tarn_pool_options options = {.object_bytes = 16,
                                 .capacity = 10,
                                 .capacity_max = 1000,
                                 .caches_max = 2,
                                 .cache_objects_max = 2,
                                 .grow = grow,
                                 .grow_context = s};
    return kit_pool(&options);
}

static int exhausting_thread(void *argument)
{
    story *s = argument;
    count_all(s->pool);
    return 0;
}

static int child_grows(void *argument)
{
    story *s = argument;
    int failures = 0;
    size_t before = count_all(s->pool);
    KIT_EXPECT(&failures, before >= 900);
    KIT_EXPECT(&failures, kit_info(s->pool).capacity == 1000);
    return failures;
}

static void a_growth_that_nobody_is_left_to_end_does_not_hang_the_child(void **state)
{
    (void)state;
    story s = {0};
    s.pool = growing_pool(grow_and_wait, &s);
    fork_beside(exhausting_thread, child_grows, &s);
    kit_clear_and_destroy(s.pool);
}

static int child_in_callback(void *argument)
{
    story *s = argument;
    int failures = 0;
    (void)count_all(s->pool); /* never grows the pool in here, and so comes to an end */
    KIT_EXPECT(&failures, kit_info(s->pool).capacity == 10);
    return failures;
}

static bool grow_and_fork(void *context, tarn_pool *pool, size_t now, size_t next)
{
    (void)pool, (void)next;
    story *s = context;
    if (now == 10)
        in_child(child_in_callback, s);
    return true;
}

static void a_growth_callback_may_fork(void **state)
{
    (void)state;
    story s = {0};
    s.pool = growing_pool(grow_and_fork, &s);
    assert_true(count_all(s.pool) >= 1000);
    kit_clear_and_destroy(s.pool);
}

/* The construct hook in which prepare has the whole of an exact pool in hand. */
static bool construct_and_wait(void *context, void *object)
{
    (void)object;
    story *s = context;
    if (atomic_load(&s->step) == 0) {
        kit_raise(&s->step, 1);
        kit_await(&s->step, 2);
    }
    return true;
}

static tarn_pool *exact_pool_of_one(bool (*construct)(void *context, void *object), story *s)
{
    tarn_pool_options options = {.object_bytes = 16,
                                 .capacity = 1,
                                 .exact = true,
                                 .hooks = {.context = s, .construct = construct}};
    return kit_pool(&options);
}

static int preparing_thread(void *argument)
{
    story *s = argument;
    return tarn_pool_prepare(s->pool, 1, 1, NULL) != TARN_OK;
}

static int child_of_a_preparation(void *argument)
{
    story *s = argument;
    int failures = 0;
    KIT_EXPECT(&failures, tarn_guest_alloc(s->pool) == NULL); /* missing, and not waited for */
    KIT_EXPECT(&failures, tarn_pool_clear(s->pool) == TARN_OK);
    KIT_EXPECT(&failures, tarn_guest_alloc(s->pool) != NULL);
    return failures;
}

static void a_preparation_that_nobody_is_left_to_end_does_not_hang_the_child(void **state)
{
    (void)state;
    story s = {0};
    s.pool = exact_pool_of_one(construct_and_wait, &s);
    fork_beside(preparing_thread, child_of_a_preparation, &s);
    kit_destroy(s.pool);
}

static uint32_t preparers(tarn_pool *pool)
{
    return tarn_u32_load_relaxed(&pool->space.preparers);
}

static int child_in_construct(void *argument)
{
    story *s = argument;
    int failures = 0;
    KIT_EXPECT(&failures, tarn_guest_alloc(s->pool) == NULL);
    KIT_EXPECT(&failures, preparers(s->pool) == 1); /* the only thread's own */
    return failures;
}

static bool construct_and_fork(void *context, void *object)
{
    (void)object;
    in_child(child_in_construct, context);
    return true;
}

static void a_construct_hook_may_fork(void **state)
{
    (void)state;
    story s = {0};
    s.pool = exact_pool_of_one(construct_and_fork, &s);
    assert_int_equal(preparing_thread(&s), 0);
    assert_int_equal(preparers(s.pool), 0);
    kit_destroy(s.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_forking_threads_guest_cache_stays_its_own_in_the_child),
        cmocka_unit_test(a_vanished_guests_cache_is_lost_until_clear_and_the_capacity_is_not),
        cmocka_unit_test(a_cache_whose_user_was_in_no_call_is_used_and_detached_in_the_child),
        cmocka_unit_test(attaching_waits_for_no_thread_that_vanished_while_it_emptied_a_cache),
        cmocka_unit_test(a_growth_that_nobody_is_left_to_end_does_not_hang_the_child),
        cmocka_unit_test(a_growth_callback_may_fork),
        cmocka_unit_test(a_preparation_that_nobody_is_left_to_end_does_not_hang_the_child),
        cmocka_unit_test(a_construct_hook_may_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
