/* Checked pools whose objects have lives: what is misuse there, and what is not. */
#define TARN_SITES
#include "support/misuse.h"

#include "support/handles.h"

enum { CAPACITY = 40 };

typedef struct hook_log {
    int builds, resets, destroys;
} hook_log;

/* In objects of HANDLES_BYTES. */
typedef struct thing {
    uint64_t built, resets;
} thing;

static bool construct(void *context, void *object)
{
    assert_int_equal(((thing *)object)->built++, 0);
    ((hook_log *)context)->builds++;
    return true;
}

static void reset(void *context, void *object)
{
    assert_int_equal(((thing *)object)->built, 1);
    ((thing *)object)->resets++;
    ((hook_log *)context)->resets++;
}

static void destroy(void *context, void *object)
{
    assert_int_equal(((thing *)object)->built--, 1);
    ((hook_log *)context)->destroys++;
}

typedef struct stage {
    handles_stage s;
    misuse_log reports;
    hook_log hooks;
} stage;

static void start(stage *st, handles_way way, tarn_check_options check)
{
    memset(st, 0, sizeof *st);
    tarn_pool_options options = {.name = "misused",
                                 .hooks = {&st->hooks, construct, reset, destroy, true},
                                 .checked = true,
                                 .check = check,
                                 .report = misuse_note,
                                 .report_context = &st->reports};
    st->s = handles_start(way, CAPACITY, options);
}

/* Everything is free: nothing else is reported, and each object is destroyed once. */
static void finish(stage *st)
{
    kit_expect_conserved(st->s.pool, 0);
    assert_int_equal(st->reports.count, 0);
    int builds = st->hooks.builds;
    kit_destroy(st->s.pool);
    assert_int_equal(st->hooks.builds, builds);
    assert_int_equal(st->hooks.destroys, builds);
}

static void each_way(void (*test)(stage *st))
{
    static const tarn_check_options checks[] = {
        {0}, {.fill = true, .red_zone_bytes = 16}, {.quarantine_objects = 5}};
    for (int way = 0; way < HANDLES_WAYS; way++)
        for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
            static stage st;
            start(&st, (handles_way)way, checks[i]);
            test(&st);
            finish(&st);
        }
}

static void free_twice(stage *st)
{
    void *object;
    handles_take_one(&st->s, &object);
    handles_free(&st->s, object);
    assert_int_equal(st->reports.count, 0);
    handles_free(&st->s, object);
    assert_ptr_equal(misuse_expect_one(&st->reports, TARN_MISUSE_DOUBLE_FREE).object, object);
    assert_int_equal(st->hooks.resets, 1);
}

static void an_object_freed_twice_is_reported_and_reset_once(void **state)
{
    (void)state;
    each_way(free_twice);
}

static void mix_ends(stage *st)
{
    void *object;
    tarn_handle handle = handles_take_one(&st->s, &object);
    handles_free(&st->s, object);
    handles_expect_stale(&st->s, handle); /* answers, and no misuse */
    handle = handles_take_one(&st->s, &object);
    kit_expect_status(handles_release(&st->s, handle), TARN_OK);
    handles_expect_stale(&st->s, handle);
    assert_int_equal(st->reports.count, 0);
    handles_free(&st->s, object);
    misuse_expect_one(&st->reports, TARN_MISUSE_DOUBLE_FREE);
    assert_int_equal(st->hooks.resets, 2);
}

static void a_stale_handle_is_an_answer_and_a_stale_pointer_misuse(void **state)
{
    (void)state;
    each_way(mix_ends);
}

static void free_what_is_not_there(stage *st)
{
    uint64_t elsewhere[4] = {0};
    void *object;
    tarn_handle handle = handles_take_one(&st->s, &object);
    handles_free(&st->s, elsewhere);
    misuse_expect_one(&st->reports, TARN_MISUSE_FOREIGN);
    handles_free(&st->s, (char *)object + 1);
    misuse_expect_one(&st->reports, TARN_MISUSE_INTERIOR);
    handles_free(&st->s, NULL);
    misuse_expect_one(&st->reports, TARN_MISUSE_NULL);
    assert_int_equal(st->hooks.resets, 0);
    assert_ptr_equal(tarn_resolve(st->s.pool, handle), object);
    handles_free(&st->s, object);
}

static void pointers_that_are_not_the_pools_end_no_life(void **state)
{
    (void)state;
    each_way(free_what_is_not_there);
}

static void free_in_bulk(stage *st)
{
    void *objects[6];
    kit_expect_status(tarn_alloc_bulk(st->s.cache, 5, objects), TARN_OK);
    objects[5] = objects[2];
    kit_expect_status(tarn_free_bulk(st->s.cache, 6, objects), TARN_OK);
    assert_ptr_equal(misuse_expect_one(&st->reports, TARN_MISUSE_DOUBLE_FREE).object, objects[2]);
    assert_int_equal(st->hooks.resets, 5);
}

static void t48_one_of_many_freed_twice_is_reported_and_the_others_are_freed(void **state)
{
    (void)state;
    each_way(free_in_bulk);
}

static void an_overrun_is_reported_at_the_release(void **state)
{
    (void)state;
    for (int way = 0; way < HANDLES_WAYS; way++) {
        static stage st;
        void *object;
        start(&st, (handles_way)way, (tarn_check_options){.red_zone_bytes = 16});
        tarn_handle handle = handles_take_one(&st.s, &object);
        bool writes = !kit_info(st.s.pool).inspected; /* else a tool would end the program */
        if (writes)
            ((char *)object)[HANDLES_BYTES] = 1;
        kit_expect_status(handles_release(&st.s, handle), TARN_OK);
        if (writes)
            misuse_expect_one(&st.reports, TARN_MISUSE_OVERRUN);
        finish(&st);
    }
}

/* Between two lives too: what hooks made is there, and is not filled. */
static void live_on(stage *st)
{
    thing *objects[CAPACITY];
    tarn_handle handles[CAPACITY];
    for (uint64_t round = 0; round < 5; round++) {
        handles_take_many(&st->s, CAPACITY, handles, (void **)objects);
        for (size_t i = 0; i < CAPACITY; i++)
            assert_int_equal(objects[i]->built, 1);
        handles_release_many(&st->s, CAPACITY, handles);
    }
    assert_int_equal(st->hooks.resets, 5 * CAPACITY);
}

static void what_hooks_made_survives_the_checks(void **state)
{
    (void)state;
    each_way(live_on);
}

typedef struct roll {
    int called;
    const char *site;
} roll;

static void call(void *context, const char *pool_name, void *object, tarn_handle handle,
                 const char *alloc_site)
{
    roll *r = context;
    assert_string_equal(pool_name, "misused");
    assert_non_null(object);
    assert_false(tarn_handle_is_none(handle));
    r->called++;
    r->site = alloc_site;
}

/* To the leak reports, which name the site, and to the live function, for each object. */
static void t31_what_is_left_is_told_with_its_site(void **state)
{
    (void)state;
    for (int exact = 0; exact <= 1; exact++) {
        misuse_log reports;
        hook_log hooks = {0};
        roll r = {0};
        tarn_pool *pool = misuse_pool(
            &reports, (tarn_pool_options){.object_bytes = HANDLES_BYTES,
                                          .capacity = CAPACITY,
                                          .exact = exact,
                                          .hooks = {&hooks, construct, reset, destroy, false},
                                          .live = call,
                                          .live_context = &r});
        tarn_cache *cache = kit_attach(pool);
        void *objects[3];
        for (int i = 0; i < 3; i++)
            objects[i] = tarn_alloc(cache);
        tarn_free(cache, objects[1]);
        kit_expect_status(tarn_pool_destroy(pool), TARN_ERROR_LIVE_OBJECTS);
        tarn_report report = misuse_expect_one(&reports, TARN_MISUSE_LEAK);
        assert_int_equal(report.count, 2);
        assert_int_equal(r.called, 2);
        assert_non_null(r.site);
        assert_non_null(strstr(r.site, "test_check_lives.c:"));
        assert_string_equal(r.site, report.alloc_site);
        assert_int_equal(hooks.destroys, 0);
        kit_expect_status(tarn_release(cache, tarn_handle_of(pool, objects[0])), TARN_OK);
        tarn_free(cache, objects[2]);
        kit_destroy(pool);
        assert_int_equal(reports.count, 0);
        assert_int_equal(hooks.destroys, hooks.builds);
    }
}

/* Refusals by chance: they construct nothing, and lose nothing. */
static void refusals_at_random_lose_nothing(void **state)
{
    (void)state;
    for (int way = 0; way < HANDLES_WAYS; way++) {
        static stage st;
        uint64_t refused = 0;
        start(&st, (handles_way)way, (tarn_check_options){.fail_one_in = 3, .seed = 11});
        for (int round = 0; round < 20; round++) {
            tarn_handle handles[CAPACITY];
            size_t count = 0;
            for (size_t i = 0; i < CAPACITY; i++) {
                void *object;
                int builds = st.hooks.builds;
                tarn_status status = handles_take(&st.s, &handles[count], &object);
                if (status == TARN_OK) {
                    count++;
                    continue;
                }
                kit_expect_status(status, TARN_ERROR_FULL);
                assert_int_equal(st.hooks.builds, builds);
                refused++;
            }
            kit_expect_conserved(st.s.pool, count);
            handles_release_many(&st.s, count, handles);
        }
        assert_int_equal(kit_sample(st.s.pool).refusals, refused);
        assert_in_range(refused, 20 * CAPACITY / 6, 20 * CAPACITY / 2);
        finish(&st);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_freed_twice_is_reported_and_reset_once),
        cmocka_unit_test(a_stale_handle_is_an_answer_and_a_stale_pointer_misuse),
        cmocka_unit_test(pointers_that_are_not_the_pools_end_no_life),
        cmocka_unit_test(t48_one_of_many_freed_twice_is_reported_and_the_others_are_freed),
        cmocka_unit_test(an_overrun_is_reported_at_the_release),
        cmocka_unit_test(what_hooks_made_survives_the_checks),
        cmocka_unit_test(t31_what_is_left_is_told_with_its_site),
        cmocka_unit_test(refusals_at_random_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
