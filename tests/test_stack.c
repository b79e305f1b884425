/* What push, pop, pop_some and take_all do on one thread, and how the head's tag moves (I2). */
#include "support/check.h"
#include "support/random.h"

#include "depot/stack.h"

#include <stdlib.h>
#include <string.h>

#define INDEX_MAX 12u

typedef struct fixture {
    tarn_u32 next[INDEX_MAX + 1];
    tarn_links links;
    tarn_stack stack;
} fixture;

static fixture *start(void)
{
    static fixture f;
    memset(&f, 0, sizeof f);
    tarn_links_init(&f.links, f.next, sizeof f.next[0], INDEX_MAX);
    return &f;
}

static uint64_t tag_of(const fixture *f)
{
    return tarn_stack_peek(&f->stack) >> f->links.index_bits;
}

static void push_all(fixture *f, const uint32_t *indices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        tarn_stack_push(&f->stack, &f->links, indices[i]);
}

/* Links the indices into a chain, first to last. */
static void link_up(fixture *f, const uint32_t *indices, uint32_t count)
{
    for (uint32_t i = 0; i + 1 < count; i++)
        tarn_links_set(&f->links, indices[i], indices[i + 1]);
}

static void assert_pops(fixture *f, const uint32_t *expected, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(tarn_stack_pop(&f->stack, &f->links), expected[i]);
    assert_int_equal(tarn_stack_pop(&f->stack, &f->links), TARN_INDEX_NONE);
}

static void a_stack_of_zero_memory_is_empty(void **state)
{
    (void)state;
    fixture *f = start();
    uint32_t indices[4];
    assert_true(tarn_stack_head_is_empty(&f->links, tarn_stack_peek(&f->stack)));
    assert_int_equal(tarn_stack_pop(&f->stack, &f->links), TARN_INDEX_NONE);
    assert_int_equal(tarn_stack_pop_some(&f->stack, &f->links, 4, indices), 0);
    assert_int_equal(tarn_stack_take_all(&f->stack, &f->links), TARN_INDEX_NONE);
}

static void pops_come_in_the_reverse_order_of_pushes(void **state)
{
    (void)state;
    fixture *f = start();
    push_all(f, (uint32_t[]){5, 1, INDEX_MAX}, 3);
    assert_false(tarn_stack_head_is_empty(&f->links, tarn_stack_peek(&f->stack)));
    assert_pops(f, (uint32_t[]){INDEX_MAX, 1, 5}, 3);
}

static void a_chain_comes_out_first_to_last_on_top_of_the_rest(void **state)
{
    (void)state;
    fixture *f = start();
    const uint32_t chain[] = {3, 9, 4};
    push_all(f, (uint32_t[]){7}, 1);
    link_up(f, chain, 3);
    tarn_links_set(&f->links, 4, 11); /* the last one's link does not matter */
    tarn_stack_push_chain(&f->stack, &f->links, 3, 4);
    assert_pops(f, (uint32_t[]){3, 9, 4, 7}, 4);
}

static void pop_some_takes_from_the_top_and_leaves_the_rest(void **state)
{
    (void)state;
    const uint32_t order[] = {6, 5, 4, 3, 2, 1};
    const uint32_t reverse[] = {1, 2, 3, 4, 5, 6};
    for (uint32_t count_max = 1; count_max <= 8; count_max++) {
        fixture *f = start();
        push_all(f, reverse, 6);
        uint32_t indices[9];
        memset(indices, 0xAA, sizeof indices);
        uint32_t count = tarn_stack_pop_some(&f->stack, &f->links, count_max, indices);
        assert_int_equal(count, count_max < 6 ? count_max : 6);
        assert_memory_equal(indices, order, count * sizeof order[0]);
        assert_int_equal(indices[count], 0xAAAAAAAAu);
        assert_pops(f, order + count, 6 - count);
    }
}

static void take_all_takes_the_whole_chain_in_order(void **state)
{
    (void)state;
    fixture *f = start();
    push_all(f, (uint32_t[]){2, 8, 5}, 3);
    assert_int_equal(tarn_stack_take_all(&f->stack, &f->links), 5);
    assert_int_equal(tarn_links_get(&f->links, 5), 8);
    assert_int_equal(tarn_links_get(&f->links, 8), 2);
    assert_int_equal(tarn_links_get(&f->links, 2), TARN_INDEX_NONE);
    assert_true(tarn_stack_head_is_empty(&f->links, tarn_stack_peek(&f->stack)));
    assert_pops(f, NULL, 0);
}

static void a_call_that_takes_nothing_leaves_the_head_alone(void **state)
{
    (void)state;
    fixture *f = start();
    uint32_t index = 0;
    push_all(f, (uint32_t[]){1}, 1);
    tarn_stack_pop(&f->stack, &f->links);
    uint64_t before = tarn_stack_peek(&f->stack);
    tarn_stack_pop(&f->stack, &f->links);
    tarn_stack_pop_some(&f->stack, &f->links, 1, &index);
    tarn_stack_take_all(&f->stack, &f->links);
    assert_true(tarn_stack_peek(&f->stack) == before);
}

static void an_index_takes_the_bits_that_it_needs_and_the_tag_the_others(void **state)
{
    (void)state;
    const uint32_t index_max[] = {1, 2, 3, 4, 255, 256, 65535, 65536, UINT32_MAX - 1, UINT32_MAX};
    const uint32_t index_bits[] = {1, 2, 2, 3, 8, 9, 16, 17, 32, 32};
    for (size_t i = 0; i < sizeof index_max / sizeof index_max[0]; i++) {
        tarn_links links;
        tarn_links_init(&links, NULL, sizeof(tarn_u32), index_max[i]);
        assert_int_equal(links.index_bits, index_bits[i]);
        assert_true(64 - links.index_bits >= TARN_TAG_BITS_MIN);
    }
}

static void the_tag_wraps_without_touching_the_index(void **state)
{
    (void)state;
    fixture *f = start();
    uint64_t last_tag = UINT64_MAX >> f->links.index_bits;
    tarn_u64_store_relaxed(&f->stack.head, last_tag << f->links.index_bits);
    push_all(f, (uint32_t[]){1, INDEX_MAX}, 2);
    assert_int_equal(tag_of(f), 1);
    assert_pops(f, (uint32_t[]){INDEX_MAX, 1}, 2);
}

/* ---- random sequences against a list that is plainly right ---- */

typedef struct model {
    uint32_t on_stack[INDEX_MAX], on_stack_count; /* the last is the top */
    uint32_t held[INDEX_MAX], held_count;
} model;

static uint32_t model_pop(model *m)
{
    uint32_t index = m->on_stack[--m->on_stack_count];
    m->held[m->held_count++] = index;
    return index;
}

static uint32_t model_push(model *m, uint64_t choice)
{
    uint32_t at = (uint32_t)(choice % m->held_count);
    uint32_t index = m->held[at];
    m->held[at] = m->held[--m->held_count];
    m->on_stack[m->on_stack_count++] = index;
    return index;
}

static bool try_push(fixture *f, model *m, random_state *random)
{
    if (m->held_count == 0)
        return false;
    tarn_stack_push(&f->stack, &f->links, model_push(m, random_next(random)));
    return true;
}

static bool try_push_chain(fixture *f, model *m, random_state *random)
{
    if (m->held_count < 3)
        return false;
    uint32_t chain[3];
    for (uint32_t i = 3; i-- > 0;)
        chain[i] = model_push(m, random_next(random));
    link_up(f, chain, 3);
    tarn_stack_push_chain(&f->stack, &f->links, chain[0], chain[2]);
    return true;
}

static bool try_pop(fixture *f, model *m)
{
    uint32_t index = tarn_stack_pop(&f->stack, &f->links);
    if (m->on_stack_count == 0) {
        assert_int_equal(index, TARN_INDEX_NONE);
        return false;
    }
    assert_int_equal(index, model_pop(m));
    return true;
}

static bool try_pop_some(fixture *f, model *m, uint32_t count_max)
{
    uint32_t indices[INDEX_MAX];
    uint32_t count = tarn_stack_pop_some(&f->stack, &f->links, count_max, indices);
    assert_int_equal(count, m->on_stack_count < count_max ? m->on_stack_count : count_max);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(indices[i], model_pop(m));
    return count > 0;
}

static bool try_take_all(fixture *f, model *m)
{
    uint32_t index = tarn_stack_take_all(&f->stack, &f->links);
    bool found = m->on_stack_count > 0;
    for (; m->on_stack_count > 0; index = tarn_links_get(&f->links, index))
        assert_int_equal(index, model_pop(m));
    assert_int_equal(index, TARN_INDEX_NONE);
    return found;
}

static bool try_any(fixture *f, model *m, random_state *random)
{
    switch (random_below(random, 8)) {
    case 0:
    case 1:
    case 2:
        return try_push(f, m, random);
    case 3:
        return try_push_chain(f, m, random);
    case 4:
    case 5:
        return try_pop(f, m);
    case 6:
        return try_pop_some(f, m, 1 + (uint32_t)random_below(random, INDEX_MAX));
    default:
        return try_take_all(f, m);
    }
}

static int compare_heads(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

#define CHANGES 20000u

static void t17_each_change_adds_one_to_the_tag_and_no_two_heads_are_equal(void **state)
{
    (void)state;
    static uint64_t heads[CHANGES];
    random_state random = random_start("t17", 17);
    fixture *f = start();
    model m = {.held_count = INDEX_MAX};
    for (uint32_t i = 0; i < INDEX_MAX; i++)
        m.held[i] = i + 1;
    for (uint32_t changes = 0; changes < CHANGES;) {
        uint64_t tag = tag_of(f);
        bool changed = try_any(f, &m, &random);
        check_that(tag_of(f) == tag + changed, "after change %u", changes);
        if (changed)
            heads[changes++] = tarn_stack_peek(&f->stack);
    }
    qsort(heads, CHANGES, sizeof heads[0], compare_heads);
    for (uint32_t i = 1; i < CHANGES; i++)
        assert_true(heads[i - 1] != heads[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_of_zero_memory_is_empty),
        cmocka_unit_test(pops_come_in_the_reverse_order_of_pushes),
        cmocka_unit_test(a_chain_comes_out_first_to_last_on_top_of_the_rest),
        cmocka_unit_test(pop_some_takes_from_the_top_and_leaves_the_rest),
        cmocka_unit_test(take_all_takes_the_whole_chain_in_order),
        cmocka_unit_test(a_call_that_takes_nothing_leaves_the_head_alone),
        cmocka_unit_test(an_index_takes_the_bits_that_it_needs_and_the_tag_the_others),
        cmocka_unit_test(the_tag_wraps_without_touching_the_index),
        cmocka_unit_test(t17_each_change_adds_one_to_the_tag_and_no_two_heads_are_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
