/* T78: a pool's whole life, in which the n-th memory call fails, for every n until none does; then
 * with all calls from the n-th on. After each step nothing is lost, and refusals say so. */
#include "support/kit.h"
#include "support/memory_hooks.h"

#define CAPACITY     200u
#define CAPACITY_MAX 6000u
#define BULK         1500u
#define FAULTS_MAX   200u /* more memory calls than a life makes */
#define OBJECTS_MAX  16000u

static memory_hooks hooks;
static void *objects[OBJECTS_MAX];

typedef struct life {
    tarn_pool *pool;
    tarn_cache *cache;
    size_t live; /* they are objects[0..live) */
    bool refused;
} life;

static void check(life *l)
{
    kit_expect_conserved(l->pool, l->live);
    assert_int_equal(kit_info(l->pool).committed_bytes, hooks.committed_bytes);
    assert_null(hooks.violation);
}

static void note(life *l, void *object)
{
    if (!object) {
        l->refused = true;
        assert_true(l->live >= kit_info(l->pool).capacity);
        return;
    }
    memset(object, 0x3C, 64); /* faults where it is not committed */
    assert_true(l->live < OBJECTS_MAX);
    objects[l->live++] = object;
}

static void take_by_cache(life *l)
{
    for (uint32_t i = 0; i < 2 * CAPACITY; i++)
        note(l, tarn_alloc(l->cache));
}

static void take_as_guest(life *l)
{
    for (uint32_t i = 0; i < 2 * CAPACITY; i++)
        note(l, tarn_guest_alloc(l->pool));
}

static void take_in_bulk(life *l)
{
    void **taken = kit_array(BULK);
    tarn_status status = tarn_alloc_bulk(l->cache, BULK, taken);
    assert_true(status == TARN_OK || status == TARN_ERROR_FULL);
    if (status == TARN_ERROR_FULL) {
        l->refused = true;
        assert_true(l->live + BULK > kit_info(l->pool).capacity);
    }
    for (uint32_t i = 0; i < BULK && status == TARN_OK; i++)
        note(l, taken[i]);
    free(taken);
}

static void take_reserved(life *l)
{
    tarn_status status = tarn_cache_reserve(l->cache, BULK);
    assert_true(status == TARN_OK || status == TARN_ERROR_FULL);
    check(l);
    if (status == TARN_ERROR_FULL) {
        l->refused = true;
        assert_true(l->live + BULK > kit_info(l->pool).capacity);
        return;
    }
    uint64_t failures = hooks.failures;
    for (uint32_t i = 0; i < BULK; i++) {
        void *object = tarn_alloc(l->cache);
        assert_non_null(object);
        note(l, object);
    }
    assert_int_equal(hooks.failures, failures); /* what is reserved needs no more memory */
}

static void give_half_back(life *l)
{
    size_t keep = l->live / 2;
    assert_int_equal(tarn_free_bulk(l->cache, l->live - keep, objects + keep), TARN_OK);
    l->live = keep;
}

static void change_cache(life *l)
{
    kit_detach(l->cache);
    check(l);
    l->cache = kit_attach(l->pool);
}

static void drop_all(life *l)
{
    kit_expect_status(tarn_pool_clear(l->pool), TARN_OK);
    l->live = 0;
}

typedef void step(life *l);

static void live(life *l)
{
    step *const steps[] = {take_by_cache, take_in_bulk,  give_half_back, take_as_guest,
                           take_reserved, change_cache,  take_in_bulk,   give_half_back,
                           drop_all,      take_by_cache, take_reserved,  drop_all};
    l->cache = kit_attach(l->pool);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        steps[i](l);
        check(l);
    }
    kit_destroy(l->pool);
}

/* Whether anything was refused. */
static bool live_with_faults(bool exact, uint64_t fail_at, uint64_t fail_from)
{
    memory_hooks_init(&hooks, 4096);
    hooks.fail_at = fail_at;
    hooks.fail_from = fail_from;
    life l = {0};
    tarn_pool_options options = {.object_bytes = 64,
                                 .capacity = CAPACITY,
                                 .capacity_max = CAPACITY_MAX,
                                 .grow_objects = 700,
                                 .caches_max = 2,
                                 .exact = exact,
                                 .memory = &hooks.memory};
    tarn_status status = tarn_pool_create(&options, &l.pool);
    if (status == TARN_OK)
        live(&l);
    else
        kit_expect_status(status, TARN_ERROR_NO_MEMORY);
    assert_true(memory_hooks_are_balanced(&hooks));
    bool failed = hooks.failures > 0;
    memory_hooks_destroy(&hooks);
    /* One fault in a growth refuses one call; without a fault this life is never refused. */
    assert_int_equal(failed, l.refused || status != TARN_OK);
    return failed;
}

static void t78_a_life_goes_on_whichever_memory_call_fails(void **state)
{
    (void)state;
    for (int exact = 0; exact < 2; exact++) {
        uint64_t n = 1;
        while (n < FAULTS_MAX && live_with_faults(exact, n, 0))
            n++;
        assert_in_range(n, 12, FAULTS_MAX - 1); /* the creation's calls, and several growths' */
    }
}

static void t78_a_life_goes_on_when_memory_runs_out_for_good(void **state)
{
    (void)state;
    for (int exact = 0; exact < 2; exact++) {
        uint64_t n = 1;
        while (n < FAULTS_MAX && live_with_faults(exact, 0, n))
            n++;
        assert_in_range(n, 12, FAULTS_MAX - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t78_a_life_goes_on_whichever_memory_call_fails),
        cmocka_unit_test(t78_a_life_goes_on_when_memory_runs_out_for_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
