/* Pools of one type: the same calls without casts. */
#include "support/kit.h"

typedef struct spark {
    double heat;
    int colour;
} spark;

typedef struct ember {
    _Alignas(64) char glow;
} ember;

TARN_POOL_DEFINE(sparks, spark);
TARN_POOL_DEFINE(embers, ember);

static tarn_pool *spark_pool(size_t capacity)
{
    tarn_pool_options options = sparks_options(capacity);
    options.handles = true;
    return kit_pool(&options);
}

static void options_carry_name_size_and_alignment(void **state)
{
    (void)state;
    tarn_pool_options of_sparks = sparks_options(10), of_embers = embers_options(20);
    assert_string_equal(of_sparks.name, "sparks");
    assert_int_equal(of_sparks.object_bytes, sizeof(spark));
    assert_int_equal(of_sparks.object_alignment, _Alignof(spark));
    assert_int_equal(of_sparks.capacity, 10);
    assert_int_equal(of_embers.object_alignment, 64);
    assert_int_equal(of_embers.capacity, 20);
    assert_false(of_embers.handles);
}

static void objects_come_and_go_by_pointer(void **state)
{
    (void)state;
    tarn_pool *pool = spark_pool(10);
    tarn_cache *cache = kit_attach(pool);
    spark *mine = sparks_alloc(cache), *guests = sparks_guest_alloc(pool);
    assert_non_null(mine);
    assert_non_null(guests);
    assert_ptr_not_equal(mine, guests);
    kit_expect_conserved(pool, 2);
    sparks_free(cache, mine);
    sparks_guest_free(pool, guests);
    kit_expect_conserved(pool, 0);
    kit_destroy(pool);
}

static void objects_come_and_go_by_handle(void **state)
{
    (void)state;
    tarn_pool *pool = spark_pool(10);
    tarn_cache *cache = kit_attach(pool);
    sparks_handle handle = {{0}};
    spark *s = sparks_take(cache, &handle);
    assert_non_null(s);
    assert_ptr_equal(sparks_resolve(pool, handle), s);
    assert_true(tarn_handle_equal(sparks_handle_of(pool, s).any, handle.any));
    kit_expect_status(sparks_release(cache, handle), TARN_OK);
    assert_null(sparks_resolve(pool, handle));
    kit_expect_status(sparks_release(cache, handle), TARN_ERROR_STALE);
    assert_null(sparks_take(cache, NULL));
    kit_destroy(pool);
}

/* Adds up what it sees, and stops after `visits_left`. */
typedef struct tally {
    const tarn_pool *pool;
    double heat;
    int visits_left;
    bool names_match;
} tally;

static bool add(void *context, spark *s, sparks_handle handle)
{
    tally *t = context;
    t->heat += s->heat;
    t->names_match = t->names_match && sparks_resolve(t->pool, handle) == s;
    return --t->visits_left > 0;
}

static void visitors_get_typed_objects(void **state)
{
    (void)state;
    tarn_pool *pool = spark_pool(20);
    tarn_cache *cache = kit_attach(pool);
    for (int i = 0; i < 20; i++)
        *sparks_alloc(cache) = (spark){.heat = 1 << i};
    tally all = {pool, 0, 100, true}, three = {pool, 0, 3, true}, part = {pool, 0, 100, true};
    assert_int_equal(sparks_each(pool, add, &all), 20);
    assert_true(all.heat == (1 << 20) - 1);
    assert_true(all.names_match);
    assert_int_equal(sparks_each(pool, add, &three), 3);
    size_t visited = 0;
    for (size_t i = 0; i < 4; i++)
        visited += sparks_each_in(pool, tarn_each_part(tarn_each_slots(pool), i, 4), add, &part);
    assert_int_equal(visited, 20);
    assert_true(part.heat == all.heat);
    assert_int_equal(sparks_each(pool, NULL, NULL), 0);
    kit_clear_and_destroy(pool);
}

static void guests_take_and_release(void **state)
{
    (void)state;
    tarn_pool *pool = spark_pool(10);
    sparks_handle handle = {{0}};
    spark *s = sparks_guest_take(pool, &handle);
    assert_non_null(s);
    assert_ptr_equal(sparks_resolve(pool, handle), s);
    kit_expect_status(sparks_guest_release(pool, handle), TARN_OK);
    kit_expect_status(sparks_guest_release(pool, handle), TARN_ERROR_STALE);
    assert_null(sparks_guest_take(pool, NULL));
    kit_expect_conserved(pool, 0);
    kit_destroy(pool);
}

/* The heat that the context asks for is pinned. */
static int64_t score_heat(void *context, const spark *s)
{
    const double *pinned = context;
    return s->heat == *pinned ? TARN_SCORE_PINNED : (int64_t)s->heat;
}

static void scores_get_typed_objects(void **state)
{
    (void)state;
    tarn_pool *pool = spark_pool(5);
    double pinned = 1, nobody = 0;
    spark *sparks[5];
    for (int i = 0; i < 5; i++) {
        sparks[i] = sparks_guest_alloc(pool);
        sparks[i]->heat = 5 - i;
    }
    assert_ptr_equal(sparks_resolve(pool, sparks_evict_lowest(pool, score_heat, &nobody)),
                     sparks[4]);
    assert_ptr_equal(sparks_resolve(pool, sparks_evict_lowest(pool, score_heat, &pinned)),
                     sparks[3]);
    assert_true(tarn_handle_is_none(sparks_evict_lowest(pool, NULL, NULL).any));
    kit_clear_and_destroy(pool);
}

typedef struct census {
    int constructed, reset, destroyed;
} census;

static bool light(void *context, spark *s)
{
    census *c = context;
    s->colour = ++c->constructed;
    return true;
}
static void rekindle(void *context, spark *s)
{
    census *c = context;
    s->heat = ++c->reset;
}
static void quench(void *context, spark *s)
{
    census *c = context;
    c->destroyed += s->colour;
}

static void hooks_get_typed_objects_and_their_context(void **state)
{
    (void)state;
    census c = {0};
    sparks_hooks hooks = {&c, light, rekindle, quench, true};
    tarn_pool_options options = sparks_options(1);
    options.exact = true;
    sparks_set_hooks(&options, &hooks);
    assert_true(options.hooks.reset_on_return);
    tarn_pool *pool = kit_pool(&options);
    spark *s = sparks_guest_alloc(pool);
    assert_non_null(s);
    assert_int_equal(s->colour, 1);
    sparks_guest_free(pool, s);
    assert_ptr_equal(sparks_guest_alloc(pool), s);
    assert_true(s->heat == 1);
    sparks_guest_free(pool, s);
    kit_destroy(pool);
    assert_int_equal(c.constructed, 1);
    assert_int_equal(c.reset, 2);
    assert_int_equal(c.destroyed, 1);
}

static void hooks_that_are_null_stay_null(void **state)
{
    (void)state;
    sparks_hooks hooks = {.reset = rekindle};
    tarn_pool_options options = sparks_options(1);
    sparks_set_hooks(&options, &hooks);
    assert_true(options.hooks.construct == NULL && options.hooks.destroy == NULL);
    assert_true(options.hooks.reset != NULL);
    assert_false(options.hooks.reset_on_return);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_carry_name_size_and_alignment),
        cmocka_unit_test(objects_come_and_go_by_pointer),
        cmocka_unit_test(objects_come_and_go_by_handle),
        cmocka_unit_test(visitors_get_typed_objects),
        cmocka_unit_test(guests_take_and_release),
        cmocka_unit_test(scores_get_typed_objects),
        cmocka_unit_test(hooks_get_typed_objects_and_their_context),
        cmocka_unit_test(hooks_that_are_null_stay_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
