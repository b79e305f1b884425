/* Each call tries again when a weak CAS fails though nothing changed, as it may on some processors,
 * and comes to the same result. The library's own sources are compiled into this test, with a weak
 * CAS that fails when it is told to. */
#include "support/check.h"

#include <stdatomic.h>
#include <stdbool.h>

static struct {
    uint32_t fail; /* how many of the next weak CASes fail */
    uint32_t failed;
} weak_cas;

static bool fails_now(void)
{
    if (weak_cas.fail == 0)
        return false;
    weak_cas.fail--;
    weak_cas.failed++;
    return true;
}

#undef atomic_compare_exchange_weak_explicit
#define atomic_compare_exchange_weak_explicit(object, expected, desired, success, failure) \
    (fails_now()                                                                           \
         ? (*(expected) = atomic_load_explicit(object, failure), false)                    \
         : atomic_compare_exchange_strong_explicit(object, expected, desired, success, failure))

#include "depot/depot.c"
#include "depot/magazine.c"
#include "depot/stack.c"

#include <string.h>

#define INDEX_MAX    4u
#define FAILURES_MAX 5u

typedef struct fixture {
    tarn_magazine headers[INDEX_MAX + 1];
    void *objects[INDEX_MAX + 1];
    tarn_magazines magazines;
    tarn_stack stack;
} fixture;

/* A stack 1, 2 from the top; then the next CASes fail. */
static fixture *start(uint32_t failures)
{
    static fixture f;
    memset(&f, 0, sizeof f);
    tarn_magazines_init(&f.magazines, f.headers, f.objects, 1, INDEX_MAX);
    tarn_stack_push(&f.stack, &f.magazines.links, 2);
    tarn_stack_push(&f.stack, &f.magazines.links, 1);
    weak_cas.fail = failures;
    weak_cas.failed = 0;
    return &f;
}

static void assert_left(fixture *f, uint32_t failures, uint32_t changes, uint32_t first,
                        uint32_t second)
{
    assert_int_equal(weak_cas.failed, failures);
    assert_int_equal(tarn_stack_peek(&f->stack) >> f->magazines.links.index_bits, changes);
    assert_int_equal(tarn_stack_pop(&f->stack, &f->magazines.links), first);
    assert_int_equal(tarn_stack_pop(&f->stack, &f->magazines.links), second);
}

static void push_tries_again(void **state)
{
    (void)state;
    for (uint32_t failures = 1; failures <= FAILURES_MAX; failures++) {
        fixture *f = start(failures);
        tarn_stack_push(&f->stack, &f->magazines.links, 3);
        assert_left(f, failures, 3, 3, 1);
    }
}

static void pop_tries_again(void **state)
{
    (void)state;
    for (uint32_t failures = 1; failures <= FAILURES_MAX; failures++) {
        fixture *f = start(failures);
        assert_int_equal(tarn_stack_pop(&f->stack, &f->magazines.links), 1);
        assert_left(f, failures, 3, 2, TARN_INDEX_NONE);
    }
}

static void pop_some_tries_again(void **state)
{
    (void)state;
    for (uint32_t failures = 1; failures <= FAILURES_MAX; failures++) {
        fixture *f = start(failures);
        uint32_t indices[2];
        assert_int_equal(tarn_stack_pop_some(&f->stack, &f->magazines.links, 2, indices), 2);
        assert_int_equal(indices[0], 1);
        assert_int_equal(indices[1], 2);
        assert_left(f, failures, 3, TARN_INDEX_NONE, TARN_INDEX_NONE);
    }
}

static void take_all_tries_again(void **state)
{
    (void)state;
    for (uint32_t failures = 1; failures <= FAILURES_MAX; failures++) {
        fixture *f = start(failures);
        assert_int_equal(tarn_stack_take_all(&f->stack, &f->magazines.links), 1);
        assert_left(f, failures, 3, TARN_INDEX_NONE, TARN_INDEX_NONE);
    }
}

static void carve_tries_again(void **state)
{
    (void)state;
    for (uint32_t failures = 1; failures <= FAILURES_MAX; failures++) {
        fixture *f = start(failures);
        assert_int_equal(tarn_magazine_carve(&f->magazines), 1);
        assert_int_equal(weak_cas.failed, failures);
        assert_int_equal(tarn_magazine_carve(&f->magazines), 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(push_tries_again),     cmocka_unit_test(pop_tries_again),
        cmocka_unit_test(pop_some_tries_again), cmocka_unit_test(take_all_tries_again),
        cmocka_unit_test(carve_tries_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
