/* The deque: last in first out for its owner, first in first out for thieves, each item once. */
#include "support/kit.h"

#include "jobs/deque.h"

enum { CAPACITY = 8, ITEMS = 200000, THIEVES = 3 };

static tarn_u64 places[CAPACITY];
static tarn_deque deque;
static char names[4 * CAPACITY];

static int set_up(void **state)
{
    (void)state;
    deque = (tarn_deque){.mask = 0};
    tarn_deque_init(&deque, places, CAPACITY);
    return 0;
}

static void owner_and_thief_take_from_different_ends(void **state)
{
    (void)state;
    void *item = NULL;
    assert_true(tarn_deque_is_bare(&deque) && tarn_deque_looks_empty(&deque));
    assert_null(tarn_deque_take(&deque));
    assert_null(tarn_deque_take_alone(&deque));
    assert_int_equal(tarn_deque_steal(&deque, &item), TARN_STEAL_EMPTY);
    for (int i = 0; i < 5; i++)
        assert_true(tarn_deque_push(&deque, &names[i]));
    assert_false(tarn_deque_is_bare(&deque) || tarn_deque_looks_empty(&deque));
    assert_int_equal(tarn_deque_steal(&deque, &item), TARN_STEAL_DONE);
    assert_ptr_equal(item, &names[0]);
    assert_ptr_equal(tarn_deque_take(&deque), &names[4]);
    assert_ptr_equal(tarn_deque_take_alone(&deque), &names[3]);
    assert_int_equal(tarn_deque_steal(&deque, &item), TARN_STEAL_DONE);
    assert_ptr_equal(item, &names[1]);
    assert_ptr_equal(tarn_deque_take(&deque), &names[2]);
    assert_null(tarn_deque_take(&deque));
    assert_int_equal(tarn_deque_steal(&deque, &item), TARN_STEAL_EMPTY);
    assert_true(tarn_deque_is_bare(&deque));
}

static void a_full_deque_refuses_and_goes_round(void **state)
{
    (void)state;
    void *item = NULL;
    for (int round = 0; round < 3 * CAPACITY; round++) {
        for (int i = 0; i < CAPACITY; i++)
            assert_true(tarn_deque_push(&deque, &names[i]));
        assert_false(tarn_deque_push(&deque, &names[CAPACITY]));
        assert_int_equal(tarn_deque_steal(&deque, &item), TARN_STEAL_DONE);
        assert_ptr_equal(item, &names[0]);
        assert_true(tarn_deque_push(&deque, &names[CAPACITY]));
        assert_false(tarn_deque_push(&deque, &names[CAPACITY]));
        assert_ptr_equal(tarn_deque_take(&deque), &names[CAPACITY]);
        for (int i = CAPACITY - 1; i > 0; i--)
            assert_ptr_equal(tarn_deque_take(&deque), &names[i]);
        assert_null(tarn_deque_take(&deque));
        tarn_deque_push(&deque, &names[0]); /* the next round begins one place further on */
        assert_int_equal(tarn_deque_steal(&deque, &item), TARN_STEAL_DONE);
    }
}

/* ---- where low lags behind bottom ---- */

static uint64_t low_of(void)
{
    return tarn_u64_load_relaxed(&deque.low);
}

static int set_up_lag(void **state)
{
    set_up(state);
    deque.lag = 1;
    deque.steals_max = 2;
    return 0;
}

static void push_first(int count)
{
    for (int i = 0; i < count; i++)
        assert_true(tarn_deque_push(&deque, &names[i]));
}

/* Low is never above bottom, and not far below it where many items lie. */
static void low_follows_bottom_at_a_distance(void **state)
{
    (void)state;
    uint64_t random = 11;
    void *item = NULL;
    for (int step = 0; step < 1000; step++) {
        uint64_t number = kit_random(&random) % 6;
        if (number < 3)
            tarn_deque_push(&deque, &names[step % CAPACITY]);
        else if (number == 3)
            tarn_deque_take(&deque);
        else if (number == 4)
            tarn_deque_take_alone(&deque);
        else
            tarn_deque_steal(&deque, &item);
        assert_true(low_of() <= tarn_deque_bottom(&deque));
        if (number < 3)
            assert_true(tarn_deque_bottom(&deque) - low_of() <= 2 * deque.lag);
    }
}

static void a_steal_does_not_go_by_a_low_that_was(void **state)
{
    (void)state;
    void *item = NULL;
    push_first(CAPACITY);
    for (int i = 0; i < CAPACITY; i++)
        assert_non_null(i % 2 ? tarn_deque_take(&deque) : tarn_deque_take_alone(&deque));
    assert_null(tarn_deque_take(&deque));
    assert_true(tarn_deque_looks_empty(&deque));
    assert_int_equal(tarn_deque_steal(&deque, &item), TARN_STEAL_EMPTY);
    tarn_deque_push(&deque, &names[0]);
    assert_int_equal(tarn_deque_steal(&deque, &item), TARN_STEAL_DONE);
    assert_ptr_equal(item, &names[0]);
}

/* Below low, two at once, oldest first; above it, one. */
static void a_thief_gets_some_where_many_lie(void **state)
{
    (void)state;
    void *items[CAPACITY] = {NULL};
    uint32_t count = CAPACITY;
    push_first(5); /* low is 3 */
    assert_int_equal(tarn_deque_steal_some(&deque, items, &count), TARN_STEAL_DONE);
    assert_int_equal(count, 2);
    assert_ptr_equal(items[0], &names[0]);
    assert_ptr_equal(items[1], &names[1]);
    for (int i = 2; i < 5; i++) {
        count = CAPACITY;
        assert_int_equal(tarn_deque_steal_some(&deque, items, &count), TARN_STEAL_DONE);
        assert_int_equal(count, 1);
        assert_ptr_equal(items[0], &names[i]);
    }
    assert_int_equal(tarn_deque_steal_some(&deque, items, &count), TARN_STEAL_EMPTY);
}

/* The owner comes near to what a thief may be about to get: it takes the oldest, so that the thief
 * fails. Nothing is lost, whatever the order. */
static void the_owner_takes_the_oldest_where_thieves_reach(void **state)
{
    (void)state;
    push_first(3); /* low is 3 */
    assert_ptr_equal(tarn_deque_take(&deque), &names[0]);
    assert_ptr_equal(tarn_deque_take(&deque), &names[2]);
    assert_ptr_equal(tarn_deque_take(&deque), &names[1]);
    assert_null(tarn_deque_take(&deque));
    deque.lag = 3;
    for (int i = 0; i < CAPACITY; i++)
        assert_true(tarn_deque_push(&deque, &names[i]));
    assert_ptr_equal(tarn_deque_take(&deque), &names[CAPACITY - 1]); /* low is far from top */
}

/* ---- owner and thieves at once ---- */

typedef struct item {
    uint64_t value;   /* plain: written before the push */
    uint32_t removed; /* plain: whoever has it has it alone */
} item;

static item items[ITEMS];
static atomic_uint is_over;

static int check_item(item *got)
{
    int failures = 0;
    KIT_EXPECT(&failures, got->value == (uint64_t)(got - items) * 3 + 1);
    KIT_EXPECT(&failures, got->removed == 0);
    got->removed++;
    return failures;
}

static int steal_until_over(void *stolen)
{
    int failures = 0;
    for (;;) {
        void *got[CAPACITY];
        uint32_t count = CAPACITY;
        bool was_over = atomic_load(&is_over) != 0;
        tarn_steal result = tarn_deque_steal_some(&deque, got, &count);
        if (result == TARN_STEAL_DONE) {
            for (uint32_t i = 0; i < count; i++)
                failures += check_item(got[i]);
            atomic_fetch_add((atomic_uint *)stolen, count);
        } else if (result == TARN_STEAL_EMPTY) {
            if (was_over)
                return failures;
            tarn_thread_yield();
        }
    }
}

static void every_item_goes_to_one_thread(void **state)
{
    (void)state;
    atomic_uint stolen = 0;
    tarn_thread threads[THIEVES];
    uint64_t random = 7;
    int failures = 0;
    uint32_t taken = 0;
    atomic_store(&is_over, 0);
    for (int i = 0; i < THIEVES; i++)
        assert_true(tarn_thread_create(&threads[i], steal_until_over, &stolen));
    for (uint32_t next = 0; next < ITEMS;) {
        items[next] = (item){.value = (uint64_t)next * 3 + 1};
        if (kit_random(&random) % 2 && tarn_deque_push(&deque, &items[next])) {
            next++;
            continue;
        }
        item *got = tarn_deque_take(&deque);
        failures += got ? check_item(got) : 0;
        taken += got != NULL;
        if (next % 64 == 0)
            tarn_thread_yield();
    }
    for (item *got; (got = tarn_deque_take(&deque)) != NULL; taken++)
        failures += check_item(got);
    atomic_store(&is_over, 1);
    for (int i = 0; i < THIEVES; i++)
        failures += tarn_thread_join(threads[i]);
    assert_int_equal(failures, 0);
    assert_int_equal(taken + atomic_load(&stolen), ITEMS);
    assert_true(taken > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(owner_and_thief_take_from_different_ends, set_up),
        cmocka_unit_test_setup(a_full_deque_refuses_and_goes_round, set_up),
        cmocka_unit_test_setup(low_follows_bottom_at_a_distance, set_up_lag),
        cmocka_unit_test_setup(a_steal_does_not_go_by_a_low_that_was, set_up_lag),
        cmocka_unit_test_setup(a_thief_gets_some_where_many_lie, set_up_lag),
        cmocka_unit_test_setup(the_owner_takes_the_oldest_where_thieves_reach, set_up_lag),
        cmocka_unit_test_setup(every_item_goes_to_one_thread, set_up),
        cmocka_unit_test_setup(every_item_goes_to_one_thread, set_up_lag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
