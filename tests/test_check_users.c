/* A checked cache is one thread's at a time: a second one that comes while a call is under way is
 * reported, with both threads' ids, and changes nothing; a hand-over in order is not. */
#include "base/os.h"
#include "support/misuse.h"

typedef struct stage {
    tarn_pool *pool;
    tarn_cache *cache;
    misuse_log log;
    uint32_t intruder; /* its thread's id */
    uint32_t intrusions;
    void *object;  /* live */
    bool nests;    /* the callback makes a call on its own thread */
    bool intrudes; /* and then, or only, on another one */
} stage;

static int intrude(void *argument)
{
    stage *s = argument;
    int failures = 0;
    void *pair[2];
    s->intruder = tarn_os_thread_id();
    KIT_EXPECT(&failures, tarn_alloc(s->cache) == NULL);
    tarn_free(s->cache, s->object);
    KIT_EXPECT(&failures, tarn_alloc_bulk(s->cache, 2, pair) == TARN_ERROR_NOT_ATTACHED);
    KIT_EXPECT(&failures, pair[0] == NULL && pair[1] == NULL);
    KIT_EXPECT(&failures, tarn_free_bulk(s->cache, 1, &s->object) == TARN_OK);
    KIT_EXPECT(&failures, tarn_cache_reserve(s->cache, 1) == TARN_ERROR_NOT_ATTACHED);
    KIT_EXPECT(&failures, tarn_cache_detach(s->cache) == TARN_ERROR_NOT_ATTACHED);
    s->intrusions = 6;
    return failures;
}

/* Inside an allocation of the first thread's. */
static bool during_growth(void *context, tarn_pool *pool, size_t now, size_t next)
{
    (void)pool, (void)now, (void)next;
    stage *s = context;
    if (s->nests)
        tarn_free(s->cache, s->object);
    if (s->intrudes)
        kit_run_thread(intrude, s);
    return true;
}

static void start(stage *s, bool exact)
{
    tarn_pool_options options = {.object_bytes = 24,
                                 .capacity = 2,
                                 .capacity_max = 100,
                                 .caches_max = 1,
                                 .grow = during_growth,
                                 .grow_context = s,
                                 .exact = exact};
    s->pool = misuse_pool(&s->log, options);
    s->cache = kit_attach(s->pool);
}

static void take_until_it_grows(stage *s)
{
    while (kit_sample(s->pool).growths == 0) {
        void *object = tarn_alloc(s->cache);
        assert_non_null(object);
        if (!s->object)
            s->object = object;
    }
}

static void t32_a_cache_used_by_two_threads_at_once_is_reported_with_both_ids(void **state)
{
    (void)state;
    for (int variant = 0; variant < 4; variant++) {
        stage s = {.intrudes = true, .nests = variant / 2};
        start(&s, variant % 2);
        take_until_it_grows(&s);
        assert_int_equal(s.log.count, s.intrusions);
        for (uint32_t i = 0; i < s.log.count; i++) {
            assert_int_equal(s.log.reports[i].misuse, TARN_MISUSE_SHARED_CACHE);
            assert_int_equal(s.log.reports[i].thread, s.intruder);
            assert_int_equal(s.log.reports[i].other_thread, tarn_os_thread_id());
        }
        kit_expect_conserved(s.pool, kit_sample(s.pool).allocs - s.nests); /* no more freed */
        if (!s.nests)
            tarn_free(s.cache, s.object);
        assert_int_equal(s.log.count, s.intrusions);
        kit_clear_and_destroy(s.pool);
    }
}

static void a_call_from_inside_a_callback_of_the_same_thread_is_legal(void **state)
{
    (void)state;
    stage s = {.nests = true};
    start(&s, false);
    take_until_it_grows(&s);
    assert_int_equal(s.log.count, 0);
    tarn_free(s.cache, tarn_alloc(s.cache));
    assert_int_equal(s.log.count, 0);
    kit_clear_and_destroy(s.pool);
}

static int use_in_turn(void *argument)
{
    stage *s = argument;
    for (int i = 0; i < 1000; i++)
        tarn_free(s->cache, tarn_alloc(s->cache));
    return 0;
}

static void j7_a_cache_that_is_handed_over_in_order_is_not_reported(void **state)
{
    (void)state;
    stage s = {.nests = true};
    start(&s, false);
    for (int turn = 0; turn < 20; turn++) {
        use_in_turn(&s);
        kit_run_thread(use_in_turn, &s);
    }
    assert_int_equal(s.log.count, 0);
    kit_destroy(s.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t32_a_cache_used_by_two_threads_at_once_is_reported_with_both_ids),
        cmocka_unit_test(a_call_from_inside_a_callback_of_the_same_thread_is_legal),
        cmocka_unit_test(j7_a_cache_that_is_handed_over_in_order_is_not_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
