/* Empty magazines stay with the cache that emptied them, up to a bound, and none is ever lost. */
#include "support/check.h"

#include "pool/empties.h"
#include "tarn/tarn.h"

#include <string.h>

#define MAGAZINES 100u
#define KEPT_MAX  TARN_CACHE_EMPTIES_MAX

typedef struct fixture {
    tarn_pool *pool;
    tarn_cache *cache;
    tarn_cache_state *state;
} fixture;

static fixture start(void)
{
    tarn_pool_options options = {
        .object_bytes = 8, .capacity = 1000, .caches_max = 1, .cache_objects_max = 4};
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

static uint32_t carve(const fixture *f)
{
    return tarn_magazine_carve(&f->pool->depot.magazines);
}

/* Takes all empty magazines of the depot, and marks each that was not there before. */
static uint32_t take_from_depot(const fixture *f, bool *seen)
{
    tarn_depot *depot = &f->pool->depot;
    uint32_t count = 0;
    while (tarn_stack_top(&depot->shards[0].empty, &depot->magazines.links) != TARN_INDEX_NONE) {
        uint32_t chain[TARN_CHAIN_MAGAZINES_MAX];
        uint32_t length = tarn_depot_take_empty(depot, 0, chain);
        for (uint32_t i = 0; i < length; i++) {
            count += !seen[chain[i]];
            seen[chain[i]] = true;
        }
    }
    return count;
}

static void a_cache_keeps_no_more_than_its_bound_and_passes_on_the_others(void **state)
{
    (void)state;
    fixture f = start();
    for (uint32_t put = 1; put <= MAGAZINES; put++) {
        tarn_empties_put_(f.state, carve(&f));
        assert_true(f.state->empty_count <= KEPT_MAX);
        assert_true(put > KEPT_MAX || f.state->empty_count == put);
    }
    bool seen[MAGAZINES + 1] = {false};
    uint32_t passed_on = take_from_depot(&f, seen);
    assert_int_equal(passed_on, MAGAZINES - f.state->empty_count);
    end(&f);
}

static void a_flush_gives_back_each_whatever_their_number(void **state)
{
    (void)state;
    for (uint32_t number = 0; number <= KEPT_MAX; number++) {
        fixture f = start();
        for (uint32_t i = 0; i < number; i++)
            tarn_empties_put_(f.state, carve(&f));
        tarn_empties_flush_(f.state);
        assert_int_equal(f.state->empty_count, 0);
        bool seen[MAGAZINES + 1] = {false};
        assert_int_equal(take_from_depot(&f, seen), number);
        end(&f);
    }
}

static void what_was_put_is_taken_again_before_the_depot_is_asked(void **state)
{
    (void)state;
    fixture f = start();
    tarn_depot_put_empty(&f.pool->depot, 0, (uint32_t[]){carve(&f), carve(&f), carve(&f)}, 3);
    tarn_empties_put_(f.state, 40);
    assert_int_equal(tarn_empties_take_(f.state), 40);
    bool seen[MAGAZINES + 1] = {false};
    for (uint32_t i = 0; i < 3; i++) /* one chain at a time, kept */
        seen[tarn_empties_take_(f.state)] = true;
    assert_true(seen[1] && seen[2] && seen[3]);
    assert_int_equal(f.state->empty_count, 0);
    assert_int_equal(tarn_empties_take_(f.state), 4); /* never used before */
    end(&f);
}

/* What the calls of the cache itself leave: every magazine that was carved lies in the depot. */
static void detach_gives_back_every_magazine(void **state)
{
    (void)state;
    static void *objects[1000];
    fixture f = start();
    for (uint32_t count = 1; count <= 1000; count += count < 80 ? 1 : 115) {
        for (uint32_t i = 0; i < count; i++)
            assert_non_null(objects[i] = tarn_alloc(f.cache));
        for (uint32_t i = 0; i < count; i++)
            tarn_free(f.cache, objects[i]);
        for (uint32_t i = 0; i < count; i++)
            assert_non_null(objects[i] = tarn_alloc(f.cache));
        uint32_t carved = tarn_u32_load_relaxed(&f.pool->depot.magazines.carved);
        uint32_t full = 0;
        uint32_t chain[TARN_CHAIN_MAGAZINES_MAX];
        assert_int_equal(tarn_cache_detach(f.cache), TARN_OK);
        for (uint32_t length; (length = tarn_depot_take_full(&f.pool->depot, 0, chain)) > 0;)
            full += length;
        bool seen[1000 + MAGAZINES] = {false};
        assert_int_equal(full + take_from_depot(&f, seen), carved);
        assert_int_equal(tarn_pool_clear(f.pool), TARN_OK);
        assert_int_equal(tarn_cache_attach(f.pool, &f.cache), TARN_OK);
    }
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cache_keeps_no_more_than_its_bound_and_passes_on_the_others),
        cmocka_unit_test(a_flush_gives_back_each_whatever_their_number),
        cmocka_unit_test(what_was_put_is_taken_again_before_the_depot_is_asked),
        cmocka_unit_test(detach_gives_back_every_magazine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
