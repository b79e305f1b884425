/* What a full pool does: evicts, asks the host, or refuses. */
#include "support/kit.h"

enum { CAPACITY = 8 };

typedef struct part {
    int64_t score; /* TARN_SCORE_PINNED: it stays */
} part;

/* What the host's functions are told to do, and did. */
typedef struct host {
    tarn_pool *pool;
    tarn_cache *cache;
    int calls;
    uint32_t attempts_max;
    tarn_handle names; /* what evict answers, unless it searches */
    bool searches, allocates;
    void *spare; /* what full frees, once */
} host;

static int64_t score_of(void *context, const void *object)
{
    (void)context;
    return ((const part *)object)->score;
}

/* Inside, an allocation from the full pool is refused, and asks nobody. */
static void use_the_pool(host *h)
{
    int calls = h->calls;
    assert_null(tarn_alloc(h->cache));
    assert_null(tarn_guest_alloc(h->pool));
    assert_int_equal(h->calls, calls);
}

static tarn_handle evict(void *context, tarn_pool *pool)
{
    host *h = context;
    h->calls++;
    if (h->allocates)
        use_the_pool(h);
    return h->searches ? tarn_evict_lowest(pool, score_of, NULL) : h->names;
}

static bool make_room(void *context, tarn_pool *pool, uint32_t attempt)
{
    host *h = context;
    assert_ptr_equal(pool, h->pool);
    assert_int_equal(attempt, h->calls);
    h->calls++;
    if (h->allocates)
        use_the_pool(h);
    if (h->spare && attempt == h->attempts_max) {
        tarn_guest_free(h->pool, h->spare); /* where a guest and the cache find it */
        h->spare = NULL;
    }
    return attempt < h->attempts_max || !h->spare;
}

static tarn_pool_options options_of(host *h, bool evicts, bool exact)
{
    tarn_pool_options options = {.object_bytes = sizeof(part),
                                 .capacity = CAPACITY,
                                 .caches_max = 1,
                                 .exact = exact,
                                 .handles = true};
    if (evicts) {
        options.evict = evict;
        options.evict_context = h;
    } else {
        options.full = make_room;
        options.full_context = h;
    }
    return options;
}

/* Takes all there is, without asking the host. Returns how many. */
static size_t fill(host *h, tarn_handle *handles, void **objects)
{
    size_t slots = kit_info(h->pool).slots;
    for (size_t i = 0; i < slots; i++) {
        kit_expect_status(tarn_take(h->cache, &handles[i], &objects[i]), TARN_OK);
        *(part *)objects[i] = (part){.score = 100 + (int64_t)i};
    }
    assert_int_equal(h->calls, 0);
    return slots;
}

typedef struct full_pool {
    host h;
    size_t count;
    tarn_handle handles[512];
    void *objects[512];
} full_pool;

static void begin(full_pool *f, tarn_pool_options (*change)(tarn_pool_options), bool evicts,
                  bool exact)
{
    memset(f, 0, sizeof *f);
    tarn_pool_options options = options_of(&f->h, evicts, exact);
    if (change)
        options = change(options);
    f->h.pool = kit_pool(&options);
    f->h.cache = kit_attach(f->h.pool);
    assert_in_range(kit_info(f->h.pool).slots, CAPACITY, 512);
    f->count = fill(&f->h, f->handles, f->objects);
}

static void t67_the_lowest_score_makes_room(void **state)
{
    (void)state;
    for (int exact = 0; exact <= 1; exact++) {
        full_pool f;
        begin(&f, NULL, true, exact);
        f.h.searches = f.h.allocates = true;
        ((part *)f.objects[5])->score = 3;
        ((part *)f.objects[2])->score = 4;
        tarn_handle handle;
        void *object;
        kit_expect_status(tarn_take(f.h.cache, &handle, &object), TARN_OK);
        assert_ptr_equal(object, f.objects[5]);
        assert_null(tarn_resolve(f.h.pool, f.handles[5]));
        kit_expect_status(tarn_release(f.h.cache, f.handles[5]), TARN_ERROR_STALE);
        assert_ptr_equal(tarn_resolve(f.h.pool, handle), object);
        ((part *)object)->score = 1000;
        assert_ptr_equal(tarn_guest_alloc(f.h.pool), f.objects[2]);
        assert_int_equal(kit_sample(f.h.pool).evictions, 2);
        assert_int_equal(kit_sample(f.h.pool).allocs, f.count + 2);
        assert_int_equal(kit_sample(f.h.pool).refusals, 2 * 2); /* those inside */
        kit_expect_conserved(f.h.pool, f.count);
        kit_clear_and_destroy(f.h.pool);
    }
}

static void of_equal_scores_the_lowest_slot_goes(void **state)
{
    (void)state;
    full_pool f;
    begin(&f, NULL, true, true);
    for (size_t i = 0; i < f.count; i++)
        ((part *)f.objects[i])->score = 7;
    tarn_handle lowest = tarn_evict_lowest(f.h.pool, score_of, NULL);
    assert_int_equal(tarn_handle_index(f.h.pool, lowest), 0);
    kit_clear_and_destroy(f.h.pool);
}

static void all_pinned_is_a_status_of_its_own(void **state)
{
    (void)state;
    full_pool f;
    begin(&f, NULL, true, false);
    f.h.searches = true;
    for (size_t i = 0; i < f.count; i++)
        ((part *)f.objects[i])->score = TARN_SCORE_PINNED;
    tarn_handle handle = {1};
    void *object = &f;
    kit_expect_status(tarn_take(f.h.cache, &handle, &object), TARN_ERROR_PINNED);
    assert_true(tarn_handle_is_none(handle));
    assert_null(object);
    assert_null(tarn_alloc(f.h.cache));
    assert_int_equal(f.h.calls, 2);
    assert_int_equal(kit_sample(f.h.pool).evictions, 0);
    kit_expect_conserved(f.h.pool, f.count);
    kit_clear_and_destroy(f.h.pool);
    assert_true(tarn_handle_is_none(tarn_evict_lowest(NULL, score_of, NULL)));
}

static void nothing_live_means_nobody_to_evict(void **state)
{
    (void)state;
    tarn_pool_options options = {.object_bytes = 8, .capacity = 4, .handles = true};
    tarn_pool *pool = kit_pool(&options);
    assert_true(tarn_handle_is_none(tarn_evict_lowest(pool, score_of, NULL)));
    assert_true(tarn_handle_is_none(tarn_evict_lowest(pool, NULL, NULL)));
    kit_destroy(pool);
}

/* A victim that is not one is asked for again, so many times and no more. */
static void t67_stale_and_foreign_victims_end_in_a_refusal(void **state)
{
    (void)state;
    full_pool f;
    begin(&f, NULL, true, true);
    tarn_handle stale = f.handles[0];
    kit_expect_status(tarn_release(f.h.cache, stale), TARN_OK);
    kit_expect_status(tarn_take(f.h.cache, &f.handles[0], &f.objects[0]), TARN_OK);
    const tarn_handle not_victims[] = {stale, {UINT64_MAX}, {stale.bits ^ (uint64_t)1 << 63}};
    for (size_t i = 0; i < sizeof not_victims / sizeof *not_victims; i++) {
        f.h.calls = 0;
        f.h.names = not_victims[i];
        tarn_handle handle;
        kit_expect_status(tarn_take(f.h.cache, &handle, NULL), TARN_ERROR_FULL);
        assert_int_equal(f.h.calls, TARN_EVICTIONS_TRIED_MAX);
        kit_expect_conserved(f.h.pool, f.count);
    }
    kit_clear_and_destroy(f.h.pool);
}

static void bulk_calls_and_reservations_do_not_evict(void **state)
{
    (void)state;
    full_pool f;
    begin(&f, NULL, true, false);
    f.h.searches = true;
    void *objects[2];
    kit_expect_status(tarn_alloc_bulk(f.h.cache, 2, objects), TARN_ERROR_FULL);
    kit_expect_status(tarn_cache_reserve(f.h.cache, 1), TARN_ERROR_FULL);
    assert_int_equal(f.h.calls, 0);
    kit_expect_conserved(f.h.pool, f.count);
    kit_clear_and_destroy(f.h.pool);
}

static tarn_pool_options with_room_to_grow(tarn_pool_options options)
{
    options.capacity_max = 4 * CAPACITY;
    return options;
}

static void growth_comes_before_eviction(void **state)
{
    (void)state;
    full_pool f;
    begin(&f, with_room_to_grow, true, true); /* fills it to its largest */
    assert_int_equal(f.count, 4 * CAPACITY);
    f.h.searches = true;
    assert_non_null(tarn_alloc(f.h.cache));
    assert_int_equal(f.h.calls, 1);
    kit_clear_and_destroy(f.h.pool);
}

/* Two lives to a slot: the second victim's is used up. */
static tarn_pool_options with_two_lives(tarn_pool_options options)
{
    options.handle_bits = 32;
    options.handle_index_bits = 10;
    options.handle_pool_bits = 20;
    return options;
}

static void a_victim_whose_slot_is_spent_is_no_room(void **state)
{
    (void)state;
    full_pool f;
    begin(&f, with_two_lives, true, true);
    assert_int_equal(kit_info(f.h.pool).lives_max, 2);
    f.h.searches = true;
    for (size_t i = 0; i < f.count; i++) { /* the first life of each */
        part *object = tarn_alloc(f.h.cache);
        assert_non_null(object);
        object->score = 1000;
    }
    assert_null(tarn_alloc(f.h.cache)); /* each victim's slot is retired, until none is left */
    tarn_pool_statistics statistics = kit_sample(f.h.pool);
    assert_int_equal(statistics.slots_retired, f.count);
    assert_int_equal(statistics.evictions, f.count);
    kit_expect_conserved(f.h.pool, 0);
    kit_destroy(f.h.pool);
}

static int leaks_reported;

static void count_leaks(void *context, const tarn_report *report)
{
    (void)context;
    assert_int_equal(report->misuse, TARN_MISUSE_LEAK);
    leaks_reported += (int)report->count;
}

static tarn_pool_options with_two_lives_and_checks(tarn_pool_options options)
{
    options = with_two_lives(options);
    options.checked = true;
    options.report = count_leaks;
    return options;
}

/* Of two objects one is pinned, and leaks; the other's slot is retired. */
static void a_victim_whose_slot_is_spent_is_no_leak(void **state)
{
    (void)state;
    full_pool f;
    leaks_reported = 0;
    begin(&f, with_two_lives_and_checks, true, true);
    f.h.searches = true;
    for (size_t i = 1; i < f.count; i++)
        ((part *)f.objects[i])->score = TARN_SCORE_PINNED;
    part *object = tarn_alloc(f.h.cache);
    assert_ptr_equal(object, f.objects[0]);
    object->score = 1;
    assert_null(tarn_alloc(f.h.cache));
    assert_int_equal(kit_sample(f.h.pool).slots_retired, 1);
    kit_expect_status(tarn_pool_destroy(f.h.pool), TARN_ERROR_LIVE_OBJECTS);
    assert_int_equal(leaks_reported, f.count - 1);
    kit_clear_and_destroy(f.h.pool);
}

static void the_host_may_make_room_its_own_way(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        full_pool f;
        begin(&f, NULL, false, kind & 1);
        f.h.allocates = true;
        f.h.attempts_max = 2;
        f.h.spare = f.objects[3];
        void *object = kind & 2 ? tarn_guest_alloc(f.h.pool) : tarn_alloc(f.h.cache);
        assert_ptr_equal(object, f.objects[3]);
        assert_int_equal(f.h.calls, 3);
        kit_expect_conserved(f.h.pool, f.count);
        kit_clear_and_destroy(f.h.pool);
    }
}

static bool never(void *context, tarn_pool *pool, uint32_t attempt)
{
    (void)pool;
    assert_int_equal(attempt, 0);
    ++*(int *)context;
    return false;
}

static void a_host_that_will_not_is_asked_once_in_raw_pools_too(void **state)
{
    (void)state;
    int asked = 0;
    tarn_pool_options options = {
        .object_bytes = 16, .capacity = 4, .caches_max = 1, .full = never, .full_context = &asked};
    tarn_pool *pool = kit_pool(&options);
    assert_false(kit_info(pool).handles);
    tarn_cache *cache = kit_attach(pool);
    size_t count = 0;
    void *objects[512];
    while (count < 512 && (objects[count] = tarn_alloc(cache)) != NULL)
        count++;
    assert_int_equal(asked, 1);
    assert_null(tarn_guest_alloc(pool));
    assert_int_equal(asked, 2);
    kit_expect_conserved(pool, count);
    kit_free_many(cache, objects, count);
    kit_destroy(pool);
}

static void functions_that_exclude_each_other_are_refused(void **state)
{
    (void)state;
    tarn_pool *pool;
    tarn_pool_options both = {.object_bytes = 8, .capacity = 4, .evict = evict, .full = make_room};
    kit_expect_status(tarn_pool_create(&both, &pool), TARN_ERROR_INVALID);
    assert_null(pool);
}

/* Under memory checkers that is not a matter of course. Red zones stay closed: see the matrix. */
static void what_a_score_looks_at_stays_readable_when_it_is_freed(void **state)
{
    (void)state;
    host h = {.searches = true};
    tarn_pool_options options = options_of(&h, true, false);
    options.checked = true;
    options.check = (tarn_check_options){.fill = true, .red_zone_bytes = 16};
    h.pool = kit_pool(&options);
    part *p = NULL;
    tarn_handle handle;
    kit_expect_status(tarn_guest_take(h.pool, &handle, (void **)&p), TARN_OK);
    p->score = 7;
    kit_expect_status(tarn_guest_release(h.pool, handle), TARN_OK);
    assert_int_equal(score_of(NULL, p), 7);
    kit_clear_and_destroy(h.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t67_the_lowest_score_makes_room),
        cmocka_unit_test(of_equal_scores_the_lowest_slot_goes),
        cmocka_unit_test(all_pinned_is_a_status_of_its_own),
        cmocka_unit_test(nothing_live_means_nobody_to_evict),
        cmocka_unit_test(t67_stale_and_foreign_victims_end_in_a_refusal),
        cmocka_unit_test(bulk_calls_and_reservations_do_not_evict),
        cmocka_unit_test(growth_comes_before_eviction),
        cmocka_unit_test(a_victim_whose_slot_is_spent_is_no_room),
        cmocka_unit_test(a_victim_whose_slot_is_spent_is_no_leak),
        cmocka_unit_test(the_host_may_make_room_its_own_way),
        cmocka_unit_test(a_host_that_will_not_is_asked_once_in_raw_pools_too),
        cmocka_unit_test(what_a_score_looks_at_stays_readable_when_it_is_freed),
        cmocka_unit_test(functions_that_exclude_each_other_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
