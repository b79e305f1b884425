/* The ABA problem, told step by step: one thread is stopped between its look at the head and its
 * CAS, another one changes the stack so that the same index is on top again. The CAS must fail. */
#include "support/check.h"
#include "support/interleave.h"

#include "depot/depot.h"

#include <string.h>

#define X         1u
#define Y         2u
#define Z         3u
#define INDEX_MAX 4u

typedef struct fixture {
    tarn_depot depot; /* its stack of full magazines is the one under test */
    tarn_magazine headers[INDEX_MAX + 1];
    void *objects[INDEX_MAX + 1];
    uint32_t point; /* where the other thread acts */
    void (*act)(struct fixture *f);
    uint32_t changes; /* of the head, that the other makes in act_with_changes */
    uint32_t result, results[INDEX_MAX + 2];
} fixture;

static tarn_links *links_of(fixture *f)
{
    return &f->depot.magazines.links;
}

static uint32_t pop(fixture *f)
{
    return tarn_stack_pop(&f->depot.shards[0].full, links_of(f));
}

static void push(fixture *f, uint32_t index)
{
    tarn_stack_push(&f->depot.shards[0].full, links_of(f), index);
}

/* A stack X, Y, Z from the top. */
static fixture *start(void)
{
    static fixture f;
    memset(&f, 0, sizeof f);
    f.depot.shard_count = 1;
    tarn_magazines_init(&f.depot.magazines, f.headers, f.objects, 1, INDEX_MAX);
    for (uint32_t index = Z; index >= X; index--)
        push(&f, index);
    return &f;
}

static void act_at_point(void *context, uint32_t point)
{
    fixture *f = context;
    if (point == f->point)
        f->act(f);
}

static void subject_pops(void *context)
{
    fixture *f = context;
    f->result = pop(f);
}

static void subject_pops_two(void *context)
{
    fixture *f = context;
    f->result = tarn_stack_pop_some(&f->depot.shards[0].full, links_of(f), 2, f->results);
}

#define POP_POINTS 3u /* a pop that is not disturbed: the look at the head, the link, the CAS */

/* Stops the popper at each of its accesses in turn. The other keeps Y and leaves X on top of Z, or
 * alone. Wherever that was, the popper gets X, and Y does not come back. */
static void check_every_point(void (*act)(fixture *f), bool z_remains)
{
    for (uint32_t point = 1; point <= POP_POINTS; point++) {
        fixture *f = start();
        f->point = point;
        f->act = act;
        uint32_t made = interleave(subject_pops, act_at_point, f);
        assert_int_equal(made, point == 1 ? POP_POINTS : POP_POINTS + 2); /* a CAS was lost */
        assert_int_equal(f->result, X);
        if (z_remains)
            assert_int_equal(pop(f), Z);
        check_that(pop(f) == TARN_INDEX_NONE, "stopped at point %u", point);
    }
}

static void pop_pop_push(fixture *f)
{
    assert_int_equal(pop(f), X);
    assert_int_equal(pop(f), Y);
    push(f, X);
}

static void t14_pop_fails_after_pop_pop_push(void **state)
{
    (void)state;
    check_every_point(pop_pop_push, true);
}

static void take_all_push(fixture *f)
{
    assert_int_equal(tarn_stack_take_all(&f->depot.shards[0].full, links_of(f)), X);
    push(f, X);
}

static void t15_pop_fails_after_take_all_and_push(void **state)
{
    (void)state;
    check_every_point(take_all_push, false);
}

static void pop_some_push(fixture *f)
{
    uint32_t indices[2];
    assert_int_equal(tarn_stack_pop_some(&f->depot.shards[0].full, links_of(f), 2, indices), 2);
    push(f, X);
}

static void t15_pop_fails_after_pop_some_and_push(void **state)
{
    (void)state;
    check_every_point(pop_some_push, true);
}

static void take_all_push_chain(fixture *f)
{
    assert_int_equal(tarn_stack_take_all(&f->depot.shards[0].full, links_of(f)), X);
    tarn_links_set(links_of(f), X, Z);
    tarn_stack_push_chain(&f->depot.shards[0].full, links_of(f), X, Z);
}

static void t15_pop_fails_after_take_all_and_push_of_a_chain(void **state)
{
    (void)state;
    check_every_point(take_all_push_chain, true);
}

/* As many changes as have been since the stack began, so that tags that began again would meet. */
static void clear_and_push(fixture *f)
{
    tarn_depot_clear(&f->depot);
    push(f, Z + 1);
    push(f, Z);
    push(f, X);
}

static void t16_pop_fails_across_clear(void **state)
{
    (void)state;
    for (uint32_t point = 2; point <= POP_POINTS; point++) {
        fixture *f = start();
        f->point = point;
        f->act = clear_and_push;
        interleave(subject_pops, act_at_point, f);
        assert_int_equal(f->result, X);
        assert_int_equal(pop(f), Z); /* not Y, X's neighbour before the clear */
        assert_int_equal(pop(f), Z + 1);
        assert_int_equal(pop(f), TARN_INDEX_NONE);
    }
}

static void push_one(fixture *f)
{
    push(f, INDEX_MAX);
}

static void subject_takes_all(void *context)
{
    fixture *f = context;
    f->result = tarn_stack_take_all(&f->depot.shards[0].full, links_of(f));
}

static void subject_pushes(void *context)
{
    push(context, X);
}

/* The tag after both is what it was plus two, for each kind of change that lost its first CAS. */
static void t17_a_lost_cas_takes_the_tag_from_the_head_that_beat_it(void **state)
{
    (void)state;
    interleave_subject *const subjects[] = {subject_pops, subject_pops_two, subject_takes_all,
                                            subject_pushes};
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t point = 1; point <= 4; point++) {
            fixture *f = start();
            if (subjects[i] == subject_pushes)
                assert_int_equal(pop(f), X);
            f->point = point;
            f->act = push_one;
            uint64_t tag = tarn_stack_peek(&f->depot.shards[0].full) >> links_of(f)->index_bits;
            uint32_t made = interleave(subjects[i], act_at_point, f);
            uint64_t changes =
                (tarn_stack_peek(&f->depot.shards[0].full) >> links_of(f)->index_bits) - tag;
            assert_int_equal(changes, made >= point ? 2 : 1);
        }
}

/* Four changes, then pairs up to the number that is wanted; X on top as before, Y and Z kept. */
static void act_with_changes(fixture *f)
{
    for (uint32_t index = X; index <= Z; index++)
        assert_int_equal(pop(f), index);
    push(f, X);
    for (uint32_t changes = 4; changes < f->changes; changes += 2) {
        assert_int_equal(pop(f), X);
        push(f, X);
    }
}

/* Whether the stopped popper's CAS was taken in, so that Y, which the other holds, is on top. */
static bool is_fooled(uint32_t index_bits, uint32_t changes)
{
    fixture *f = start();
    if (index_bits) {
        links_of(f)->index_bits = index_bits;
        tarn_u64_store_relaxed(&f->depot.shards[0].full.head, X);
    }
    f->point = POP_POINTS;
    f->act = act_with_changes;
    f->changes = changes;
    interleave(subject_pops, act_at_point, f);
    assert_int_equal(f->result, X);
    return pop(f) == Y;
}

static void t18_an_exact_wrap_of_a_narrow_tag_is_taken_in_and_of_the_real_one_is_not(void **state)
{
    (void)state;
    for (uint32_t tag_bits = 2; tag_bits <= 12; tag_bits++) {
        uint32_t wrap = 1u << tag_bits;
        assert_true(is_fooled(64 - tag_bits, wrap));
        if (wrap > 4)
            assert_false(is_fooled(64 - tag_bits, wrap - 2));
        assert_false(is_fooled(64 - tag_bits, wrap + 2));
        assert_false(is_fooled(0, wrap));
    }
}

/* What the other may do to links that it owns now: anything in range, a circle too. */
static void tie_a_circle(fixture *f)
{
    assert_int_equal(tarn_stack_take_all(&f->depot.shards[0].full, links_of(f)), X);
    tarn_links_set(links_of(f), X, Y);
    tarn_links_set(links_of(f), Y, Z);
    tarn_links_set(links_of(f), Z, X);
}

static void subject_pops_many(void *context)
{
    fixture *f = context;
    f->result =
        tarn_stack_pop_some(&f->depot.shards[0].full, links_of(f), INDEX_MAX + 1, f->results);
}

static void t19_pop_some_ends_when_links_turn_into_a_circle_under_it(void **state)
{
    (void)state;
    for (uint32_t point = 1; point <= 5; point++) {
        fixture *f = start();
        memset(f->results, 0xAA, sizeof f->results);
        f->point = point;
        f->act = tie_a_circle;
        interleave(subject_pops_many, act_at_point, f);
        assert_int_equal(f->result, 0);
        assert_int_equal(f->results[INDEX_MAX + 1], 0xAAAAAAAAu);
    }
}

static void reverse(fixture *f)
{
    uint32_t indices[3];
    assert_int_equal(tarn_stack_pop_some(&f->depot.shards[0].full, links_of(f), 3, indices), 3);
    for (uint32_t i = 0; i < 3; i++)
        push(f, indices[i]);
}

static void t19_pop_some_counts_only_a_walk_over_one_state(void **state)
{
    (void)state;
    for (uint32_t point = 1; point <= 4; point++) {
        fixture *f = start();
        f->point = point;
        f->act = reverse;
        interleave(subject_pops_two, act_at_point, f);
        assert_int_equal(f->result, 2);
        assert_int_equal(f->results[0], Z);
        assert_int_equal(f->results[1], Y);
        assert_int_equal(pop(f), X);
        assert_int_equal(pop(f), TARN_INDEX_NONE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t14_pop_fails_after_pop_pop_push),
        cmocka_unit_test(t15_pop_fails_after_take_all_and_push),
        cmocka_unit_test(t15_pop_fails_after_pop_some_and_push),
        cmocka_unit_test(t15_pop_fails_after_take_all_and_push_of_a_chain),
        cmocka_unit_test(t16_pop_fails_across_clear),
        cmocka_unit_test(t17_a_lost_cas_takes_the_tag_from_the_head_that_beat_it),
        cmocka_unit_test(t18_an_exact_wrap_of_a_narrow_tag_is_taken_in_and_of_the_real_one_is_not),
        cmocka_unit_test(t19_pop_some_ends_when_links_turn_into_a_circle_under_it),
        cmocka_unit_test(t19_pop_some_counts_only_a_walk_over_one_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
