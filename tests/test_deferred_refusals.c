/* Deferred objects that others release, evict or defer too, and what cannot be deferred. */
#include "support/deferred_kit.h"

/* ---- handles ---- */

static tarn_handle take(tarn_pool *pool)
{
    tarn_handle handle;
    kit_expect_status(tarn_guest_take(pool, &handle, NULL), TARN_OK);
    return handle;
}

static void a_handle_is_stale_at_once_where_the_host_says_so(void **state)
{
    (void)state;
    tarn_pool *pool = pool_of(EXACT_HANDLES, 1);
    tarn_frame *frame = frame_with(1, false);
    tarn_lane *lane = frame_kit_attach(frame, "test");
    tarn_handle handle = take(pool);
    char *object = tarn_resolve(pool, handle);
    object[5] = 42;
    frame_kit_enter(lane);
    kit_expect_status(tarn_frame_defer_release(lane, pool, handle, TARN_STALE_AT_ONCE), TARN_OK);
    assert_null(tarn_resolve(pool, handle));
    for (way how = AT_ONCE; how < WAYS; how++)
        kit_expect_status(
            tarn_frame_defer_release(lane, pool, handle,
                                     how == AT_ONCE ? TARN_STALE_AT_ONCE : TARN_STALE_AT_DROP),
            TARN_ERROR_STALE);
    kit_expect_status(tarn_guest_release(pool, handle), TARN_ERROR_STALE);
    assert_int_equal(frame_kit_sample(frame).deferred, 1); /* refusals are none */
    assert_null(tarn_guest_alloc(pool));
    assert_int_equal(object[5], 42); /* the object stays what it was */
    frame_kit_leave(lane);
    frame_kit_end(frame);
    frame_kit_enter(lane);
    frame_kit_leave(lane);
    assert_int_equal(frame_kit_sample(frame).deferred_stale, 0);
    assert_ptr_equal(tarn_guest_alloc(pool), object);
    frames_destroy(frame);
    end_pool(pool, 1);
}

static void a_handle_stays_valid_until_the_drop_where_the_host_says_so(void **state)
{
    (void)state;
    for (int by_pointer = 0; by_pointer <= 1; by_pointer++) {
        tarn_pool *pool = pool_of(HANDLES, 10);
        tarn_frame *frame = frame_with(2, false);
        tarn_lane *lane = frame_kit_attach(frame, "test");
        tarn_handle handle = take(pool);
        void *object = tarn_resolve(pool, handle);
        frame_kit_enter(lane);
        defer(lane, pool, by_pointer ? BY_POINTER : AT_DROP, object);
        frame_kit_leave(lane);
        for (uint32_t n = 0; n < 2; n++) {
            assert_ptr_equal(tarn_resolve(pool, handle), object);
            frame_kit_end(frame);
        }
        frame_kit_enter(lane);
        assert_null(tarn_resolve(pool, handle));
        frame_kit_leave(lane);
        frames_destroy(frame);
        end_pool(pool, 0);
    }
}

/* Its slot may hold a new life by then, which is none of the frame's business. */
static void who_releases_a_deferred_handle_first_is_first(void **state)
{
    (void)state;
    for (int is_taken_anew = 0; is_taken_anew <= 1; is_taken_anew++)
        for (int by_pointer = 0; by_pointer <= 1; by_pointer++) {
            tarn_pool *pool = pool_of(EXACT_HANDLES, 1);
            tarn_frame *frame = frame_with(1, false);
            tarn_lane *lane = frame_kit_attach(frame, "test");
            tarn_handle handle = take(pool);
            frame_kit_enter(lane);
            defer(lane, pool, by_pointer ? BY_POINTER : AT_DROP, tarn_resolve(pool, handle));
            kit_expect_status(tarn_guest_release(pool, handle), TARN_OK);
            tarn_handle later = {0};
            if (is_taken_anew)
                later = take(pool);
            frame_kit_leave(lane);
            frame_kit_end(frame);
            frame_kit_enter(lane);
            frame_kit_leave(lane);
            assert_int_equal(frame_kit_sample(frame).deferred_stale, 1);
            assert_int_equal(frame_kit_sample(frame).deferred, 0);
            kit_expect_conserved(pool, is_taken_anew);
            if (is_taken_anew)
                assert_non_null(tarn_resolve(pool, later));
            frames_destroy(frame);
            end_pool(pool, is_taken_anew);
        }
}

static void what_is_deferred_twice_until_the_drop_is_freed_once(void **state)
{
    (void)state;
    tarn_pool *pool = pool_of(HANDLES, 10);
    tarn_frame *frame = frame_with(1, false);
    tarn_lane *lanes[2] = {frame_kit_attach(frame, "test"), frame_kit_attach(frame, "test")};
    void *objects[10];
    take_many(pool, objects, 10);
    for (uint32_t i = 0; i < 2; i++) {
        frame_kit_enter(lanes[i]);
        for (uint32_t k = 0; k < 5; k++)
            defer(lanes[i], pool, k % 2 ? AT_DROP : BY_POINTER, objects[k]);
        frame_kit_leave(lanes[i]);
    }
    for (uint32_t n = 0; n < 2; n++) {
        frame_kit_end(frame);
        frame_kit_enter(lanes[0]);
        frame_kit_leave(lanes[0]);
        kit_expect_conserved(pool, n == 0 ? 10 : 5);
        assert_int_equal(frame_kit_sample(frame).deferred_stale, 5);
    }
    frames_destroy(frame);
    end_pool(pool, 5);
}

static tarn_handle victim;

static tarn_handle name_victim(void *context, tarn_pool *pool)
{
    (void)context, (void)pool;
    return victim;
}

static void a_deferred_object_that_is_evicted_is_not_freed_again(void **state)
{
    (void)state;
    for (way how = 0; how < WAYS; how++) {
        tarn_pool_options options = {
            .object_bytes = 32, .capacity = 4, .exact = true, .evict = name_victim};
        tarn_pool *pool = kit_pool(&options);
        tarn_frame *frame = frame_with(1, false);
        tarn_lane *lane = frame_kit_attach(frame, "test");
        tarn_handle handles[4];
        for (uint32_t i = 0; i < 4; i++)
            handles[i] = take(pool);
        frame_kit_enter(lane);
        defer(lane, pool, how, tarn_resolve(pool, handles[2]));
        victim = handles[2];
        tarn_handle later = {0};
        tarn_status status = tarn_guest_take(pool, &later, NULL);
        if (how == AT_ONCE) { /* its life is over, and its memory still read */
            assert_true(status == TARN_ERROR_FULL || status == TARN_ERROR_PINNED);
        } else {
            kit_expect_status(status, TARN_OK);
            assert_null(tarn_resolve(pool, handles[2]));
        }
        frame_kit_leave(lane);
        frame_kit_end(frame);
        frame_kit_enter(lane);
        frame_kit_leave(lane);
        assert_int_equal(frame_kit_sample(frame).deferred_stale, how != AT_ONCE);
        kit_expect_conserved(pool, how == AT_ONCE ? 3 : 4);
        assert_int_equal(tarn_resolve(pool, later) != NULL, how != AT_ONCE);
        frames_destroy(frame);
        kit_clear_and_destroy(pool);
    }
}

/* ---- refusals ---- */

static void expect_refusals(kind k)
{
    tarn_pool *pool = pool_of(k, 10);
    tarn_pool *other = kit_small_pool(10, 1, 0);
    tarn_frame *frame = frame_with(1, false);
    tarn_lane *lane = frame_kit_attach(frame, "test");
    char *object = tarn_guest_alloc(pool);
    void *foreign = tarn_guest_alloc(other);
    kit_expect_status(tarn_frame_defer_free(NULL, pool, object), TARN_ERROR_INVALID);
    kit_expect_status(tarn_frame_defer_free(lane, NULL, object), TARN_ERROR_INVALID);
    kit_expect_status(tarn_frame_defer_free(lane, pool, object), TARN_ERROR_OUTSIDE);
    tarn_handle handle = tarn_handle_of(pool, object);
    for (way how = AT_ONCE; how < WAYS; how++) {
        tarn_stale_when when = how == AT_ONCE ? TARN_STALE_AT_ONCE : TARN_STALE_AT_DROP;
        kit_expect_status(tarn_frame_defer_release(NULL, pool, handle, when), TARN_ERROR_INVALID);
        kit_expect_status(tarn_frame_defer_release(lane, NULL, handle, when), TARN_ERROR_INVALID);
        kit_expect_status(tarn_frame_defer_release(lane, pool, handle, when), TARN_ERROR_OUTSIDE);
    }
    frame_kit_enter(lane);
    void *wrong[] = {foreign, object + 1, object + 16, object - 1, &pool, NULL};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        kit_expect_status(tarn_frame_defer_free(lane, pool, wrong[i]), TARN_ERROR_FOREIGN);
        assert_int_equal(pool_log.count, kit_info(pool).checked ? i + 1 : 0);
    }
    pool_log.count = 0;
    for (way how = AT_ONCE; how < WAYS; how++) {
        tarn_stale_when when = how == AT_ONCE ? TARN_STALE_AT_ONCE : TARN_STALE_AT_DROP;
        kit_expect_status(tarn_frame_defer_release(lane, pool, (tarn_handle){0}, when),
                          k < HANDLES ? TARN_ERROR_INVALID : TARN_ERROR_STALE);
    }
    assert_int_equal(frame_kit_sample(frame).deferred, 0);
    frame_kit_leave(lane);
    frame_kit_end(frame);
    frame_kit_enter(lane);
    frame_kit_leave(lane);
    frames_destroy(frame);
    end_pool(pool, 1);
    tarn_guest_free(other, foreign);
    kit_destroy(other);
}

static void what_cannot_be_deferred_is_refused_and_stays_the_callers(void **state)
{
    (void)state;
    for (kind k = 0; k < KINDS; k++)
        expect_refusals(k);
}

static void expect_bound(size_t deferred_max, way how)
{
    enum { LANES = 3, OBJECTS = 400 };
    tarn_pool *pool = pool_of(HANDLES, OBJECTS);
    tarn_frame *frame = frames_create(
        (tarn_frame_options){.frames_in_flight = 2, .lanes_max = 4, .deferred_max = deferred_max});
    tarn_lane *lanes[LANES];
    void *objects[OBJECTS];
    for (uint32_t i = 0; i < LANES; i++)
        lanes[i] = frame_kit_attach(frame, "test");
    for (uint32_t round = 0; round < 4; round++) {
        take_many(pool, objects, OBJECTS);
        for (uint32_t i = 0; i < LANES; i++)
            frame_kit_enter(lanes[i]);
        for (size_t i = 0; i < OBJECTS; i++)
            kit_expect_status(try_defer(lanes[i % LANES], pool, how, objects[i]),
                              i < deferred_max ? TARN_OK : TARN_ERROR_FULL);
        assert_int_equal(frame_kit_sample(frame).deferred, deferred_max);
        for (uint32_t i = 0; i < LANES; i++)
            frame_kit_leave(lanes[i]);
        for (size_t i = deferred_max; i < OBJECTS; i++) { /* still the caller's, and live */
            assert_false(tarn_handle_is_none(tarn_handle_of(pool, objects[i])));
            tarn_guest_free(pool, objects[i]);
        }
        kit_expect_conserved(pool, deferred_max);
        for (uint32_t n = 0; n < delay_of(HANDLES, how, 2); n++) {
            kit_expect_conserved(pool, deferred_max);
            frame_kit_end(frame);
            kit_expect_status(tarn_frame_reclaim(frame, SIZE_MAX, NULL), TARN_OK);
        }
        kit_expect_conserved(pool, 0);
        assert_int_equal(frame_kit_sample(frame).deferred, 0);
    }
    frames_destroy(frame);
    end_pool(pool, 0);
}

static void the_bound_refuses_the_next_one_and_nothing_is_lost(void **state)
{
    (void)state;
    static const size_t bounds[] = {1, 2, 62, 63, 64, 100, 126, 127, 399};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        for (way how = 0; how < WAYS; how++)
            expect_bound(bounds[i], how);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handle_is_stale_at_once_where_the_host_says_so),
        cmocka_unit_test(a_handle_stays_valid_until_the_drop_where_the_host_says_so),
        cmocka_unit_test(who_releases_a_deferred_handle_first_is_first),
        cmocka_unit_test(what_is_deferred_twice_until_the_drop_is_freed_once),
        cmocka_unit_test(a_deferred_object_that_is_evicted_is_not_freed_again),
        cmocka_unit_test(what_cannot_be_deferred_is_refused_and_stays_the_callers),
        cmocka_unit_test(the_bound_refuses_the_next_one_and_nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
