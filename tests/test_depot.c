/* Chains go in and come out whole; the depot is called dry only when it is; clear forgets all. */
#include "support/check.h"
#include "support/interleave.h"

#include "depot/depot.h"

#include <string.h>

#define MAGAZINES 40u
#define SLOTS     4u

typedef struct fixture {
    tarn_depot depot;
    tarn_magazine headers[MAGAZINES + 1];
    tarn_u32 slot_links[SLOTS + 1];
    void *objects[MAGAZINES + 1];
    uint32_t first_point, second_point;
    void (*first_act)(struct fixture *f);
    void (*second_act)(struct fixture *f);
    bool is_dry;
    uint32_t taken[TARN_CHAIN_MAGAZINES_MAX], taken_count;
} fixture;

static fixture *start(uint32_t magazines)
{
    static fixture f;
    memset(&f, 0, sizeof f);
    tarn_magazines_init(&f.depot.magazines, f.headers, f.objects, 1, magazines);
    f.depot.shard_count = 1;
    tarn_links_init(&f.depot.slots, f.slot_links, sizeof f.slot_links[0], SLOTS);
    return &f;
}

static void push_loose(fixture *f, uint32_t index)
{
    tarn_stack_push(&f->depot.loose, &f->depot.slots, index);
}

typedef void put_function(tarn_depot *depot, uint32_t shard, const uint32_t *magazines,
                          uint32_t count);
typedef uint32_t take_function(tarn_depot *depot, uint32_t shard, uint32_t *magazines);

/* Puts chains of sizes 1, 2, ... on top of each other, then takes them. */
static void check_chains_of_every_size(put_function *put, take_function *take)
{
    static uint32_t members[TARN_CHAIN_MAGAZINES_MAX * (TARN_CHAIN_MAGAZINES_MAX + 1) / 2];
    fixture *f = start(MAGAZINES);
    for (uint32_t first = 1; first <= TARN_CHAIN_MAGAZINES_MAX; first++) {
        uint32_t sizes[] = {first, TARN_CHAIN_MAGAZINES_MAX + 1 - first};
        for (uint32_t i = 0; i < MAGAZINES; i++)
            members[i] = i * 7 % MAGAZINES + 1; /* each index once, not in order */
        put(&f->depot, 0, members, sizes[0]);
        put(&f->depot, 0, members + sizes[0], sizes[1]);
        for (uint32_t i = 2; i-- > 0;) {
            uint32_t taken[TARN_CHAIN_MAGAZINES_MAX];
            assert_int_equal(take(&f->depot, 0, taken), sizes[i]);
            assert_memory_equal(taken, members + (i ? sizes[0] : 0), sizes[i] * sizeof taken[0]);
        }
    }
}

static void full_chains_of_every_size_come_out_as_they_went_in(void **state)
{
    (void)state;
    check_chains_of_every_size(tarn_depot_put_full, tarn_depot_take_full);
}

static void empty_chains_of_every_size_come_out_as_they_went_in(void **state)
{
    (void)state;
    check_chains_of_every_size(tarn_depot_put_empty, tarn_depot_take_empty);
}

static void full_and_empty_magazines_do_not_mix(void **state)
{
    (void)state;
    fixture *f = start(MAGAZINES);
    uint32_t taken[TARN_CHAIN_MAGAZINES_MAX];
    tarn_depot_put_empty(&f->depot, 0, (uint32_t[]){3}, 1);
    assert_int_equal(tarn_depot_take_full(&f->depot, 0, taken), 0);
    tarn_depot_put_full(&f->depot, 0, (uint32_t[]){4}, 1);
    assert_int_equal(tarn_depot_take_empty(&f->depot, 0, taken), 1);
    assert_int_equal(taken[0], 3);
    assert_int_equal(tarn_depot_take_full(&f->depot, 0, taken), 1);
    assert_int_equal(taken[0], 4);
}

static void take_empty_carves_only_when_no_magazine_was_given_back(void **state)
{
    (void)state;
    fixture *f = start(MAGAZINES);
    uint32_t taken[TARN_CHAIN_MAGAZINES_MAX];
    assert_int_equal(tarn_depot_take_empty(&f->depot, 0, taken), 1);
    assert_int_equal(taken[0], 1);
    tarn_depot_put_empty(&f->depot, 0, taken, 1);
    assert_int_equal(tarn_depot_take_empty(&f->depot, 0, taken), 1);
    assert_int_equal(taken[0], 1);
    assert_int_equal(tarn_depot_take_empty(&f->depot, 0, taken), 1);
    assert_int_equal(taken[0], 2);
}

static void take_empty_with_all_carved_takes_what_was_given_back(void **state)
{
    (void)state;
    fixture *f = start(2);
    uint32_t taken[TARN_CHAIN_MAGAZINES_MAX];
    tarn_depot_take_empty(&f->depot, 0, taken);
    tarn_depot_take_empty(&f->depot, 0, taken);
    tarn_depot_put_empty(&f->depot, 0, (uint32_t[]){2, 1}, 2);
    assert_int_equal(tarn_depot_take_empty(&f->depot, 0, taken), 2);
    assert_int_equal(taken[0], 2);
    assert_int_equal(taken[1], 1);
}

/* ---- step by step ---- */

static void other(void *context, uint32_t point)
{
    fixture *f = context;
    if (point == f->first_point)
        f->first_act(f);
    if (point == f->second_point)
        f->second_act(f);
}

static void subject_takes_empty(void *context)
{
    fixture *f = context;
    f->taken_count = tarn_depot_take_empty(&f->depot, 0, f->taken);
}

static void give_magazine_1(fixture *f)
{
    tarn_depot_put_empty(&f->depot, 0, (uint32_t[]){1}, 1);
}

static void take_empty_with_all_carved_waits_for_the_one_that_is_on_its_way(void **state)
{
    (void)state;
    for (uint32_t point = 1; point <= 20; point++) {
        fixture *f = start(1);
        assert_int_equal(tarn_depot_take_empty(&f->depot, 0, f->taken), 1);
        f->first_point = point;
        f->first_act = give_magazine_1;
        uint32_t made = interleave(subject_takes_empty, other, f);
        assert_true(made >= point);
        assert_int_equal(f->taken_count, 1);
        assert_int_equal(f->taken[0], 1);
    }
}

static void subject_asks_if_dry(void *context)
{
    fixture *f = context;
    f->is_dry = tarn_depot_is_dry(&f->depot);
}

static void loose_to_full(fixture *f)
{
    assert_int_equal(tarn_stack_pop(&f->depot.loose, &f->depot.slots), 1);
    tarn_depot_put_full(&f->depot, 0, (uint32_t[]){1}, 1);
}

static void full_to_loose(fixture *f)
{
    uint32_t taken[TARN_CHAIN_MAGAZINES_MAX];
    assert_int_equal(tarn_depot_take_full(&f->depot, 0, taken), 1);
    push_loose(f, 1);
}

static void pop_from_nothing(fixture *f)
{
    uint32_t taken[TARN_CHAIN_MAGAZINES_MAX];
    assert_int_equal(tarn_stack_pop(&f->depot.loose, &f->depot.slots), TARN_INDEX_NONE);
    assert_int_equal(tarn_depot_take_full(&f->depot, 0, taken), 0);
}

#define DRY_POINTS 3u

static void a_depot_with_anything_in_it_is_not_dry(void **state)
{
    (void)state;
    fixture *f = start(MAGAZINES);
    assert_true(tarn_depot_is_dry(&f->depot));
    push_loose(f, 1);
    assert_false(tarn_depot_is_dry(&f->depot));
    loose_to_full(f);
    assert_false(tarn_depot_is_dry(&f->depot));
    uint32_t taken[TARN_CHAIN_MAGAZINES_MAX];
    tarn_depot_take_full(&f->depot, 0, taken);
    assert_true(tarn_depot_is_dry(&f->depot));
    give_magazine_1(f); /* an empty magazine holds nothing */
    assert_true(tarn_depot_is_dry(&f->depot));
}

static void a_slot_on_its_way_between_the_looks_is_not_overlooked(void **state)
{
    (void)state;
    for (uint32_t point = 1; point <= DRY_POINTS; point++) {
        fixture *f = start(MAGAZINES);
        push_loose(f, 1);
        f->first_point = point;
        f->first_act = loose_to_full;
        interleave(subject_asks_if_dry, other, f);
        check_that(!f->is_dry, "loose to full at point %u", point);

        f = start(MAGAZINES);
        tarn_depot_put_full(&f->depot, 0, (uint32_t[]){1}, 1);
        f->first_point = point;
        f->first_act = full_to_loose;
        interleave(subject_asks_if_dry, other, f);
        check_that(!f->is_dry, "full to loose at point %u", point);
    }
}

/* ---- shards ---- */

#define SHARDS 3u

static fixture *start_sharded(void)
{
    fixture *f = start(MAGAZINES);
    f->depot.shard_count = SHARDS;
    return f;
}

static void t11_what_lies_in_any_shard_is_found_from_any(void **state)
{
    (void)state;
    for (uint32_t from = 0; from < SHARDS; from++)
        for (uint32_t to = 0; to < SHARDS; to++) {
            fixture *f = start_sharded();
            uint32_t taken[TARN_CHAIN_MAGAZINES_MAX];
            tarn_depot_put_full(&f->depot, from, (uint32_t[]){1, 2}, 2);
            tarn_depot_put_empty(&f->depot, from, (uint32_t[]){3}, 1);
            assert_false(tarn_depot_is_dry(&f->depot));
            assert_int_equal(tarn_depot_take_full(&f->depot, to, taken), 2);
            assert_int_equal(tarn_depot_take_empty(&f->depot, to, taken), 1);
            assert_int_equal(taken[0], 3);
            assert_true(tarn_depot_is_dry(&f->depot));
        }
}

static void a_user_takes_from_its_own_shard_first(void **state)
{
    (void)state;
    fixture *f = start_sharded();
    uint32_t taken[TARN_CHAIN_MAGAZINES_MAX];
    for (uint32_t shard = 0; shard < SHARDS; shard++)
        tarn_depot_put_full(&f->depot, shard, (uint32_t[]){shard + 1}, 1);
    for (uint32_t shard = SHARDS; shard-- > 0;) {
        assert_int_equal(tarn_depot_take_full(&f->depot, shard, taken), 1);
        assert_int_equal(taken[0], shard + 1);
    }
}

static void clear_empties_all_shards(void **state)
{
    (void)state;
    fixture *f = start_sharded();
    for (uint32_t shard = 0; shard < SHARDS; shard++)
        tarn_depot_put_full(&f->depot, shard, (uint32_t[]){shard + 1}, 1);
    tarn_depot_clear(&f->depot);
    assert_true(tarn_depot_is_dry(&f->depot));
}

static void last_shard_to_first(fixture *f)
{
    uint32_t taken[TARN_CHAIN_MAGAZINES_MAX];
    assert_int_equal(tarn_depot_take_full(&f->depot, SHARDS - 1, taken), 1);
    tarn_depot_put_full(&f->depot, 0, taken, 1);
}

static void a_magazine_on_its_way_between_shards_is_not_overlooked(void **state)
{
    (void)state;
    for (uint32_t point = 1; point <= 2 * SHARDS + 1; point++) {
        fixture *f = start_sharded();
        tarn_depot_put_full(&f->depot, SHARDS - 1, (uint32_t[]){1}, 1);
        f->first_point = point;
        f->first_act = last_shard_to_first;
        interleave(subject_asks_if_dry, other, f);
        check_that(!f->is_dry, "at point %u", point);
    }
}

/* Both looks at full see it empty; the tag tells that it was not empty all the time. */
static void a_slot_that_goes_and_comes_back_is_not_overlooked(void **state)
{
    (void)state;
    for (uint32_t first = 1; first <= DRY_POINTS; first++)
        for (uint32_t second = first; second <= DRY_POINTS; second++) {
            fixture *f = start(MAGAZINES);
            push_loose(f, 1);
            f->first_point = first;
            f->first_act = loose_to_full;
            f->second_point = second;
            f->second_act = full_to_loose;
            interleave(subject_asks_if_dry, other, f);
            check_that(!f->is_dry, "at points %u and %u", first, second);
        }
}

static void others_that_find_nothing_do_not_keep_a_depot_from_being_dry(void **state)
{
    (void)state;
    for (uint32_t point = 1; point <= DRY_POINTS; point++) {
        fixture *f = start(MAGAZINES);
        f->first_point = point;
        f->first_act = pop_from_nothing;
        assert_int_equal(interleave(subject_asks_if_dry, other, f), DRY_POINTS);
        assert_true(f->is_dry);
    }
}

static uint64_t tag_after(const tarn_links *links, const tarn_stack *stack)
{
    return tarn_stack_peek(stack) >> links->index_bits;
}

static void clear_forgets_everything_but_the_tags(void **state)
{
    (void)state;
    fixture *f = start(MAGAZINES);
    tarn_depot *depot = &f->depot;
    uint32_t taken[TARN_CHAIN_MAGAZINES_MAX];
    for (uint32_t i = 0; i < 3; i++)
        tarn_depot_take_empty(depot, 0, taken);
    tarn_depot_put_full(depot, 0, (uint32_t[]){1, 2}, 2);
    tarn_depot_put_empty(depot, 0, (uint32_t[]){3}, 1);
    push_loose(f, 1);
    uint64_t full_tag = tag_after(&depot->magazines.links, &depot->shards[0].full);
    uint64_t empty_tag = tag_after(&depot->magazines.links, &depot->shards[0].empty);
    uint64_t loose_tag = tag_after(&depot->slots, &depot->loose);
    tarn_depot_clear(depot);
    assert_true(tarn_depot_is_dry(depot));
    assert_int_equal(tag_after(&depot->magazines.links, &depot->shards[0].full), full_tag + 1);
    assert_int_equal(tag_after(&depot->magazines.links, &depot->shards[0].empty), empty_tag + 1);
    assert_int_equal(tag_after(&depot->slots, &depot->loose), loose_tag + 1);
    for (uint32_t i = 1; i <= MAGAZINES; i++) { /* all to carve again */
        assert_int_equal(tarn_depot_take_empty(depot, 0, taken), 1);
        assert_int_equal(taken[0], i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_chains_of_every_size_come_out_as_they_went_in),
        cmocka_unit_test(empty_chains_of_every_size_come_out_as_they_went_in),
        cmocka_unit_test(full_and_empty_magazines_do_not_mix),
        cmocka_unit_test(take_empty_carves_only_when_no_magazine_was_given_back),
        cmocka_unit_test(take_empty_with_all_carved_takes_what_was_given_back),
        cmocka_unit_test(take_empty_with_all_carved_waits_for_the_one_that_is_on_its_way),
        cmocka_unit_test(a_depot_with_anything_in_it_is_not_dry),
        cmocka_unit_test(t11_what_lies_in_any_shard_is_found_from_any),
        cmocka_unit_test(a_user_takes_from_its_own_shard_first),
        cmocka_unit_test(clear_empties_all_shards),
        cmocka_unit_test(a_magazine_on_its_way_between_shards_is_not_overlooked),
        cmocka_unit_test(a_slot_on_its_way_between_the_looks_is_not_overlooked),
        cmocka_unit_test(a_slot_that_goes_and_comes_back_is_not_overlooked),
        cmocka_unit_test(others_that_find_nothing_do_not_keep_a_depot_from_being_dry),
        cmocka_unit_test(clear_forgets_everything_but_the_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
