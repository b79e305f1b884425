/* Checked pools with handles: what a handle says is an answer, never a report; what a pointer says
 * wrongly is reported as in any other pool. */
#define TARN_SITES

#include "support/handles.h"
#include "support/misuse.h"

#include <stdio.h>

typedef struct watched {
    handles_stage s;
    misuse_log log;
} watched;

static void start(watched *w, handles_way way)
{
    w->log = (misuse_log){0};
    tarn_pool_options options = {
        .name = "misused", .checked = true, .report = misuse_note, .report_context = &w->log};
    w->s = handles_start(way, 40, options);
}

static void a_stale_release_is_an_answer_and_no_report(void **state)
{
    (void)state;
    for (handles_way way = 0; way < HANDLES_WAYS; way++) {
        watched w, other;
        start(&w, way);
        start(&other, way);
        void *object;
        tarn_handle handle = handles_take_one(&w.s, &object);
        kit_expect_status(handles_release(&w.s, handle), TARN_OK);
        handles_expect_stale(&w.s, handle);
        handles_expect_stale(&w.s, (tarn_handle){0});
        tarn_handle foreign = handles_take_one(&other.s, &object);
        kit_expect_status(handles_release(&w.s, foreign), TARN_ERROR_FOREIGN);
        tarn_handle again = handles_take_one(&w.s, &object);
        handles_free(&w.s, object);
        handles_expect_stale(&w.s, again);
        assert_int_equal(w.log.count, 0);
        kit_expect_conserved(w.s.pool, 0);
        kit_destroy(w.s.pool);
        kit_clear_and_destroy(other.s.pool);
    }
}

static void t36_a_free_after_an_end_of_any_kind_is_reported_once(void **state)
{
    (void)state;
    for (handles_way way = 0; way < HANDLES_WAYS; way++)
        for (int by_handle = 0; by_handle <= 1; by_handle++) {
            watched w;
            start(&w, way);
            void *object, *kept;
            handles_take_one(&w.s, &kept);
            tarn_handle handle = handles_take_one(&w.s, &object);
            if (by_handle)
                kit_expect_status(handles_release(&w.s, handle), TARN_OK);
            else
                handles_free(&w.s, object);
            handles_free(&w.s, object);
            tarn_report report = misuse_expect_one(&w.log, TARN_MISUSE_DOUBLE_FREE);
            assert_ptr_equal(report.object, object);
            handles_expect_stale(&w.s, handle);
            kit_expect_conserved(w.s.pool, 1);
            tarn_handle next = handles_take_one(&w.s, &object);
            kit_expect_status(handles_release(&w.s, next), TARN_OK);
            assert_int_equal(w.log.count, 0);
            kit_clear_and_destroy(w.s.pool);
        }
}

/* ---- sites ---- */

static void expect_site(const char *site, int line)
{
    char expected[300];
    snprintf(expected, sizeof expected, "%s:%d", __FILE__, line);
    assert_non_null(site);
    assert_string_equal(site, expected);
}

static void calls_by_handle_note_their_sites(void **state)
{
    (void)state;
    watched w;
    start(&w, BY_CACHE);
    void *object;
    tarn_handle handle;
    kit_expect_status(tarn_take(w.s.cache, &handle, &object), TARN_OK);
    int take_line = __LINE__ - 1;
    kit_expect_status(tarn_release(w.s.cache, handle), TARN_OK);
    int release_line = __LINE__ - 1;
    tarn_free(w.s.cache, object);
    tarn_report report = misuse_expect_one(&w.log, TARN_MISUSE_DOUBLE_FREE);
    expect_site(report.alloc_site, take_line);
    expect_site(report.free_site, release_line);
    kit_expect_status(tarn_guest_take(w.s.pool, &handle, &object), TARN_OK);
    take_line = __LINE__ - 1;
    kit_expect_status(tarn_guest_release(w.s.pool, handle), TARN_OK);
    release_line = __LINE__ - 1;
    tarn_guest_free(w.s.pool, object);
    report = misuse_expect_one(&w.log, TARN_MISUSE_DOUBLE_FREE);
    expect_site(report.alloc_site, take_line);
    expect_site(report.free_site, release_line);
    kit_destroy(w.s.pool);
}

/* What a failed release noted is nobody's. */
static void a_release_that_fails_leaves_no_site_behind(void **state)
{
    (void)state;
    for (handles_way way = BY_CACHE; way <= BY_CROWD; way++) {
        watched w;
        start(&w, way);
        void *object = handles_alloc(&w.s);
        (tarn_free)(w.s.cache, object);
        bool is_guest = way == BY_GUEST || way == BY_CROWD;
        kit_expect_status(is_guest ? tarn_guest_release(w.s.pool, (tarn_handle){0})
                                   : tarn_release(w.s.cache, (tarn_handle){0}),
                          TARN_ERROR_STALE);
        if (is_guest)
            (tarn_guest_free)(w.s.pool, object);
        else
            (tarn_free)(w.s.cache, object);
        tarn_report report = misuse_expect_one(&w.log, TARN_MISUSE_DOUBLE_FREE);
        assert_null(report.call_site);
        kit_destroy(w.s.pool);
    }
}

static void a_leak_is_reported_with_the_site_of_its_take(void **state)
{
    (void)state;
    watched w;
    start(&w, BY_CACHE);
    tarn_handle handle;
    kit_expect_status(tarn_take(w.s.cache, &handle, NULL), TARN_OK);
    int line = __LINE__ - 1;
    kit_expect_status(tarn_pool_destroy(w.s.pool), TARN_ERROR_LIVE_OBJECTS);
    expect_site(misuse_expect_one(&w.log, TARN_MISUSE_LEAK).alloc_site, line);
    assert_non_null(tarn_resolve(w.s.pool, handle));
    kit_clear_and_destroy(w.s.pool);
}

/* ---- two threads end one life, by its handle and by its pointer ---- */

enum { DUELS = 6000 };

typedef struct duel {
    tarn_pool *pool;
    kit_barrier barrier;
    void *object;
    tarn_handle handle;
    atomic_uint reports, stale;
} duel;

typedef struct duellist {
    duel *duel;
    bool frees;
} duellist;

static void count_report(void *context, const tarn_report *report)
{
    duel *d = context;
    if (report->misuse == TARN_MISUSE_DOUBLE_FREE && report->object == d->object)
        atomic_fetch_add(&d->reports, 1);
}

static int fight(void *argument)
{
    duellist *self = argument;
    duel *d = self->duel;
    tarn_cache *cache = kit_attach(d->pool);
    int failures = 0;
    for (uint32_t round = 1; round <= DUELS && failures == 0; round++) {
        if (self->frees == round % 2)
            KIT_EXPECT(&failures, tarn_take(cache, &d->handle, &d->object) == TARN_OK);
        kit_barrier_wait(&d->barrier);
        if (self->frees)
            tarn_free(cache, d->object);
        else if (tarn_release(cache, d->handle) != TARN_OK)
            atomic_fetch_add(&d->stale, 1);
        kit_barrier_wait(&d->barrier);
        KIT_EXPECT(&failures, atomic_load(&d->reports) + atomic_load(&d->stale) == round);
        KIT_EXPECT(&failures, kit_sample(d->pool).live == 1);
        kit_barrier_wait(&d->barrier);
    }
    kit_detach(cache);
    return failures;
}

static void t35_of_a_release_and_a_free_at_once_one_succeeds(void **state)
{
    (void)state;
    static duel d;
    d = (duel){.barrier = {.count = 2}};
    tarn_pool_options options = {.object_bytes = 24,
                                 .capacity = 20,
                                 .caches_max = 3,
                                 .handles = true,
                                 .checked = true,
                                 .report = count_report,
                                 .report_context = &d};
    d.pool = kit_pool(&options);
    assert_non_null(tarn_guest_alloc(d.pool)); /* an object too many that is free would show */
    duellist both[] = {{.duel = &d, .frees = true}, {.duel = &d}};
    assert_int_equal(kit_run_threads(2, fight, both, sizeof both[0]), 0);
    /* They met: neither was always the first. */
    assert_true(atomic_load(&d.reports) > 0 && atomic_load(&d.stale) > 0);
    kit_expect_conserved(d.pool, 1);
    kit_clear_and_destroy(d.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stale_release_is_an_answer_and_no_report),
        cmocka_unit_test(t36_a_free_after_an_end_of_any_kind_is_reported_once),
        cmocka_unit_test(calls_by_handle_note_their_sites),
        cmocka_unit_test(a_release_that_fails_leaves_no_site_behind),
        cmocka_unit_test(a_leak_is_reported_with_the_site_of_its_take),
        cmocka_unit_test(t35_of_a_release_and_a_free_at_once_one_succeeds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
