/* T78: wherever the memory functions fail, the frame's call says so, nothing is lost, nothing
 * leaks, and the next attempt goes on. */
#include "support/check.h"
#include "support/frames.h"
#include "support/memory_hooks.h"

#include "tarn/guest.h"

enum { BLOCK = TARN_FRAME_BLOCK_BYTES_MIN, FAULTS_MAX = 100 };

static memory_hooks hooks;

static tarn_frame_options options_of(uint32_t in_flight)
{
    return (tarn_frame_options){.frames_in_flight = in_flight,
                                .lanes_max = 4,
                                .block_bytes = BLOCK,
                                .memory_bytes = BLOCK,
                                .memory_bytes_max = 256 * BLOCK,
                                .memory = &hooks.memory};
}

static tarn_frame *open_frame(uint32_t in_flight)
{
    memory_hooks_init(&hooks, 4096);
    return frames_create(options_of(in_flight));
}

static void close_frame(tarn_frame *frame)
{
    frames_destroy(frame);
    check_that(memory_hooks_are_balanced(&hooks), "%s", hooks.violation ? hooks.violation : "");
    memory_hooks_destroy(&hooks);
}

/* ---- creation ---- */

static void t78_a_frames_creation_fails_cleanly_at_each_of_its_memory_calls(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        assert_true(n <= FAULTS_MAX);
        memory_hooks_init(&hooks, 4096);
        hooks.fail_at = n;
        tarn_frame_options options = options_of(2);
        tarn_frame *frame = (tarn_frame *)(void *)&hooks;
        tarn_status status = tarn_frame_create(&options, &frame);
        if (status == TARN_OK) {
            assert_int_equal(hooks.failures, 0);
            assert_true(n > 6); /* the frame's own, blocks', batches': two each at least */
            close_frame(frame);
            return;
        }
        assert_int_equal(status, TARN_ERROR_NO_MEMORY);
        assert_null(frame);
        assert_int_equal(hooks.calls, n); /* it stopped at the failure */
        assert_true(memory_hooks_are_balanced(&hooks));
        memory_hooks_destroy(&hooks);
    }
}

static void t78_attaching_needs_no_memory(void **state)
{
    (void)state;
    tarn_frame *frame = open_frame(1);
    memory_hooks_restart(&hooks);
    hooks.fail_from = 1;
    for (uint32_t i = 0; i < 3; i++) {
        tarn_lane *lane = frame_kit_attach(frame, "test");
        frame_kit_enter(lane);
        frame_kit_leave(lane);
    }
    assert_non_null(tarn_guest_lane(frame));
    frame_kit_end(frame);
    assert_int_equal(hooks.calls, 0);
    close_frame(frame);
}

/* ---- allocation ---- */

typedef struct stage {
    tarn_frame *frame;
    tarn_lane *lane;
    tarn_frame_pool *pool;
} stage;

static stage start(void)
{
    stage s = {.frame = open_frame(2)};
    tarn_frame_pool_options options = {.object_bytes = 500};
    s.lane = frame_kit_attach(s.frame, "test");
    kit_expect_status(tarn_frame_pool_create(s.frame, &options, &s.pool), TARN_OK);
    frame_kit_enter(s.lane);
    return s;
}

static void finish(stage *s)
{
    frame_kit_leave(s->lane);
    close_frame(s->frame);
}

typedef void *alloc_function(stage *s);

static void *small_one(stage *s)
{
    return tarn_frame_alloc(s->lane, 500);
}

static void *aligned_one(stage *s)
{
    return tarn_frame_alloc_aligned(s->lane, 500, 512);
}

static void *object(stage *s)
{
    return tarn_frame_pool_alloc(s->pool, s->lane);
}

static void *large_one(stage *s)
{
    return tarn_frame_alloc(s->lane, 2 * BLOCK);
}

static void *large_aligned_one(stage *s)
{
    return tarn_frame_alloc_aligned(s->lane, 2 * BLOCK, 2 * BLOCK);
}

static alloc_function *const functions[] = {small_one, aligned_one, object, large_one,
                                            large_aligned_one};
enum { FUNCTIONS = sizeof functions / sizeof *functions, LARGE = 2 };

/* Whichever memory call an allocation makes fails, until one needs none that fails. */
static void fail_each_call_of(stage *s, alloc_function *alloc)
{
    for (uint64_t n = 1;; n++) {
        assert_true(n <= FAULTS_MAX);
        tarn_frame_statistics before = frame_kit_sample(s->frame);
        memory_hooks_restart(&hooks);
        hooks.fail_at = n;
        unsigned char *memory = alloc(s);
        if (memory) {
            memset(memory, 0xA5, 500); /* faults if it was not committed */
            return;
        }
        assert_int_equal(hooks.failures, 1); /* one try per allocation */
        tarn_frame_statistics after = frame_kit_sample(s->frame);
        assert_int_equal(after.overflows_full, before.overflows_full + 1);
        assert_int_equal(after.held_bytes, before.held_bytes);
        assert_int_equal(after.committed_bytes, hooks.committed_bytes);
    }
}

static void t78_an_allocation_that_fails_anywhere_loses_nothing_and_works_later(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        stage s = start();
        bool is_large = i >= FUNCTIONS - LARGE;
        for (uint32_t n = 0; is_large ? n < 9 : frame_kit_sample(s.frame).overflows_full < 2; n++) {
            fail_each_call_of(&s, functions[i]);
            assert_int_equal(frame_kit_sample(s.frame).committed_bytes, hooks.committed_bytes);
        }
        assert_true(frame_kit_sample(s.frame).overflows_full >= (is_large ? 18 : 2));
        finish(&s);
    }
}

static void what_is_there_is_served_while_memory_fails(void **state)
{
    (void)state;
    stage s = start();
    for (uint32_t n = 0; n < 8; n++) {
        if (n >= 2) { /* both frames in flight have had theirs */
            memory_hooks_restart(&hooks);
            hooks.fail_from = 1;
        }
        for (uint32_t i = 0; i < FUNCTIONS; i++)
            assert_non_null(functions[i](&s));
        frame_kit_leave(s.lane);
        frame_kit_end(s.frame);
        frame_kit_enter(s.lane);
    }
    assert_int_equal(hooks.calls, 0);
    finish(&s);
}

/* ---- frame pools ---- */

static void t78_a_frame_pools_creation_fails_cleanly_at_each_of_its_memory_calls(void **state)
{
    (void)state;
    stage s = start();
    size_t committed = hooks.committed_bytes, reserved = hooks.reserved_bytes;
    for (uint64_t n = 1;; n++) {
        assert_true(n <= FAULTS_MAX);
        memory_hooks_restart(&hooks);
        hooks.fail_at = n;
        tarn_frame_pool *pool = (tarn_frame_pool *)(void *)&hooks;
        tarn_frame_pool_options options = {.object_bytes = 8};
        tarn_status status = tarn_frame_pool_create(s.frame, &options, &pool);
        if (status == TARN_OK) {
            assert_true(n > 1);
            assert_int_equal(frame_kit_sample(s.frame).committed_bytes, hooks.committed_bytes);
            kit_expect_status(tarn_frame_pool_destroy(pool), TARN_OK);
            break;
        }
        kit_expect_status(status, TARN_ERROR_NO_MEMORY);
        assert_null(pool);
        assert_int_equal(hooks.reserved_bytes, reserved);
        assert_int_equal(frame_kit_sample(s.frame).committed_bytes, committed);
    }
    memory_hooks_restart(&hooks);
    tarn_frame_pool *too_large = NULL;
    tarn_frame_pool_options options = {.object_bytes = BLOCK};
    kit_expect_status(tarn_frame_pool_create(s.frame, &options, &too_large), TARN_ERROR_TOO_LARGE);
    assert_int_equal(hooks.committed_bytes, committed);
    assert_int_equal(hooks.reserved_bytes, reserved);
    finish(&s);
}

/* ---- deferred frees ---- */

static tarn_status defer(stage *s, tarn_pool *pool, void *of_pool, bool by_handle)
{
    if (!by_handle)
        return tarn_frame_defer_free(s->lane, pool, of_pool);
    return tarn_frame_defer_release(s->lane, pool, tarn_handle_of(pool, of_pool),
                                    TARN_STALE_AT_ONCE);
}

/* Each deferral that needs memory is refused first; the object stays the caller's. */
static void expect_deferrals(bool by_handle)
{
    enum { COUNT = 1500 };
    tarn_pool_options options = {
        .object_bytes = 16, .capacity = COUNT, .caches_max = 1, .handles = by_handle};
    tarn_pool *pool = kit_pool(&options);
    stage s = start();
    uint32_t refusals = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        void *of_pool = tarn_guest_alloc(pool);
        memory_hooks_restart(&hooks);
        hooks.fail_from = 1;
        tarn_status status = defer(&s, pool, of_pool, by_handle);
        if (hooks.failures > 0) {
            kit_expect_status(status, TARN_ERROR_FULL);
            assert_int_equal(frame_kit_sample(s.frame).deferred, i);
            if (by_handle)
                assert_false(tarn_handle_is_none(tarn_handle_of(pool, of_pool)));
            memory_hooks_restart(&hooks);
            status = defer(&s, pool, of_pool, by_handle);
            refusals++;
        }
        kit_expect_status(status, TARN_OK);
        assert_int_equal(frame_kit_sample(s.frame).deferred, i + 1);
    }
    assert_true(refusals > 0);
    kit_expect_conserved(pool, COUNT);
    memory_hooks_restart(&hooks);
    hooks.fail_from = 1; /* doing them needs none */
    for (uint32_t n = 0; n < 2; n++) {
        frame_kit_leave(s.lane);
        frame_kit_end(s.frame);
        frame_kit_enter(s.lane);
    }
    kit_expect_conserved(pool, 0);
    assert_int_equal(hooks.calls, 0);
    finish(&s);
    kit_destroy(pool);
}

static void t78_a_deferral_without_memory_is_refused_and_the_object_stays_the_callers(void **state)
{
    (void)state;
    expect_deferrals(false);
    expect_deferrals(true);
}

static void t78_refused_deferrals_take_nothing_of_the_bound(void **state)
{
    (void)state;
    tarn_pool *pool = kit_small_pool(100, 1, 0);
    memory_hooks_init(&hooks, 4096);
    tarn_frame_options options = options_of(1);
    options.deferred_max = 70;
    stage s = {.frame = frames_create(options)};
    s.lane = frame_kit_attach(s.frame, "test");
    frame_kit_enter(s.lane);
    void *of_pool = tarn_guest_alloc(pool);
    memory_hooks_restart(&hooks);
    hooks.fail_from = 1;
    uint32_t refused = 0;
    uint32_t done = 0;
    for (; refused < 200 && done<70; refused += hooks.failures> 0) {
        uint64_t failures = hooks.failures;
        tarn_status status = tarn_frame_defer_free(s.lane, pool, of_pool);
        if (status == TARN_OK) {
            done++;
            of_pool = tarn_guest_alloc(pool);
        } else {
            assert_int_equal(hooks.failures, failures + 1);
        }
    }
    memory_hooks_restart(&hooks);
    for (; done < 70; done++) {
        kit_expect_status(tarn_frame_defer_free(s.lane, pool, of_pool), TARN_OK);
        of_pool = tarn_guest_alloc(pool);
    }
    kit_expect_status(tarn_frame_defer_free(s.lane, pool, of_pool), TARN_ERROR_FULL);
    finish(&s);
    kit_expect_conserved(pool, 1);
    kit_clear_and_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t78_a_frames_creation_fails_cleanly_at_each_of_its_memory_calls),
        cmocka_unit_test(t78_attaching_needs_no_memory),
        cmocka_unit_test(t78_an_allocation_that_fails_anywhere_loses_nothing_and_works_later),
        cmocka_unit_test(what_is_there_is_served_while_memory_fails),
        cmocka_unit_test(t78_a_frame_pools_creation_fails_cleanly_at_each_of_its_memory_calls),
        cmocka_unit_test(t78_a_deferral_without_memory_is_refused_and_the_object_stays_the_callers),
        cmocka_unit_test(t78_refused_deferrals_take_nothing_of_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
