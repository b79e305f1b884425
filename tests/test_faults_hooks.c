/* T47: a pool's whole life, in which the n-th construct fails, for every n until none does. The
 * call says so, nothing is lost, and the next attempt goes on. */
#include "support/kit.h"

#define CAPACITY     60u
#define CAPACITY_MAX 150u
#define BULK         23u
#define OBJECTS_MAX  1024u

typedef struct part {
    uint64_t built;
} part;

typedef struct life {
    tarn_pool *pool;
    tarn_cache *cache;
    uint64_t constructs, fail_at, destroys;
    uint64_t failures; /* TARN_ERROR_CONSTRUCT that was seen */
    size_t live;       /* they are objects[0..live) */
    void *objects[OBJECTS_MAX];
    uint64_t evictions, taken;
    size_t seen; /* objects that were live when construct failed */
} life;

static bool visit(void *context, void *object, tarn_handle handle)
{
    (void)context;
    (void)handle;
    assert_int_equal(((part *)object)->built, 1);
    return true;
}

static bool construct(void *context, void *object)
{
    life *l = context;
    part *p = object;
    assert_int_equal(p->built, 0);
    bool fails = ++l->constructs == l->fail_at;
    if (fails)
        l->seen = tarn_each(l->pool, visit, NULL);
    p->built = !fails;
    return !fails;
}

static void destroy(void *context, void *object)
{
    assert_int_equal(((part *)object)->built--, 1);
    ((life *)context)->destroys++;
}

/* The oldest goes, and is forgotten here. */
static tarn_handle evict(void *context, tarn_pool *pool)
{
    life *l = context;
    if (l->live == 0)
        return (tarn_handle){0};
    tarn_handle victim = tarn_handle_of(pool, l->objects[0]);
    l->objects[0] = l->objects[--l->live];
    l->evictions++;
    return victim;
}

static void check(life *l)
{
    kit_expect_conserved(l->pool, l->live);
    assert_int_equal(kit_sample(l->pool).constructs_refused, l->failures);
    assert_int_equal(kit_sample(l->pool).allocs, l->taken); /* what failed never was */
    assert_int_equal(kit_sample(l->pool).evictions, l->evictions);
    assert_int_equal(l->failures, l->fail_at > 0 && l->constructs >= l->fail_at);
}

static void note(life *l, void *object)
{
    assert_non_null(object);
    assert_int_equal(((part *)object)->built, 1);
    assert_true(l->live < OBJECTS_MAX);
    l->objects[l->live++] = object;
    l->taken++;
}

static void note_status(life *l, tarn_status status, void *object)
{
    if (status == TARN_OK) {
        note(l, object);
        return;
    }
    kit_expect_status(status, TARN_ERROR_CONSTRUCT);
    assert_null(object);
    l->failures++;
    check(l);
}

static void take_by_cache(life *l)
{
    for (uint32_t i = 0; i < CAPACITY / 2; i++) {
        tarn_handle handle = {1};
        void *object = l;
        tarn_status status = tarn_take(l->cache, &handle, &object);
        note_status(l, status, object);
        assert_int_equal(tarn_handle_is_none(handle), status != TARN_OK);
    }
}

static void take_as_guest(life *l)
{
    for (uint32_t i = 0; i < CAPACITY / 2; i++) {
        tarn_handle handle = {1};
        void *object = l;
        tarn_status status = tarn_guest_take(l->pool, &handle, &object);
        note_status(l, status, object);
        assert_int_equal(tarn_handle_is_none(handle), status != TARN_OK);
    }
}

/* Calls that answer no status: the figure tells why. */
static void note_object(life *l, void *object)
{
    if (object) {
        note(l, object);
        return;
    }
    l->failures++;
    check(l);
}

static void alloc(life *l)
{
    for (uint32_t i = 0; i < CAPACITY / 4; i++) {
        note_object(l, tarn_alloc(l->cache));
        note_object(l, tarn_guest_alloc(l->pool));
    }
}

static void alloc_in_bulk(life *l)
{
    void *objects[BULK];
    for (uint32_t i = 0; i < BULK; i++)
        objects[i] = l;
    tarn_status status = tarn_alloc_bulk(l->cache, BULK, objects);
    if (status == TARN_ERROR_FULL) { /* bulk calls do not evict */
        assert_true(l->live + BULK > CAPACITY_MAX);
        return;
    }
    if (status != TARN_OK) {
        assert_int_equal(l->seen, l->live); /* none of them had begun, that others could end */
        for (uint32_t i = 1; i < BULK; i++)
            assert_null(objects[i]);
        note_status(l, status, objects[0]);
        return;
    }
    for (uint32_t i = 0; i < BULK; i++)
        note(l, objects[i]);
}

/* Whatever construct does, so many can be had in the end, singly or together. */
static void take_reserved(life *l)
{
    kit_expect_status(tarn_cache_reserve(l->cache, 2 * BULK), TARN_OK);
    check(l);
    size_t live = l->live;
    alloc_in_bulk(l);
    while (l->live < live + 2 * BULK) {
        uint64_t evictions = l->evictions;
        note_object(l, tarn_alloc(l->cache));
        assert_int_equal(l->evictions, evictions);
    }
}

static void give_half_back(life *l)
{
    size_t keep = l->live / 2;
    kit_expect_status(tarn_free_bulk(l->cache, l->live - keep, l->objects + keep), TARN_OK);
    l->live = keep;
}

static void fill_and_evict(life *l)
{
    uint64_t evictions = l->evictions;
    while (l->evictions < evictions + 5)
        take_by_cache(l);
}

static void change_cache(life *l)
{
    kit_detach(l->cache);
    check(l);
    l->cache = kit_attach(l->pool);
}

static void prepare(life *l)
{
    tarn_status status = tarn_pool_prepare(l->pool, 10, SIZE_MAX, NULL);
    if (status == TARN_ERROR_CONSTRUCT)
        l->failures++;
    else
        assert_true(status == TARN_OK || status == TARN_ERROR_FULL);
}

static void drop_all(life *l)
{
    kit_expect_status(tarn_pool_clear(l->pool), TARN_OK);
    l->live = 0;
}

typedef void step(life *l);

static void live(life *l)
{
    step *const steps[] = {take_by_cache,  alloc_in_bulk, give_half_back, take_as_guest,
                           change_cache,   prepare,       take_reserved,  drop_all,
                           alloc,          alloc_in_bulk, give_half_back, take_reserved,
                           fill_and_evict, drop_all,      take_reserved,  drop_all};
    l->cache = kit_attach(l->pool);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        steps[i](l);
        check(l);
    }
    kit_destroy(l->pool);
}

typedef struct kind {
    bool exact, checked;
    uint32_t caches_max; /* with 1, guests have none */
} kind;

/* Whether a construct failed. */
static bool live_with_fault(kind k, uint64_t fail_at)
{
    static life l;
    memset(&l, 0, sizeof l);
    l.fail_at = fail_at;
    tarn_pool_options options = {.object_bytes = sizeof(part),
                                 .capacity = CAPACITY,
                                 .capacity_max = CAPACITY_MAX,
                                 .grow_objects = 40,
                                 .caches_max = k.caches_max,
                                 .cache_objects_max = 16,
                                 .exact = k.exact,
                                 .checked = k.checked,
                                 .check = {.quarantine_objects = k.checked ? 5 : 0},
                                 .hooks = {&l, construct, NULL, destroy, false},
                                 .evict = evict,
                                 .evict_context = &l};
    l.pool = kit_pool(&options);
    live(&l);
    assert_int_equal(l.destroys, l.constructs - l.failures);
    return l.failures > 0;
}

static void fail_each(kind k)
{
    uint64_t n = 1;
    while (live_with_fault(k, n))
        n++;
    assert_in_range(n, CAPACITY_MAX, OBJECTS_MAX); /* each object's construct failed once */
}

static void t47_a_life_goes_on_whichever_construct_fails(void **state)
{
    (void)state;
    for (uint32_t caches_max = 1; caches_max <= 2; caches_max++)
        fail_each((kind){.caches_max = caches_max});
}

static void t47_the_same_in_an_exact_pool(void **state)
{
    (void)state;
    fail_each((kind){.exact = true, .caches_max = 1});
}

static void t47_the_same_in_checked_pools(void **state)
{
    (void)state;
    for (uint32_t caches_max = 1; caches_max <= 2; caches_max++)
        fail_each((kind){.checked = true, .caches_max = caches_max});
    fail_each((kind){.exact = true, .checked = true, .caches_max = 1});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t47_a_life_goes_on_whichever_construct_fails),
        cmocka_unit_test(t47_the_same_in_an_exact_pool),
        cmocka_unit_test(t47_the_same_in_checked_pools),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
