/* The lives of objects: what hooks see, and when. */
#include "support/kit.h"

enum { CAPACITY = 100 };

/* An object that owns a buffer, which grows with use and is kept between lives. */
typedef struct list {
    int *items;
    size_t count, room;
    uint64_t lives;
    bool is_built, is_ready;
} list;

/* What the hooks were asked, and how they answer. */
typedef struct hook_log {
    int constructs, resets, destroys;
    int fail_at; /* the construct, counted from 1, that fails; 0: none */
    tarn_pool *reenters;
    tarn_cache *cache;
    int depth;
    bool undoes; /* lives end that nobody was given */
} hook_log;

/* A hook that uses the pool, without end but for this. */
static void reenter(hook_log *log)
{
    if (!log->reenters || log->depth > 0)
        return;
    log->depth++;
    list *mine = tarn_alloc(log->cache), *guests = tarn_guest_alloc(log->reenters);
    if (mine)
        assert_true(mine->is_built && ++mine->lives);
    if (guests)
        assert_true(guests->is_built && ++guests->lives);
    if (mine)
        tarn_free(log->cache, mine);
    if (guests)
        tarn_guest_free(log->reenters, guests);
    log->depth--;
}

static bool construct(void *context, void *object)
{
    hook_log *log = context;
    list *l = object;
    assert_false(l->is_built);
    assert_null(l->items);
    if (++log->constructs == log->fail_at)
        return false;
    l->room = 4;
    l->items = malloc(l->room * sizeof *l->items);
    assert_non_null(l->items);
    l->is_built = l->is_ready = true;
    reenter(log);
    return true;
}

static void reset(void *context, void *object)
{
    hook_log *log = context;
    list *l = object;
    assert_true(l->is_built);
    assert_true(l->lives > 0 || log->undoes); /* never before the first */
    l->count = 0;
    l->is_ready = true;
    log->resets++;
    reenter(log);
}

static void destroy(void *context, void *object)
{
    hook_log *log = context;
    list *l = object;
    assert_true(l->is_built);
    free(l->items);
    l->items = NULL;
    l->is_built = false;
    log->destroys++;
    reenter(log);
}

static void use(list *l)
{
    assert_true(l->is_built);
    assert_true(l->is_ready);
    assert_int_equal(l->count, 0);
    l->is_ready = false;
    l->lives++;
    while (l->count < 3 * l->lives && l->count < 40) {
        if (l->count == l->room) {
            l->room *= 2;
            l->items = realloc(l->items, l->room * sizeof *l->items);
            assert_non_null(l->items);
        }
        l->items[l->count++] = 1;
    }
}

typedef enum way { CACHE, GUEST, EXACT, WAYS } way;

static tarn_pool *make(hook_log *log, bool resets_on_return, way how, tarn_cache **cache)
{
    memset(log, 0, sizeof *log);
    tarn_pool_options options = {.object_bytes = sizeof(list),
                                 .capacity = CAPACITY,
                                 .caches_max = 1,
                                 .exact = how == EXACT,
                                 .hooks = {log, construct, reset, destroy, resets_on_return}};
    tarn_pool *pool = kit_pool(&options);
    *cache = kit_attach(pool); /* the only one: guests go without */
    log->cache = *cache;
    return pool;
}

static list *take(tarn_pool *pool, tarn_cache *cache, way how)
{
    return how == GUEST ? tarn_guest_alloc(pool) : tarn_alloc(cache);
}

static void give(tarn_pool *pool, tarn_cache *cache, way how, list *l)
{
    if (how == GUEST)
        tarn_guest_free(pool, l);
    else
        tarn_free(cache, l);
}

static void objects_keep_what_they_own_from_life_to_life(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2 * WAYS; kind++) {
        way how = kind / 2;
        hook_log log;
        tarn_cache *cache;
        tarn_pool *pool = make(&log, kind & 1, how, &cache);
        list *lists[CAPACITY];
        uint64_t lives = 0;
        for (int round = 0; round < 10; round++) {
            for (int i = 0; i < CAPACITY; i++) {
                lists[i] = take(pool, cache, how);
                assert_non_null(lists[i]);
                use(lists[i]);
                lives++;
            }
            kit_expect_conserved(pool, CAPACITY);
            for (int i = 0; i < CAPACITY; i++)
                give(pool, cache, how, lists[i]);
        }
        assert_in_range(log.constructs, CAPACITY, kit_info(pool).slots);
        assert_int_equal(log.resets, kind & 1 ? lives : lives - (uint64_t)log.constructs);
        int constructs = log.constructs;
        kit_destroy(pool);
        assert_int_equal(log.destroys, constructs);
    }
}

static void t47_hooks_may_use_the_pool_they_belong_to(void **state)
{
    (void)state;
    for (int kind = 0; kind < 2 * WAYS; kind++) {
        way how = kind / 2;
        hook_log log;
        tarn_cache *cache;
        tarn_pool *pool = make(&log, kind & 1, how, &cache);
        log.reenters = pool;
        log.cache = cache;
        list *lists[CAPACITY / 2];
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < CAPACITY / 2; i++) {
                lists[i] = take(pool, cache, how);
                assert_non_null(lists[i]);
                lists[i]->lives++;
            }
            assert_true(kit_are_apart((void **)lists, CAPACITY / 2, sizeof(list)));
            for (int i = 0; i < CAPACITY / 2; i++)
                give(pool, cache, how, lists[i]);
            kit_expect_conserved(pool, 0);
        }
        int constructs = log.constructs;
        kit_destroy(pool);
        assert_int_equal(log.destroys, constructs);
    }
}

/* The n-th construct fails, for every n: the allocation says so, and nothing is lost. */
static void t47_a_construct_that_fails_gives_the_slot_back(void **state)
{
    (void)state;
    for (int kind = 0; kind < WAYS; kind++) {
        for (int n = 1; n <= CAPACITY; n += kind == CACHE ? 1 : 9) {
            hook_log log;
            tarn_cache *cache;
            tarn_pool *pool = make(&log, false, (way)kind, &cache);
            log.fail_at = n;
            void *objects[CAPACITY];
            tarn_handle handle;
            for (int i = 0; i < n - 1; i++)
                assert_non_null(objects[i] = take(pool, cache, (way)kind));
            tarn_status status = kind == GUEST ? tarn_guest_take(pool, &handle, &objects[n - 1])
                                               : tarn_take(cache, &handle, &objects[n - 1]);
            kit_expect_status(status, TARN_ERROR_CONSTRUCT);
            assert_null(objects[n - 1]);
            assert_true(tarn_handle_is_none(handle));
            assert_int_equal(kit_sample(pool).constructs_refused, 1);
            kit_expect_conserved(pool, (uint64_t)n - 1);
            for (int i = n - 1; i < CAPACITY; i++) /* all that is left can be had */
                assert_non_null(objects[i] = take(pool, cache, (way)kind));
            kit_expect_conserved(pool, CAPACITY);
            kit_clear_and_destroy(pool);
            assert_int_equal(log.destroys, log.constructs - 1);
        }
    }
}

static void t47_a_bulk_call_is_undone_when_one_construct_fails(void **state)
{
    (void)state;
    for (int n = 1; n <= 40; n++) {
        hook_log log;
        tarn_cache *cache;
        tarn_pool *pool = make(&log, true, n % 2 ? CACHE : EXACT, &cache);
        void *objects[40];
        log.fail_at = n;
        log.undoes = true;
        for (int i = 0; i < 40; i++)
            objects[i] = &log;
        kit_expect_status(tarn_alloc_bulk(cache, 40, objects), TARN_ERROR_CONSTRUCT);
        for (int i = 0; i < 40; i++)
            assert_null(objects[i]);
        assert_int_equal(log.resets, 0); /* no life had begun */
        kit_expect_conserved(pool, 0);
        log.reenters = pool;
        kit_expect_status(tarn_alloc_bulk(cache, 40, objects), TARN_OK);
        assert_true(kit_are_apart(objects, 40, sizeof(list)));
        kit_expect_conserved(pool, 40);
        kit_expect_status(tarn_free_bulk(cache, 40, objects), TARN_OK);
        kit_expect_conserved(pool, 0);
        kit_destroy(pool);
        assert_int_equal(log.destroys, log.constructs - 1);
    }
}

static void reserved_objects_are_made_ready_when_they_are_taken(void **state)
{
    (void)state;
    hook_log log;
    tarn_cache *cache;
    tarn_pool *pool = make(&log, false, CACHE, &cache);
    kit_expect_status(tarn_cache_reserve(cache, 50), TARN_OK);
    assert_int_equal(log.constructs, 0);
    list *lists[50];
    for (int i = 0; i < 50; i++) {
        assert_non_null(lists[i] = tarn_alloc(cache));
        use(lists[i]);
    }
    assert_int_equal(log.constructs, 50);
    for (int i = 0; i < 50; i++)
        tarn_free(cache, lists[i]);
    kit_destroy(pool);
}

static void expect_zero_then_fill(void *object, size_t bytes)
{
    unsigned char *byte = object;
    for (size_t i = 0; i < bytes; i++)
        assert_int_equal(byte[i], 0);
    memset(object, 0xA5, bytes);
}

static void zero_filled_objects_are_zero_each_time(void **state)
{
    (void)state;
    for (int exact = 0; exact <= 1; exact++) {
        tarn_pool_options options = {.object_bytes = 24,
                                     .capacity = CAPACITY,
                                     .caches_max = 1,
                                     .exact = exact,
                                     .zero_fill = true};
        tarn_pool *pool = kit_pool(&options);
        tarn_cache *cache = kit_attach(pool);
        void *objects[CAPACITY];
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < CAPACITY / 2; i++)
                assert_non_null(objects[i] = i % 2 ? tarn_alloc(cache) : tarn_guest_alloc(pool));
            kit_expect_status(tarn_alloc_bulk(cache, CAPACITY / 2, objects + CAPACITY / 2),
                              TARN_OK);
            for (int i = 0; i < CAPACITY; i++)
                expect_zero_then_fill(objects[i], 24);
            kit_free_many(cache, objects, CAPACITY);
        }
        kit_destroy(pool);
    }
}

static void zero_fill_and_hooks_exclude_each_other(void **state)
{
    (void)state;
    tarn_pool *pool;
    tarn_pool_options options = {
        .object_bytes = 8, .capacity = 4, .zero_fill = true, .hooks = {.reset = reset}};
    kit_expect_status(tarn_pool_create(&options, &pool), TARN_ERROR_INVALID);
}

/* A checked pool that is to fill free objects leaves those alone that were constructed. */
static void checks_leave_constructed_objects_whole(void **state)
{
    (void)state;
    hook_log log = {0};
    tarn_pool_options options = {.object_bytes = sizeof(list),
                                 .capacity = CAPACITY,
                                 .checked = true,
                                 .check = {.fill = true, .red_zone_bytes = 16},
                                 .hooks = {&log, construct, reset, destroy, false}};
    tarn_pool *pool = kit_pool(&options);
    tarn_cache *cache = kit_attach(pool);
    log.cache = cache;
    for (int i = 0; i < 10; i++) {
        list *l = tarn_alloc(cache);
        assert_non_null(l);
        use(l);
        tarn_free(cache, l);
    }
    assert_int_equal(log.constructs, 1);
    assert_int_equal(log.resets, 9);
    kit_destroy(pool);
    assert_int_equal(log.destroys, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_keep_what_they_own_from_life_to_life),
        cmocka_unit_test(t47_hooks_may_use_the_pool_they_belong_to),
        cmocka_unit_test(t47_a_construct_that_fails_gives_the_slot_back),
        cmocka_unit_test(t47_a_bulk_call_is_undone_when_one_construct_fails),
        cmocka_unit_test(reserved_objects_are_made_ready_when_they_are_taken),
        cmocka_unit_test(zero_filled_objects_are_zero_each_time),
        cmocka_unit_test(zero_fill_and_hooks_exclude_each_other),
        cmocka_unit_test(checks_leave_constructed_objects_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
