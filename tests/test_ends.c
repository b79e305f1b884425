/* The ends of all lives together: clear, and destruction. */
#include "support/kit.h"

enum { CAPACITY = 200 };

typedef struct thing {
    uint64_t built, resets;
} thing;

typedef struct hook_log {
    tarn_pool *pool; /* hooks allocate from it, unless NULL */
    tarn_cache *cache;
    int constructs, resets, destroys, refused;
    void *kept, *destroyed; /* the latter: the last */
} hook_log;

static bool construct(void *context, void *object)
{
    hook_log *log = context;
    thing *t = object;
    assert_int_equal(t->built, 0);
    t->built = 1;
    log->constructs++;
    return true;
}

static void reset(void *context, void *object)
{
    hook_log *log = context;
    thing *t = object;
    assert_int_equal(t->built, 1);
    t->resets++;
    log->resets++;
    if (log->pool && !log->kept)
        log->kept = tarn_alloc(log->cache);
}

static void destroy(void *context, void *object)
{
    hook_log *log = context;
    thing *t = object;
    assert_int_equal(t->built, 1);
    assert_true((uintptr_t)object > (uintptr_t)log->destroyed); /* in the order of slots */
    t->built = 0;
    log->destroyed = object;
    log->destroys++;
    if (log->pool)
        log->refused += !tarn_alloc(log->cache) && !tarn_guest_alloc(log->pool);
}

static tarn_pool *make(hook_log *log, bool resets_on_return, bool exact)
{
    tarn_pool_options options = {.object_bytes = sizeof(thing),
                                 .capacity = CAPACITY,
                                 .caches_max = 2,
                                 .exact = exact,
                                 .hooks = {log, construct, reset, destroy, resets_on_return}};
    return kit_pool(&options);
}

static void clear_ends_every_life(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        hook_log log = {0};
        tarn_pool *pool = make(&log, kind & 1, kind & 2);
        tarn_cache *cache = kit_attach(pool), *other = kit_attach(pool);
        tarn_handle handles[CAPACITY];
        void *objects[CAPACITY];
        for (int i = 0; i < CAPACITY; i++)
            kit_expect_status(tarn_take(i % 2 ? cache : other, &handles[i], &objects[i]), TARN_OK);
        for (int i = 0; i < CAPACITY / 2; i++) /* some are free, here and there */
            kit_expect_status(tarn_release(cache, handles[i]), TARN_OK);
        int resets = log.resets;
        kit_expect_status(tarn_pool_clear(pool), TARN_OK);
        assert_int_equal(log.resets - resets, kind & 1 ? CAPACITY / 2 : 0);
        assert_int_equal(log.destroys, 0);
        for (int i = 0; i < CAPACITY; i++) {
            assert_null(tarn_resolve(pool, handles[i]));
            kit_expect_status(tarn_release(cache, handles[i]), TARN_ERROR_STALE);
        }
        kit_expect_conserved(pool, 0);
        /* The capacity is whole, and what was constructed stays so. */
        assert_int_equal(kit_alloc_many(other, objects, CAPACITY), CAPACITY);
        assert_true(kit_are_apart(objects, CAPACITY, sizeof(thing)));
        assert_in_range(log.constructs, CAPACITY, kit_info(pool).slots);
        kit_free_many(cache, objects, CAPACITY);
        int constructs = log.constructs;
        kit_destroy(pool);
        assert_int_equal(log.destroys, constructs);
    }
}

static void what_a_hook_allocates_during_a_clear_stays(void **state)
{
    (void)state;
    hook_log log = {0};
    tarn_pool *pool = make(&log, true, false);
    log.cache = kit_attach(pool);
    void *objects[20];
    assert_int_equal(kit_alloc_many(log.cache, objects, 20), 20);
    kit_free_many(log.cache, objects, 5); /* what is allocated next lies before what is live */
    log.pool = pool;
    kit_expect_status(tarn_pool_clear(pool), TARN_OK);
    assert_non_null(log.kept);
    kit_expect_conserved(pool, 1);
    assert_false(tarn_handle_is_none(tarn_handle_of(pool, log.kept)));
    log.pool = NULL;
    tarn_free(log.cache, log.kept);
    kit_expect_conserved(pool, 0);
    kit_destroy(pool);
    assert_int_equal(log.destroys, log.constructs);
}

typedef struct roll {
    const tarn_pool *pool;
    int called;
    void *objects[CAPACITY];
    bool has_handles, has_sites;
} roll;

static void call(void *context, const char *pool_name, void *object, tarn_handle handle,
                 const char *alloc_site)
{
    roll *r = context;
    assert_string_equal(pool_name, "crowd");
    assert_in_range(r->called, 0, CAPACITY - 1);
    r->objects[r->called++] = object;
    r->has_handles = !tarn_handle_is_none(handle);
    if (r->has_handles)
        assert_ptr_equal(tarn_resolve(r->pool, handle), object);
    r->has_sites = alloc_site != NULL;
}

static void ignore(void *context, const tarn_report *report)
{
    (void)context;
    assert_int_equal(report->misuse, TARN_MISUSE_LEAK);
}

static void t31_destruction_names_who_is_still_there(void **state)
{
    (void)state;
    for (int handles = 0; handles <= 1; handles++) {
        roll r = {0};
        tarn_pool_options options = {.name = "crowd",
                                     .object_bytes = 24,
                                     .capacity = CAPACITY,
                                     .handles = handles,
                                     .checked = !handles,
                                     .report = ignore,
                                     .live = call,
                                     .live_context = &r};
        tarn_pool *pool = kit_pool(&options);
        r.pool = pool;
        tarn_cache *cache = kit_attach(pool);
        void *objects[30];
        assert_int_equal(kit_alloc_many(cache, objects, 30), 30);
        kit_free_many(cache, objects + 20, 10);
        kit_expect_status(tarn_pool_destroy(pool), TARN_ERROR_LIVE_OBJECTS);
        assert_int_equal(r.called, 20);
        assert_int_equal(r.has_handles, handles);
        assert_true(kit_are_apart(r.objects, 20, 24));
        for (int i = 0; i < 20; i++)
            assert_true(tarn_pool_owns(pool, r.objects[i]));
        /* Nothing was done: the pool works on. */
        kit_free_many(cache, objects, 20);
        void *object = tarn_alloc(cache);
        assert_non_null(object);
        tarn_free(cache, object);
        kit_destroy(pool);
        assert_int_equal(r.called, 20);
    }
}

static void a_destroy_hook_is_refused_more_objects(void **state)
{
    (void)state;
    hook_log log = {0};
    tarn_pool *pool = make(&log, false, false);
    log.cache = kit_attach(pool);
    void *objects[10];
    assert_int_equal(kit_alloc_many(log.cache, objects, 10), 10);
    kit_free_many(log.cache, objects, 10);
    log.pool = pool;
    kit_destroy(pool);
    assert_int_equal(log.destroys, log.constructs);
    assert_int_equal(log.refused, log.destroys);
}

/* Slots that were never constructed are left alone, and so is a pool that was never used. */
static void t49_t66_only_what_was_constructed_is_destroyed_once_in_the_order_of_slots(void **state)
{
    (void)state;
    hook_log log = {0};
    kit_destroy(make(&log, false, false));
    assert_int_equal(log.destroys, 0);
    tarn_pool *pool = make(&log, false, false);
    tarn_cache *cache = kit_attach(pool);
    tarn_free(cache, tarn_alloc(cache));
    kit_expect_status(tarn_pool_clear(pool), TARN_OK);
    assert_int_equal(log.constructs, 1); /* though a magazine's worth was carved */
    kit_destroy(pool);
    assert_int_equal(log.destroys, 1);
}

/* What a destroy hook may try while its pool ends. */
typedef struct last_wish {
    tarn_pool *pool;
    tarn_cache *cache; /* attached before */
    int builds, destroys, asked;
} last_wish;

static bool build(void *context, void *object)
{
    last_wish *w = context;
    assert_int_equal(((thing *)object)->built++, 0);
    w->builds++;
    return true;
}

static void expect_nothing_left(last_wish *w, tarn_cache *cache)
{
    tarn_handle handle;
    void *object;
    assert_null(tarn_alloc(cache));
    kit_expect_status(tarn_alloc_bulk(cache, 1, &object), TARN_ERROR_FULL);
    kit_expect_status(tarn_take(cache, &handle, &object), TARN_ERROR_FULL);
    kit_expect_status(tarn_cache_reserve(cache, 1), TARN_ERROR_FULL);
    assert_null(tarn_alloc(cache));
    assert_null(tarn_guest_alloc(w->pool));
    kit_expect_status(tarn_guest_take(w->pool, &handle, &object), TARN_ERROR_FULL);
}

static void wish(void *context, void *object)
{
    last_wish *w = context;
    tarn_cache *another;
    assert_int_equal(--((thing *)object)->built, 0);
    w->destroys++;
    if (w->cache)
        expect_nothing_left(w, w->cache);
    if (tarn_cache_attach(w->pool, &another) == TARN_OK) { /* perhaps one that a thread left */
        expect_nothing_left(w, another);
        kit_detach(another);
    }
    assert_int_not_equal(tarn_pool_prepare(w->pool, 1000, 1 << 20, NULL), TARN_OK);
    size_t bytes = 1;
    assert_int_not_equal(tarn_pool_trim(w->pool, 0, &bytes), TARN_OK);
    assert_int_equal(bytes, 0);
    assert_int_equal(w->asked, 0);
}

static bool ask(void *context, tarn_pool *pool, uint32_t attempt)
{
    (void)pool;
    ((last_wish *)context)->asked++;
    return attempt == 0;
}

static tarn_handle ask_for_a_victim(void *context, tarn_pool *pool)
{
    (void)pool;
    ((last_wish *)context)->asked++;
    return (tarn_handle){0};
}

static int take_and_leave(void *argument)
{
    last_wish *w = argument;
    void *objects[40];
    int failures = 0;
    for (int i = 0; i < 40; i++)
        KIT_EXPECT(&failures, (objects[i] = tarn_guest_alloc(w->pool)) != NULL);
    for (int i = 0; i < 40; i++)
        tarn_guest_free(w->pool, objects[i]);
    return failures;
}

/* Neither from a cache that is open, from what is reserved or what a thread left, nor by asking the
 * host; and no memory goes from under the hooks. */
static void t47_a_pool_that_ends_gives_nothing_more(void **state)
{
    (void)state;
    for (int kind = 0; kind < 32; kind++) {
        last_wish w = {0};
        tarn_pool_options options = {.object_bytes = 1024,
                                     .capacity = CAPACITY,
                                     .capacity_max = 4 * CAPACITY,
                                     .caches_max = kind & 1 ? 1 : 3,
                                     .exact = kind & 2,
                                     .hooks = {&w, build, NULL, wish, false}};
        options.checked = kind & 4;
        if (kind & 8) {
            options.evict = ask_for_a_victim;
            options.evict_context = &w;
        } else {
            options.full = ask;
            options.full_context = &w;
        }
        w.pool = kit_pool(&options);
        kit_run_thread(take_and_leave, &w);
        if (kind & 16) {
            w.cache = kit_attach(w.pool);
            void *objects[CAPACITY];
            assert_int_equal(kit_alloc_many(w.cache, objects, CAPACITY), CAPACITY);
            kit_free_many(w.cache, objects, CAPACITY);
            kit_expect_status(tarn_cache_reserve(w.cache, 20), TARN_OK);
        }
        int builds = w.builds;
        kit_destroy(w.pool);
        assert_int_equal(w.builds, builds);
        assert_int_equal(w.destroys, builds);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clear_ends_every_life),
        cmocka_unit_test(what_a_hook_allocates_during_a_clear_stays),
        cmocka_unit_test(t31_destruction_names_who_is_still_there),
        cmocka_unit_test(a_destroy_hook_is_refused_more_objects),
        cmocka_unit_test(t47_a_pool_that_ends_gives_nothing_more),
        cmocka_unit_test(t49_t66_only_what_was_constructed_is_destroyed_once_in_the_order_of_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
