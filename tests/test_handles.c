/* Handles name objects while these live, and never after. */
#include "support/handles.h"

enum { CAPACITY = 40 };

static const tarn_pool_options plain = {.handle_bits = 0};
static const tarn_handle none = {0};

static void t42_a_handle_whose_life_has_ended_is_refused(void **state)
{
    (void)state;
    for (handles_way way = 0; way < HANDLES_WAYS; way++) {
        handles_stage s = handles_start(way, CAPACITY, plain);
        tarn_handle handles[CAPACITY];
        void *objects[CAPACITY];
        handles_take_many(&s, CAPACITY, handles, objects);
        kit_expect_conserved(s.pool, CAPACITY);
        for (int i = 0; i < CAPACITY; i++) {
            kit_expect_status(handles_release(&s, handles[i]), TARN_OK);
            for (int k = 0; k < CAPACITY; k++)
                assert_ptr_equal(tarn_resolve(s.pool, handles[k]), k > i ? objects[k] : NULL);
            handles_expect_stale(&s, handles[i]);
            kit_expect_conserved(s.pool, CAPACITY - 1 - (uint64_t)i);
        }
        kit_destroy(s.pool);
    }
}

static void t42_a_zero_handle_is_never_valid(void **state)
{
    (void)state;
    tarn_pool_options compact = {.handle_bits = 32};
    for (int kind = 0; kind < 2 * HANDLES_WAYS; kind++) {
        handles_stage s = handles_start((handles_way)(kind / 2), 1, kind % 2 ? compact : plain);
        handles_expect_stale(&s, none);
        void *object;
        tarn_handle first =
            handles_take_one(&s, &object); /* of the first slot, in its first life */
        assert_int_equal(tarn_handle_index(s.pool, first), 0);
        assert_int_equal(tarn_handle_generation(s.pool, first), 1);
        handles_expect_stale(&s, none);
        assert_ptr_equal(tarn_resolve(s.pool, first), object);
        kit_expect_status(handles_release(&s, first), TARN_OK);
        kit_destroy(s.pool);
    }
    assert_true(tarn_handle_is_none(none));
    assert_true(tarn_handle_is_none(tarn_handle_expand((tarn_compact_handle){0})));
    assert_int_equal(tarn_handle_compact(none).bits, 0);
}

/* Where the objects are when their handles are tried. */
static void t36_a_handle_is_stale_wherever_its_object_lies(void **state)
{
    (void)state;
    tarn_pool_options options = {
        .object_bytes = 24, .capacity = 400, .caches_max = 3, .handles = true};
    handles_stage s = {BY_CACHE, kit_pool(&options), NULL};
    s.cache = kit_attach(s.pool);
    tarn_cache *other = kit_attach(s.pool);
    static tarn_handle handles[400], again[400];
    static void *objects[400];
    handles_take_many(&s, 400, handles, objects);
    for (int i = 0; i < 400; i++) { /* to own cache, another one's, by its number or not */
        if (i % 2)
            kit_expect_status(tarn_release(i % 4 == 1 ? s.cache : other, handles[i]), TARN_OK);
        else
            tarn_free(i % 4 ? s.cache : other, objects[i]);
        handles_expect_stale(&s, handles[i]);
    }
    kit_expect_conserved(s.pool, 0);
    kit_detach(other); /* to the depot */
    for (int i = 0; i < 400; i++)
        handles_expect_stale(&s, handles[i]);
    handles_take_many(&s, 400, again, objects);
    for (int i = 0; i < 400; i++)
        handles_expect_stale(&s, handles[i]);
    kit_expect_conserved(s.pool, 400);
    handles_release_many(&s, 400, again);
    kit_destroy(s.pool);
}

static void allocs_and_frees_by_pointer_move_generations_on(void **state)
{
    (void)state;
    for (handles_way way = 0; way < HANDLES_WAYS; way++) {
        handles_stage s = handles_start(way, CAPACITY, plain);
        tarn_handle last[CAPACITY] = {{0}};
        void *objects[CAPACITY];
        for (int round = 0; round < 20; round++) {
            if (round % 3 == 0)
                kit_expect_status(tarn_alloc_bulk(s.cache, CAPACITY, objects), TARN_OK);
            for (int i = 0; i < CAPACITY && round % 3 != 0; i++)
                assert_non_null(objects[i] = handles_alloc(&s));
            for (int i = 0; i < CAPACITY; i++) {
                assert_null(tarn_resolve(s.pool, last[i]));
                last[i] = tarn_handle_of(s.pool, objects[i]);
                assert_ptr_equal(tarn_resolve(s.pool, last[i]), objects[i]);
            }
            if (round % 4 == 0)
                kit_expect_status(tarn_free_bulk(s.cache, CAPACITY, objects), TARN_OK);
            for (int i = 0; i < CAPACITY && round % 4 != 0; i++)
                handles_free(&s, objects[i]);
            for (int i = 0; i < CAPACITY; i++)
                assert_null(tarn_resolve(s.pool, last[i]));
        }
        kit_expect_conserved(s.pool, 0);
        kit_destroy(s.pool);
    }
}

static void clear_makes_every_handle_stale(void **state)
{
    (void)state;
    for (handles_way way = 0; way < HANDLES_WAYS; way++) {
        handles_stage s = handles_start(way, CAPACITY, plain);
        tarn_handle old[CAPACITY], new[CAPACITY];
        void *objects[CAPACITY];
        handles_take_many(&s, CAPACITY, old, objects);
        kit_expect_status(handles_release(&s, old[3]), TARN_OK);
        kit_expect_status(tarn_pool_clear(s.pool), TARN_OK);
        kit_expect_conserved(s.pool, 0);
        for (int i = 0; i < CAPACITY; i++)
            handles_expect_stale(&s, old[i]);
        handles_take_many(&s, CAPACITY, new, objects);
        for (int i = 0; i < CAPACITY; i++)
            handles_expect_stale(&s, old[i]);
        handles_release_many(&s, CAPACITY, new);
        kit_destroy(s.pool);
    }
}

static void a_handle_is_had_by_the_start_of_a_live_object_alone(void **state)
{
    (void)state;
    for (handles_way way = 0; way < HANDLES_WAYS; way++) {
        handles_stage s = handles_start(way, CAPACITY, plain), other = s;
        other = handles_start(way, CAPACITY, plain);
        void *first, *second, *foreign;
        handles_take_one(&s, &first);
        tarn_handle live = handles_take_one(&s, &second);
        handles_take_one(&other, &foreign);
        handles_free(&s, first);
        size_t stride = kit_info(s.pool).stride_bytes;
        char *slots = (char *)second - tarn_handle_index(s.pool, live) * stride;
        const void *no_objects[] = {
            NULL,
            first,
            foreign,
            &s,
            slots - stride,
            slots - 1,
            (char *)second + 1,
            (char *)second + stride - 1,
            slots + stride * CAPACITY,
            slots + stride * kit_info(s.pool).slots,
            slots + stride * (kit_info(s.pool).slots - 1),
        };
        for (size_t i = 0; i < sizeof no_objects / sizeof *no_objects; i++)
            assert_true(tarn_handle_is_none(tarn_handle_of(s.pool, no_objects[i])));
        assert_true(tarn_handle_equal(tarn_handle_of(s.pool, second), live));
        assert_true(tarn_handle_is_none(tarn_handle_of(NULL, second)));
        kit_clear_and_destroy(s.pool);
        kit_clear_and_destroy(other.pool);
    }
}

static void expect_take(tarn_status status, tarn_status expected, const tarn_handle *handle,
                        void *const *object)
{
    kit_expect_status(status, expected);
    assert_true(tarn_handle_is_none(*handle));
    assert_null(*object);
}

/* Each with something in *handle and *object that must not stay. */
static void a_take_that_fails_gives_nothing(void **state)
{
    (void)state;
    for (handles_way way = 0; way < HANDLES_WAYS; way++) {
        handles_stage s = handles_start(way, 1, plain);
        tarn_handle handle = {7};
        void *object = &s;
        expect_take(tarn_take(NULL, &handle, &object), TARN_ERROR_INVALID, &handle, &object);
        handle.bits = 7, object = &s;
        expect_take(tarn_guest_take(NULL, &handle, &object), TARN_ERROR_INVALID, &handle, &object);
        object = &s;
        expect_take(tarn_take(s.cache, NULL, &object), TARN_ERROR_INVALID, &none, &object);
        object = &s;
        expect_take(tarn_guest_take(s.pool, NULL, &object), TARN_ERROR_INVALID, &none, &object);
        kit_expect_conserved(s.pool, 0);
        while (handles_take(&s, &handle, NULL) == TARN_OK) /* the pool has slack */
            ;
        uint64_t live = kit_sample(s.pool).live, refusals = kit_sample(s.pool).refusals;
        handle.bits = 7, object = &s;
        expect_take(handles_take(&s, &handle, &object), TARN_ERROR_FULL, &handle, &object);
        assert_int_equal(kit_sample(s.pool).refusals, refusals + 1);
        kit_expect_conserved(s.pool, live);
        kit_clear_and_destroy(s.pool);
    }
}

static void ignore(void *context, const tarn_report *report)
{
    (void)context;
    (void)report;
}

/* Takes are refused; a release comes through, as a free does. */
static void a_detached_cache_takes_nothing(void **state)
{
    (void)state;
    for (handles_way way = BY_CACHE; way <= BY_EXACT; way++) {
        handles_stage s = handles_start(way, CAPACITY, (tarn_pool_options){.report = ignore});
        void *object;
        tarn_handle live = handles_take_one(&s, &object), handle = {7};
        kit_detach(s.cache);
        expect_take(tarn_take(s.cache, &handle, &object), TARN_ERROR_NOT_ATTACHED, &handle,
                    &object);
        kit_expect_conserved(s.pool, 1);
        kit_expect_status(tarn_release(s.cache, live), TARN_OK);
        kit_expect_status(tarn_release(s.cache, live), TARN_ERROR_STALE);
        kit_expect_conserved(s.pool, 0);
        kit_destroy(s.pool);
    }
}

static void a_pool_without_handles_refuses_them(void **state)
{
    (void)state;
    for (int exact = 0; exact <= 1; exact++) {
        tarn_pool_options options = {.object_bytes = 16, .capacity = 9, .exact = exact};
        tarn_pool *pool = kit_pool(&options);
        tarn_cache *cache = kit_attach(pool);
        assert_false(kit_info(pool).handles);
        assert_int_equal(kit_info(pool).lives_max, 0);
        void *object = tarn_alloc(cache), *taken = object;
        tarn_handle handle = {7};
        expect_take(tarn_take(cache, &handle, &taken), TARN_ERROR_INVALID, &handle, &taken);
        handle.bits = 7, taken = object;
        expect_take(tarn_guest_take(pool, &handle, &taken), TARN_ERROR_INVALID, &handle, &taken);
        for (uint64_t bits = 0; bits < 4; bits++) {
            handle.bits = bits;
            assert_null(tarn_resolve(pool, handle));
            kit_expect_status(tarn_release(cache, handle), TARN_ERROR_INVALID);
            kit_expect_status(tarn_guest_release(pool, handle), TARN_ERROR_INVALID);
        }
        assert_true(tarn_handle_is_none(tarn_handle_of(pool, object)));
        kit_expect_conserved(pool, 1);
        tarn_free(cache, object);
        kit_destroy(pool);
    }
    kit_expect_status(tarn_release(NULL, none), TARN_ERROR_INVALID);
    kit_expect_status(tarn_guest_release(NULL, none), TARN_ERROR_INVALID);
}

static void j2_a_handle_polled_for_ever_stays_stale(void **state)
{
    (void)state;
    enum { ROUNDS = 20000 };
    for (handles_way way = 0; way < HANDLES_WAYS; way++) {
        handles_stage s = handles_start(way, 1, plain);
        void *object;
        tarn_handle polled = handles_take_one(&s, &object), last = polled;
        kit_expect_status(handles_release(&s, polled), TARN_OK);
        for (int i = 0; i < ROUNDS; i++) {
            kit_expect_status(handles_take(&s, &last, &object), TARN_OK);
            assert_null(tarn_resolve(s.pool, polled));
            kit_expect_status(handles_release(&s, polled), TARN_ERROR_STALE);
            assert_ptr_equal(tarn_resolve(s.pool, last), object);
            kit_expect_status(handles_release(&s, last), TARN_OK);
        }
        if (tarn_handle_index(s.pool, last) == tarn_handle_index(s.pool, polled))
            assert_int_equal(tarn_handle_generation(s.pool, last), ROUNDS + 1);
        else
            assert_true(kit_info(s.pool).slots_carved > 1);
        handles_expect_stale(&s, polled);
        kit_destroy(s.pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t42_a_handle_whose_life_has_ended_is_refused),
        cmocka_unit_test(t42_a_zero_handle_is_never_valid),
        cmocka_unit_test(t36_a_handle_is_stale_wherever_its_object_lies),
        cmocka_unit_test(allocs_and_frees_by_pointer_move_generations_on),
        cmocka_unit_test(clear_makes_every_handle_stale),
        cmocka_unit_test(a_handle_is_had_by_the_start_of_a_live_object_alone),
        cmocka_unit_test(a_take_that_fails_gives_nothing),
        cmocka_unit_test(a_detached_cache_takes_nothing),
        cmocka_unit_test(a_pool_without_handles_refuses_them),
        cmocka_unit_test(j2_a_handle_polled_for_ever_stays_stale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
