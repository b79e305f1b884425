/* What a checked pool tells about misuse, and that it then changes nothing. */
#define _GNU_SOURCE /* fork, pipe */

#include "support/child.h"

#include <signal.h>
#include <sys/wait.h>

typedef struct notes {
    int count;
    tarn_report last;
    tarn_cache *cache; /* used from inside the report, if set */
} notes;

static void note(void *context, const tarn_report *report)
{
    notes *n = context;
    n->count++;
    n->last = *report;
}

static tarn_pool *checked_pool(tarn_report_fn *report, notes *n, bool exact)
{
    tarn_pool_options options = {.name = "checked",
                                 .object_bytes = 24,
                                 .object_alignment = 8,
                                 .capacity = 40,
                                 .caches_max = 2,
                                 .exact = exact,
                                 .checked = true,
                                 .report = report,
                                 .report_context = n};
    tarn_pool *pool = kit_pool(&options);
    assert_true(kit_info(pool).checked);
    return pool;
}

typedef enum way { BY_CACHE, BY_BULK, BY_GUEST, WAYS } way;

static void free_by(way by, tarn_pool *pool, tarn_cache *cache, void *object)
{
    if (by == BY_CACHE)
        tarn_free(cache, object);
    else if (by == BY_BULK)
        tarn_free_bulk(cache, 1, &object);
    else
        tarn_guest_free(pool, object);
}

typedef struct stage {
    tarn_pool *pool;
    tarn_cache *cache;
    notes notes;
    char *first; /* the object of slot 0 */
} stage;

static void expect_report(stage *s, way by, void *object, tarn_misuse misuse, uint64_t slot)
{
    tarn_pool_statistics before = kit_sample(s->pool);
    int count = s->notes.count;
    free_by(by, s->pool, s->cache, object);
    tarn_pool_statistics after = kit_sample(s->pool);
    assert_int_equal(s->notes.count, count + 1);
    assert_int_equal(s->notes.last.misuse, misuse);
    assert_non_null(s->notes.last.text);
    assert_string_equal(s->notes.last.pool_name, "checked");
    assert_ptr_equal(s->notes.last.object, object);
    assert_true(s->notes.last.slot == slot);
    before.caches_attached = after.caches_attached; /* a guest may have come */
    assert_memory_equal(&before, &after, sizeof before);
    kit_expect_conserved(s->pool, 5);
}

static void t37_each_pointer_that_is_not_the_pools_is_reported_and_refused(void **state)
{
    (void)state;
    for (int exact = 0; exact <= 1; exact++)
        for (way by = 0; by < WAYS; by++) {
            stage s = {0};
            s.pool = checked_pool(note, &s.notes, exact);
            s.cache = kit_attach(s.pool);
            void *live[5];
            assert_int_equal(kit_alloc_many(s.cache, live, 5), 5);
            s.first = live[0];
            size_t slots = kit_info(s.pool).slots, carved = kit_info(s.pool).slots_carved;
            size_t stride = kit_info(s.pool).stride_bytes;
            tarn_pool *other = kit_small_pool(10, 1, 0);
            void *foreign = tarn_guest_alloc(other);
            expect_report(&s, by, NULL, TARN_MISUSE_NULL, UINT64_MAX);
            expect_report(&s, by, foreign, TARN_MISUSE_FOREIGN, UINT64_MAX);
            expect_report(&s, by, &s, TARN_MISUSE_FOREIGN, UINT64_MAX);
            expect_report(&s, by, s.pool, TARN_MISUSE_FOREIGN, UINT64_MAX);
            expect_report(&s, by, s.first - stride, TARN_MISUSE_FOREIGN, UINT64_MAX);
            expect_report(&s, by, s.first - 1, TARN_MISUSE_FOREIGN, UINT64_MAX);
            expect_report(&s, by, s.first + 1, TARN_MISUSE_INTERIOR, 0);
            expect_report(&s, by, s.first + stride - 1, TARN_MISUSE_INTERIOR, 0);
            expect_report(&s, by, s.first + stride * 3 + 8, TARN_MISUSE_INTERIOR, 3);
            expect_report(&s, by, s.first + stride * carved, TARN_MISUSE_NEVER_ALLOCATED, carved);
            expect_report(&s, by, s.first + stride * (slots - 1), TARN_MISUSE_NEVER_ALLOCATED,
                          slots - 1);
            expect_report(&s, by, s.first + stride * slots, TARN_MISUSE_FOREIGN, UINT64_MAX);
            expect_report(&s, by, (void *)UINTPTR_MAX, TARN_MISUSE_FOREIGN, UINT64_MAX);
            /* What is rightly freed still can be. */
            int reports = s.notes.count;
            for (int i = 0; i < 5; i++)
                free_by(by, s.pool, s.cache, live[i]);
            assert_int_equal(s.notes.count, reports);
            kit_expect_conserved(s.pool, 0);
            tarn_guest_free(other, foreign);
            kit_destroy(other);
            kit_destroy(s.pool);
        }
}

static void t29_the_use_of_a_detached_cache_is_reported(void **state)
{
    (void)state;
    for (int exact = 0; exact <= 1; exact++) {
        notes n = {0};
        tarn_pool *pool = checked_pool(note, &n, exact);
        tarn_cache *cache = kit_attach(pool);
        void *object = tarn_alloc(cache);
        kit_detach(cache);
        assert_null(tarn_alloc(cache));
        assert_int_equal(n.count, 1);
        assert_int_equal(n.last.misuse, TARN_MISUSE_DETACHED);
        assert_null(n.last.object);
        void *pair[2];
        kit_expect_status(tarn_alloc_bulk(cache, 2, pair), TARN_ERROR_NOT_ATTACHED);
        assert_int_equal(n.count, 2);
        tarn_free(cache, object);
        assert_int_equal(n.count, 3);
        assert_int_equal(n.last.misuse, TARN_MISUSE_DETACHED);
        assert_ptr_equal(n.last.object, object);
        assert_true(n.last.slot == 0);
        kit_expect_conserved(pool, 1);
        tarn_guest_free(pool, object);
        assert_int_equal(n.count, 3);
        kit_destroy(pool);
    }
}

static void a_checked_pool_works_as_any_other(void **state)
{
    (void)state;
    notes n = {0};
    tarn_pool *pool = checked_pool(note, &n, false);
    tarn_cache *caches[] = {kit_attach(pool), kit_attach(pool)};
    void *objects[40];
    for (int round = 0; round < 50; round++) {
        assert_int_equal(kit_alloc_many(caches[round % 2], objects, 40), 40);
        assert_true(kit_are_apart(objects, 40, 24));
        kit_free_many(caches[round % 3 == 0], objects, 40);
        kit_expect_conserved(pool, 0);
    }
    assert_int_equal(n.count, 0);
    kit_destroy(pool);
}

static void an_unchecked_pool_reports_nothing(void **state)
{
    (void)state;
    notes n = {0};
    tarn_pool_options options = {
        .object_bytes = 8, .capacity = 4, .report = note, .report_context = &n};
    tarn_pool *pool = kit_pool(&options);
    if (kit_info(pool).checked) {
        kit_destroy(pool);
        skip();
    }
    tarn_cache *cache = kit_attach(pool);
    kit_detach(cache);
    assert_null(tarn_alloc(cache));
    assert_int_equal(n.count, 0);
    kit_destroy(pool);
}

static void use_the_pool(void *context, const tarn_report *report)
{
    notes *n = context;
    note(context, report);
    void *objects[10];
    kit_free_many(n->cache, objects, kit_alloc_many(n->cache, objects, 10));
    if (n->count == 1) /* a misuse inside the report is reported too */
        tarn_free(n->cache, (char *)(uintptr_t)report->object + 1);
}

static void a_report_may_call_into_the_same_pool(void **state)
{
    (void)state;
    notes n = {0};
    tarn_pool *pool = checked_pool(use_the_pool, &n, false);
    n.cache = kit_attach(pool);
    char *object = tarn_alloc(n.cache);
    tarn_free(n.cache, object + 1);
    assert_int_equal(n.count, 2);
    kit_expect_conserved(pool, 1);
    tarn_free(n.cache, object);
    kit_expect_conserved(pool, 0);
    kit_destroy(pool);
}

static void free_a_foreign_pointer(void *unused)
{
    (void)unused;
    tarn_pool_options options = {
        .name = "named", .object_bytes = 24, .capacity = 4, .checked = true};
    tarn_pool *pool = NULL;
    tarn_pool_create(&options, &pool);
    tarn_guest_free(pool, &options);
}

static void t37_the_default_report_prints_the_misuse_and_aborts(void **state)
{
    (void)state;
    char text[4096];
    int status = child_stderr(free_a_foreign_pointer, NULL, text, sizeof text);
    assert_true(WIFSIGNALED(status));
    assert_int_equal(WTERMSIG(status), SIGABRT);
    assert_non_null(strstr(text, "named"));
    assert_non_null(strstr(text, "a pointer from outside the pool was freed"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t37_each_pointer_that_is_not_the_pools_is_reported_and_refused),
        cmocka_unit_test(t29_the_use_of_a_detached_cache_is_reported),
        cmocka_unit_test(a_checked_pool_works_as_any_other),
        cmocka_unit_test(an_unchecked_pool_reports_nothing),
        cmocka_unit_test(a_report_may_call_into_the_same_pool),
        cmocka_unit_test(t37_the_default_report_prints_the_misuse_and_aborts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
