/* A cache's shelf keeps to its bound, passes magazines on in chains, and loses none: not to the
 * depot, not to thieves, not ahead of its own use. */
#include "support/check.h"

#include "pool/shelf.h"
#include "tarn/tarn.h"

#include <string.h>

#define SHELF_MAGAZINES 5u /* of one object each, for a bound of 7 */
#define CHAIN_MAGAZINES 2u

typedef struct fixture {
    tarn_pool *pool;
    tarn_cache *cache;
    tarn_cache_state *state;
} fixture;

static fixture start(uint32_t bound)
{
    tarn_pool_options options = {
        .object_bytes = 8, .capacity = 1000, .caches_max = 1, .cache_objects_max = bound};
    fixture f;
    assert_int_equal(tarn_pool_create(&options, &f.pool), TARN_OK);
    assert_int_equal(tarn_cache_attach(f.pool, &f.cache), TARN_OK);
    f.state = &f.pool->caches[0];
    return f;
}

static void end(const fixture *f)
{
    assert_int_equal(tarn_pool_clear(f->pool), TARN_OK);
    assert_int_equal(tarn_pool_destroy(f->pool), TARN_OK);
}

/* A magazine that lists one object, as full ones do. */
static uint32_t full_magazine(const fixture *f)
{
    tarn_magazines *magazines = &f->pool->depot.magazines;
    uint32_t magazine = tarn_magazine_carve(magazines);
    tarn_magazine_objects(magazines, magazine)[0] = f->pool->slots;
    return magazine;
}

/* Three magazines as they come from the depot. Returns the first. */
static uint32_t put_foreign(const fixture *f)
{
    uint32_t foreign[3] = {full_magazine(f), full_magazine(f), full_magazine(f)};
    tarn_chain_write(&f->pool->depot.magazines,
                     (uint32_t[]){full_magazine(f), foreign[0], foreign[1], foreign[2]}, 4);
    tarn_shelf_put_foreign_(f->state, foreign, 3);
    return foreign[0];
}

static uint32_t take(const fixture *f)
{
    bool is_foreign = false;
    return tarn_shelf_take_(f->state, &is_foreign);
}

static void magazines_come_back_newest_first(void **state)
{
    (void)state;
    fixture f = start(7);
    uint32_t magazines[SHELF_MAGAZINES];
    for (uint32_t i = 0; i < SHELF_MAGAZINES; i++)
        tarn_shelf_put_(f.state, magazines[i] = full_magazine(&f));
    assert_int_equal(tarn_shelf_count_(f.state), SHELF_MAGAZINES);
    for (uint32_t i = SHELF_MAGAZINES; i-- > 0;)
        assert_int_equal(take(&f), magazines[i]);
    assert_int_equal(take(&f), TARN_INDEX_NONE);
    assert_int_equal(tarn_shelf_count_(f.state), 0);
    end(&f);
}

static void one_too_many_sends_a_chain_of_the_newest_to_the_depot(void **state)
{
    (void)state;
    fixture f = start(7);
    uint32_t magazines[SHELF_MAGAZINES + 1];
    for (uint32_t i = 0; i <= SHELF_MAGAZINES; i++)
        tarn_shelf_put_(f.state, magazines[i] = full_magazine(&f));
    assert_int_equal(tarn_shelf_count_(f.state), SHELF_MAGAZINES - CHAIN_MAGAZINES + 1);
    uint32_t chain[TARN_CHAIN_MAGAZINES_MAX];
    assert_int_equal(tarn_depot_take_full(&f.pool->depot, 0, chain), CHAIN_MAGAZINES);
    assert_int_equal(chain[0], magazines[SHELF_MAGAZINES - 1]);
    assert_int_equal(chain[1], magazines[SHELF_MAGAZINES - 2]);
    assert_int_equal(take(&f), magazines[SHELF_MAGAZINES]);
    end(&f);
}

static void a_cache_without_a_shelf_sends_each_magazine_on(void **state)
{
    (void)state;
    fixture f = start(2);
    uint32_t magazine = full_magazine(&f);
    tarn_shelf_put_(f.state, magazine);
    assert_int_equal(tarn_shelf_count_(f.state), 0);
    uint32_t chain[TARN_CHAIN_MAGAZINES_MAX];
    assert_int_equal(tarn_depot_take_full(&f.pool->depot, 0, chain), 1);
    assert_int_equal(chain[0], magazine);
    end(&f);
}

static void foreign_magazines_are_taken_in_their_order_and_told_apart(void **state)
{
    (void)state;
    fixture f = start(7);
    uint32_t first = put_foreign(&f);
    assert_int_equal(tarn_shelf_count_(f.state), 3);
    bool is_foreign = false;
    for (uint32_t i = 0; i < 3; i++) {
        is_foreign = false;
        assert_int_equal(tarn_shelf_take_(f.state, &is_foreign), first + i);
        assert_true(is_foreign);
    }
    tarn_shelf_put_(f.state, first);
    assert_int_equal(tarn_shelf_take_(f.state, &is_foreign), first);
    assert_false(is_foreign);
    end(&f);
}

static void a_flush_sends_everything_to_the_depot(void **state)
{
    (void)state;
    fixture f = start(7);
    put_foreign(&f);
    tarn_shelf_flush_(f.state);
    assert_int_equal(tarn_shelf_count_(f.state), 0);
    uint32_t chain[TARN_CHAIN_MAGAZINES_MAX];
    uint32_t sent = 0;
    for (uint32_t length; (length = tarn_depot_take_full(&f.pool->depot, 0, chain)) > 0;)
        sent += length;
    assert_int_equal(sent, 3);
    end(&f);
}

static void clear_forgets_the_shelf(void **state)
{
    (void)state;
    fixture f = start(7);
    put_foreign(&f);
    assert_int_equal(tarn_pool_clear(f.pool), TARN_OK);
    assert_int_equal(tarn_shelf_count_(f.state), 0);
    assert_int_equal(take(&f), TARN_INDEX_NONE);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(magazines_come_back_newest_first),
        cmocka_unit_test(one_too_many_sends_a_chain_of_the_newest_to_the_depot),
        cmocka_unit_test(a_cache_without_a_shelf_sends_each_magazine_on),
        cmocka_unit_test(foreign_magazines_are_taken_in_their_order_and_told_apart),
        cmocka_unit_test(a_flush_sends_everything_to_the_depot),
        cmocka_unit_test(clear_forgets_the_shelf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
