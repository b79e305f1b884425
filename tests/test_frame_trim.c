/* Memory that frames do not need any more goes back to the system: by trim, by maintain. */
#include "support/keep_kit.h"

/* A spike of scratch and spans, and light frames until decay has let it go. */
static tarn_frame *after_a_spike(tarn_lane **lane, size_t *committed_peak)
{
    enum { SPIKE = 300 };
    tarn_frame *frame = keep_create((tarn_frame_options){0});
    *lane = frame_kit_attach(frame, NULL);
    keep_use_blocks(frame, *lane, SPIKE);
    *committed_peak = keep_hooks.committed_bytes;
    assert_true(*committed_peak >= SPIKE * KEEP_BLOCK_BYTES);
    for (int i = 0; i < 400; i++)
        keep_use_blocks(frame, *lane, 1);
    assert_in_range(frame_kit_sample(frame).held_bytes, KEEP_BLOCK_BYTES, 2 * KEEP_BLOCK_BYTES);
    return frame;
}

static void expect_use_again(tarn_frame *frame, tarn_lane *lane)
{
    keep_use_blocks(frame, lane, 300);
    assert_int_equal(keep_blocks_of(frame, lane), 300);
}

static void a_spike_goes_back_by_trim(void **state)
{
    (void)state;
    tarn_lane *lane;
    size_t peak, bytes = 0;
    tarn_frame *frame = after_a_spike(&lane, &peak);
    assert_int_equal(keep_hooks.decommits, 0);
    kit_expect_status(tarn_frame_trim(frame, &bytes), TARN_OK);
    assert_true(bytes > 200 * (size_t)KEEP_BLOCK_BYTES);
    assert_int_equal(peak - keep_hooks.committed_bytes, bytes);
    expect_use_again(frame, lane);
    keep_destroy(frame);
}

static void a_spike_goes_back_by_maintain_in_bites(void **state)
{
    (void)state;
    enum { BITE = 16 * KEEP_BLOCK_BYTES };
    tarn_lane *lane;
    size_t peak, total = 0;
    tarn_frame *frame = after_a_spike(&lane, &peak);
    for (int i = 0; i < 2000; i++) {
        size_t bytes = 0;
        kit_expect_status(tarn_frame_maintain(frame, BITE, &bytes), TARN_OK);
        assert_true(bytes <= BITE);
        total += bytes;
        keep_use_blocks(frame, lane, 1);
    }
    assert_true(total > 200 * (size_t)KEEP_BLOCK_BYTES);
    assert_int_equal(peak - keep_hooks.committed_bytes, total);
    expect_use_again(frame, lane);
    keep_destroy(frame);
}

/* A lane that nobody has does not keep its memory from a trim. */
static void a_trim_empties_detached_lanes(void **state)
{
    (void)state;
    tarn_frame *frame = keep_create((tarn_frame_options){.frames_in_flight = 2});
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    keep_use_blocks(frame, lane, 40);
    frame_kit_enter(lane);
    assert_non_null(tarn_frame_alloc(lane, 9000));
    assert_non_null(tarn_frame_alloc(lane, 20000));
    char *kept = tarn_frame_alloc(lane, 100);
    frame_kit_fill(kept, 100, 1);
    kit_expect_status(tarn_lane_detach(lane), TARN_OK);
    frame_kit_end(frame); /* drops the first, keeps the second */
    kit_expect_status(tarn_frame_trim(frame, NULL), TARN_OK);
    assert_int_equal(keep_blocks_of(frame, lane), 1);
    assert_int_equal(frame_kit_lane(frame, lane).spans, 2);
    assert_true(frame_kit_is_filled(kept, 100, 1));
    frame_kit_end(frame);
    kit_expect_status(tarn_frame_trim(frame, NULL), TARN_OK);
    assert_int_equal(frame_kit_sample(frame).held_bytes, 0);
    lane = frame_kit_attach(frame, NULL);
    keep_use_blocks(frame, lane, 40);
    keep_destroy(frame);
}

/* A frame pool's object is destroyed when its lane is emptied. */
static void look_at_the_owner(void *frame, void *object)
{
    (void)object;
    tarn_u64 *owner = &(*(tarn_frame **)frame)->lanes[0].owner;
    assert_int_equal(tarn_u64_load_relaxed(owner), TARN_LANE_BUSY);
}

static void a_lane_is_nobody_elses_while_it_is_emptied(void **state)
{
    (void)state;
    tarn_frame *frame = frame_kit_create((tarn_frame_options){0});
    tarn_frame_pool *pool = NULL;
    tarn_frame_pool_options options = {.object_bytes = 16,
                                       .hooks = {&frame, NULL, NULL, look_at_the_owner, false}};
    kit_expect_status(tarn_frame_pool_create(frame, &options, &pool), TARN_OK);
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    frame_kit_enter(lane);
    assert_non_null(tarn_frame_pool_alloc(pool, lane));
    kit_expect_status(tarn_lane_detach(lane), TARN_OK);
    frame_kit_end(frame);
    kit_expect_status(tarn_frame_trim(frame, NULL), TARN_OK);
    assert_int_equal(frame_kit_sample(frame).held_bytes, 0);
    lane = frame_kit_attach(frame, NULL);
    kit_expect_status(tarn_lane_detach(lane), TARN_OK);
    frame_kit_destroy(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spike_goes_back_by_trim),
        cmocka_unit_test(a_spike_goes_back_by_maintain_in_bites),
        cmocka_unit_test(a_trim_empties_detached_lanes),
        cmocka_unit_test(a_lane_is_nobody_elses_while_it_is_emptied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
