/* Two threads at one life, told step by step: wherever the first is stopped, one of them ends it,
 * and who comes too late does nothing to the next life. */
#include "support/check.h"
#include "support/interleave.h"
#include "support/misuse.h"

enum { CAPACITY = 100, STAYING = 40 };

typedef enum kind { CACHED, EXACT, LAST_LIFE, CHECKED, KINDS } kind;

typedef struct scene {
    tarn_pool *pool;
    tarn_cache *caches[2];
    tarn_handle handle, next;
    void *object;
    tarn_status status[2];
    uint32_t acts_at; /* the point at which the other thread acts */
    bool subject_frees, other_frees, other_takes, has_acted;
    misuse_log log;
    uint32_t visits[CAPACITY * 2];
} scene;

static void start(scene *s, kind how)
{
    tarn_pool_options options = {.object_bytes = 24,
                                 .capacity = CAPACITY,
                                 .caches_max = 2,
                                 .cache_objects_max = 2,
                                 .exact = how == EXACT,
                                 .checked = how == CHECKED,
                                 .report = misuse_note,
                                 .report_context = &s->log,
                                 .handles = true};
    if (how == LAST_LIFE) {
        options.handle_bits = 32;
        options.handle_index_bits = 30;
    }
    *s = (scene){0};
    s->pool = kit_pool(&options);
    s->caches[0] = kit_attach(s->pool);
    s->caches[1] = kit_attach(s->pool);
    for (int life = 1; life <= 2; life++) {
        kit_expect_status(tarn_take(s->caches[0], &s->handle, &s->object), TARN_OK);
        if (life == 1)
            kit_expect_status(tarn_release(s->caches[0], s->handle), TARN_OK);
    }
}

/* A free that is reported counts as one that came too late. */
static tarn_status end_by(scene *s, tarn_cache *cache, bool frees)
{
    if (!frees)
        return tarn_release(cache, s->handle);
    uint32_t reports = s->log.count;
    tarn_free(cache, s->object);
    return s->log.count > reports ? TARN_ERROR_STALE : TARN_OK;
}

static void end_it(void *context)
{
    scene *s = context;
    s->status[0] = end_by(s, s->caches[0], s->subject_frees);
}

static void end_it_too(void *context, uint32_t point)
{
    scene *s = context;
    if (point != s->acts_at)
        return;
    s->has_acted = true;
    s->status[1] = end_by(s, s->caches[1], s->other_frees);
    if (s->other_takes)
        kit_expect_status(tarn_take(s->caches[1], &s->next, &s->object), TARN_OK);
}

static void expect_one_success(scene *s, kind how)
{
    for (int i = 0; i < 2; i++)
        assert_true(s->status[i] == TARN_OK || s->status[i] == TARN_ERROR_STALE);
    assert_true((s->status[0] == TARN_OK) != (s->status[1] == TARN_OK));
    assert_null(tarn_resolve(s->pool, s->handle));
    assert_int_equal(kit_sample(s->pool).slots_retired, how == LAST_LIFE);
    if (s->other_takes)
        assert_ptr_equal(tarn_resolve(s->pool, s->next), s->object);
    kit_expect_conserved(s->pool, s->other_takes);
}

/* Stops the subject before its first access, its second, and so on until it has no more. Returns
 * before how many. */
static uint32_t overlap(kind how, bool subject_frees, bool other_frees, bool other_takes)
{
    for (uint32_t at = 1;; at++) {
        static scene s;
        start(&s, how);
        s.acts_at = at;
        s.subject_frees = subject_frees;
        s.other_frees = other_frees;
        s.other_takes = other_takes;
        interleave(end_it, end_it_too, &s);
        if (s.has_acted)
            expect_one_success(&s, how);
        else
            kit_expect_status(s.status[0], TARN_OK);
        kit_clear_and_destroy(s.pool);
        if (!s.has_acted)
            return at - 1;
    }
}

static void t35_of_two_releases_that_overlap_anywhere_one_succeeds(void **state)
{
    (void)state;
    for (kind how = 0; how < KINDS; how++)
        assert_true(overlap(how, false, false, false) > 0);
}

static void t36_a_release_that_is_overtaken_leaves_the_next_life_alone(void **state)
{
    (void)state;
    for (kind how = 0; how < KINDS; how++)
        assert_true(overlap(how, false, false, true) > 0);
}

/* In a checked pool, where a free is as exact as a release. */
static void t35_of_a_release_and_a_free_that_overlap_anywhere_one_succeeds(void **state)
{
    (void)state;
    assert_true(overlap(CHECKED, false, true, false) > 2);
    assert_true(overlap(CHECKED, true, false, false) > 2);
}

/* ---- iteration ---- */

static bool visit(void *context, void *object, tarn_handle handle)
{
    scene *s = context;
    (void)object;
    s->visits[tarn_handle_index(s->pool, handle)]++;
    return true;
}

static void visit_all(void *context)
{
    scene *s = context;
    tarn_each(s->pool, visit, s);
}

/* Ends one life, and begins two others. */
static void come_and_go(void *context, uint32_t point)
{
    scene *s = context;
    if (point != s->acts_at)
        return;
    s->has_acted = true;
    kit_expect_status(tarn_release(s->caches[1], s->handle), TARN_OK);
    for (int i = 0; i < 2; i++)
        kit_expect_status(tarn_take(s->caches[1], &s->next, NULL), TARN_OK);
}

static void t46_what_stays_is_visited_once_wherever_others_come_and_go(void **state)
{
    (void)state;
    static scene s;
    uint32_t at = 0;
    do {
        start(&s, ++at % 2 ? CACHED : EXACT);
        tarn_handle stay[STAYING];
        for (int i = 0; i < STAYING; i++) {
            kit_expect_status(tarn_take(s.caches[0], &stay[i], NULL), TARN_OK);
            if (i % 5 == 0)
                kit_expect_status(tarn_take(s.caches[0], &s.handle, NULL), TARN_OK);
        }
        s.acts_at = at;
        interleave(visit_all, come_and_go, &s);
        for (int i = 0; i < STAYING; i++)
            assert_int_equal(s.visits[tarn_handle_index(s.pool, stay[i])], 1);
        for (int slot = 0; slot < CAPACITY * 2; slot++)
            assert_in_range(s.visits[slot], 0, 1);
        kit_clear_and_destroy(s.pool);
    } while (s.has_acted);
    assert_true(at > STAYING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t35_of_two_releases_that_overlap_anywhere_one_succeeds),
        cmocka_unit_test(t36_a_release_that_is_overtaken_leaves_the_next_life_alone),
        cmocka_unit_test(t35_of_a_release_and_a_free_that_overlap_anywhere_one_succeeds),
        cmocka_unit_test(t46_what_stays_is_visited_once_wherever_others_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
