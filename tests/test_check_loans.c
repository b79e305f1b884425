/* A checked pool knows which objects are out: each free beyond the first is reported, by whatever
 * way and wherever the object lies by now, and so is what was never freed. */
#define TARN_SITES

#include "support/misuse.h"

#include <stdio.h>

#define ROUNDS 100000u

static const tarn_pool_options options = {.object_bytes = 24, .capacity = 400, .caches_max = 3};

typedef enum way { BY_CACHE, BY_OTHER_CACHE, BY_BULK, BY_GUEST, WAYS } way;

typedef struct stage {
    tarn_pool *pool;
    tarn_cache *cache, *other;
    misuse_log log;
} stage;

static void start(stage *s, bool exact)
{
    tarn_pool_options own = options;
    own.exact = exact;
    s->pool = misuse_pool(&s->log, own);
    s->cache = kit_attach(s->pool);
    s->other = kit_attach(s->pool);
}

static void free_by(stage *s, way by, void *object)
{
    if (by == BY_BULK)
        tarn_free_bulk(s->cache, 1, &object);
    else if (by == BY_GUEST)
        tarn_guest_free(s->pool, object);
    else
        tarn_free(by == BY_CACHE ? s->cache : s->other, object);
}

static void expect_double_free(stage *s, void *object, uint64_t live)
{
    for (way by = 0; by < WAYS; by++) {
        free_by(s, by, object);
        tarn_report report = misuse_expect_one(&s->log, TARN_MISUSE_DOUBLE_FREE);
        assert_ptr_equal(report.object, object);
        assert_string_equal(report.pool_name, "misused");
        kit_expect_conserved(s->pool, live);
    }
}

static void t36_an_object_freed_twice_is_reported_wherever_it_lies(void **state)
{
    (void)state;
    for (int exact = 0; exact <= 1; exact++)
        for (way first = 0; first < WAYS; first++) {
            stage s;
            start(&s, exact);
            void *objects[300];
            assert_int_equal(kit_alloc_many(s.cache, objects, 300), 300);
            free_by(&s, first, objects[7]); /* in a cache, or among the loose slots */
            expect_double_free(&s, objects[7], 299);
            for (int i = 100; i < 300; i++) /* on a shelf and in the depot, some of them */
                free_by(&s, first, objects[i]);
            kit_detach(s.other);
            s.other = kit_attach(s.pool);
            assert_int_equal(s.log.count, 0);
            for (int i = 100; i < 300; i += 11)
                expect_double_free(&s, objects[i], 99);
            kit_clear_and_destroy(s.pool);
        }
}

static void t36_a_second_free_after_clear_is_reported(void **state)
{
    (void)state;
    stage s;
    start(&s, false);
    void *objects[2];
    assert_int_equal(kit_alloc_many(s.cache, objects, 2), 2);
    kit_expect_status(tarn_pool_clear(s.pool), TARN_OK);
    tarn_free(s.cache, objects[1]);
    misuse_expect_one(&s.log, TARN_MISUSE_NEVER_ALLOCATED);
    void *again = tarn_alloc(s.cache);
    void *cleared = again == objects[0] ? objects[1] : objects[0];
    tarn_free(s.cache, cleared);
    assert_int_equal(s.log.count, 1);
    tarn_free(s.cache, again);
    assert_int_equal(s.log.count, 1);
    kit_destroy(s.pool);
}

/* ---- by two threads at once ---- */

typedef struct duel {
    tarn_pool *pool;
    kit_barrier barrier;
    void *object;
    atomic_uint reports;
} duel;

typedef struct duellist {
    duel *duel;
    bool allocates;
    uint32_t lost; /* rounds in which this one was reported */
} duellist;

static _Thread_local uint32_t reports_here;

static void count_report(void *context, const tarn_report *report)
{
    duel *d = context;
    if (report->misuse == TARN_MISUSE_DOUBLE_FREE)
        atomic_fetch_add(&d->reports, 1);
    reports_here++;
}

static int fight(void *argument)
{
    duellist *self = argument;
    duel *d = self->duel;
    tarn_cache *cache = kit_attach(d->pool);
    int failures = 0;
    reports_here = 0;
    for (uint32_t round = 1; round <= ROUNDS && failures == 0; round++) {
        if (self->allocates)
            d->object = tarn_alloc(cache);
        kit_barrier_wait(&d->barrier);
        tarn_free(cache, d->object);
        kit_barrier_wait(&d->barrier);
        KIT_EXPECT(&failures, atomic_load(&d->reports) == round);
        kit_barrier_wait(&d->barrier);
    }
    self->lost = reports_here;
    kit_detach(cache);
    return failures;
}

static void t35_of_two_threads_that_free_an_object_at_once_one_is_reported(void **state)
{
    (void)state;
    static duel d;
    d = (duel){.barrier = {.count = 2}};
    tarn_pool_options own = options;
    own.checked = true;
    own.report = count_report;
    own.report_context = &d;
    d.pool = kit_pool(&own);
    duellist both[] = {{.duel = &d, .allocates = true}, {.duel = &d}};
    assert_int_equal(kit_run_threads(2, fight, both, sizeof both[0]), 0);
    assert_int_equal(both[0].lost + both[1].lost, ROUNDS);
    /* They met: neither was always the first. */
    assert_true(both[0].lost > 0 && both[1].lost > 0);
    kit_expect_conserved(d.pool, 0);
    kit_destroy(d.pool);
}

/* ---- sites and leaks ---- */

static void expect_site(const char *site, int line)
{
    char expected[300];
    snprintf(expected, sizeof expected, "%s:%d", __FILE__, line);
    assert_non_null(site);
    assert_string_equal(site, expected);
}

static void a_report_names_the_sites_of_both_frees_and_of_the_allocation(void **state)
{
    (void)state;
    stage s;
    start(&s, false);
    void *object = NULL;
    kit_expect_status(tarn_alloc_bulk(s.cache, 1, &object), TARN_OK);
    int alloc_line = __LINE__ - 1;
    tarn_guest_free(s.pool, object);
    int free_line = __LINE__ - 1;
    tarn_free(s.other, object);
    int again_line = __LINE__ - 1;
    tarn_report report = misuse_expect_one(&s.log, TARN_MISUSE_DOUBLE_FREE);
    expect_site(report.alloc_site, alloc_line);
    expect_site(report.free_site, free_line);
    expect_site(report.call_site, again_line);
    tarn_free_bulk(s.cache, 1, &object);
    int bulk_line = __LINE__ - 1;
    expect_site(misuse_expect_one(&s.log, TARN_MISUSE_DOUBLE_FREE).call_site, bulk_line);
    kit_destroy(s.pool);
}

static void a_call_that_notes_no_site_is_given_none(void **state)
{
    (void)state;
    stage s;
    start(&s, false);
    tarn_pool *other = kit_small_pool(10, 1, 0);
    tarn_cache *unchecked = kit_attach(other);
    void *pooled[2];
    tarn_free(s.cache, tarn_alloc(s.cache)); /* notes sites that are taken */
    pooled[0] = (tarn_alloc)(s.cache);
    void *object = tarn_alloc(unchecked); /* notes a site that nobody takes */
    pooled[1] = (tarn_alloc)(s.cache);
    for (int i = 0; i < 2; i++) {
        (tarn_free)(s.cache, pooled[i]);
        (tarn_free)(s.cache, pooled[i]);
        tarn_report report = misuse_expect_one(&s.log, TARN_MISUSE_DOUBLE_FREE);
        assert_null(report.alloc_site);
        assert_null(report.free_site);
        assert_null(report.call_site);
    }
    tarn_free(unchecked, object);
    kit_destroy(other);
    kit_destroy(s.pool);
}

static void leaks_are_reported_by_the_site_that_allocated_them(void **state)
{
    (void)state;
    stage s;
    start(&s, false);
    void *first[3], *second[2];
    for (int i = 0; i < 3; i++)
        first[i] = tarn_alloc(s.cache);
    int first_line = __LINE__ - 1;
    for (int i = 0; i < 2; i++)
        second[i] = tarn_guest_alloc(s.pool);
    int second_line = __LINE__ - 1;
    void *freed = tarn_alloc(s.cache);
    tarn_free(s.cache, freed);
    kit_expect_status(tarn_pool_destroy(s.pool), TARN_ERROR_LIVE_OBJECTS);
    assert_int_equal(s.log.count, 2);
    for (int i = 0; i < 2; i++) {
        tarn_report report = s.log.reports[i];
        bool is_first = report.count == 3;
        assert_int_equal(report.misuse, TARN_MISUSE_LEAK);
        assert_int_equal(report.count, is_first ? 3 : 2);
        expect_site(report.alloc_site, is_first ? first_line : second_line);
        assert_ptr_equal(report.object, is_first ? first[0] : second[0]);
    }
    kit_expect_conserved(s.pool, 5); /* nothing was done */
    kit_clear_and_destroy(s.pool);
    assert_int_equal(s.log.count, 2);
}

static void leaks_without_sites_are_one_report(void **state)
{
    (void)state;
    stage s;
    start(&s, true);
    for (int i = 0; i < 5; i++)
        (tarn_alloc)(s.cache);
    kit_expect_status(tarn_pool_destroy(s.pool), TARN_ERROR_LIVE_OBJECTS);
    tarn_report report = misuse_expect_one(&s.log, TARN_MISUSE_LEAK);
    assert_int_equal(report.count, 5);
    assert_null(report.alloc_site);
    kit_clear_and_destroy(s.pool);
}

static void leaks_do_not_end_the_process(void **state)
{
    (void)state;
    tarn_pool_options own = options;
    own.checked = true;
    tarn_pool *pool = kit_pool(&own);
    assert_non_null(tarn_guest_alloc(pool));
    kit_expect_status(tarn_pool_destroy(pool), TARN_ERROR_LIVE_OBJECTS);
    kit_clear_and_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t36_an_object_freed_twice_is_reported_wherever_it_lies),
        cmocka_unit_test(t36_a_second_free_after_clear_is_reported),
        cmocka_unit_test(t35_of_two_threads_that_free_an_object_at_once_one_is_reported),
        cmocka_unit_test(a_report_names_the_sites_of_both_frees_and_of_the_allocation),
        cmocka_unit_test(a_call_that_notes_no_site_is_given_none),
        cmocka_unit_test(leaks_are_reported_by_the_site_that_allocated_them),
        cmocka_unit_test(leaks_without_sites_are_one_report),
        cmocka_unit_test(leaks_do_not_end_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
