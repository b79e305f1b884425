/* What a frame and its lanes tell of themselves, also to other threads in the midst of a frame. */
#include "support/frames.h"

#include "tarn/guest.h"

enum { BLOCK = TARN_FRAME_BLOCK_BYTES_MIN };

static bool is_watched(void) /* red zones count too */
{
    tarn_pool *pool = kit_small_pool(1, 1, 0);
    bool is = kit_is_watched(pool);
    kit_destroy(pool);
    return is;
}

static size_t red_zone(void)
{
    return is_watched() ? 16 : 0;
}

/* ---- one thread ---- */

static void bytes_are_seen_at_each_allocation(void **state)
{
    (void)state;
    tarn_frame *frame = frames_in_flight(2);
    tarn_lane *lane = frame_kit_attach(frame, "test");
    size_t most = 0;
    for (uint64_t n = 0; n < 6; n++) {
        size_t bytes = 0;
        assert_int_equal(frame_kit_lane_at(frame, 0).bytes, 0); /* not turned to the frame yet */
        frame_kit_enter(lane);
        for (uint32_t i = 1; i <= 50 + n % 3; i++) {
            size_t size = i % 10 ? i * 7 : (size_t)i * 500;
            assert_non_null(tarn_frame_alloc(lane, size));
            tarn_lane_statistics seen = frame_kit_lane_at(frame, 0);
            assert_true(seen.bytes >= bytes + size);
            assert_true(seen.bytes <= bytes + size + 16 + red_zone());
            bytes = seen.bytes;
            most = bytes > most ? bytes : most;
            assert_int_equal(seen.bytes_peak, most);
            assert_true(seen.inside && seen.attached);
        }
        frame_kit_leave(lane);
        assert_int_equal(frame_kit_lane_at(frame, 0).bytes, bytes);
        assert_false(frame_kit_lane_at(frame, 0).inside);
        frame_kit_end(frame);
    }
    frames_destroy(frame);
}

static void a_rewind_takes_bytes_back_and_the_peak_stays(void **state)
{
    (void)state;
    tarn_frame *frame = frames_in_flight(1);
    tarn_lane *lane = frame_kit_attach(frame, "test");
    frame_kit_enter(lane);
    assert_non_null(tarn_frame_alloc(lane, 64));
    size_t before = frame_kit_lane_at(frame, 0).bytes;
    tarn_mark mark = tarn_lane_mark(lane);
    for (uint32_t i = 0; i < 100; i++)
        assert_non_null(tarn_frame_alloc(lane, 992));
    kit_expect_status(tarn_lane_rewind(lane, mark), TARN_OK);
    assert_int_equal(frame_kit_lane_at(frame, 0).bytes, before);
    frame_kit_leave(lane);
    frame_kit_end(frame);
    frame_kit_enter(lane);
    tarn_lane_statistics seen = frame_kit_lane_at(frame, 0);
    assert_true(seen.bytes_peak >= 100 * 992 + 64);
    assert_int_equal(seen.bytes, 0);
    assert_int_equal(seen.frames_by_size[17], 1); /* 64 to 128 KiB */
    frame_kit_leave(lane);
    frames_destroy(frame);
}

static void the_histogram_has_each_frame_once(void **state)
{
    (void)state;
    tarn_frame *frame = frames_create((tarn_frame_options){.lanes_max = 2});
    tarn_lane *lane = frame_kit_attach(frame, "test");
    uint64_t expected[TARN_LANE_SIZES] = {0};
    size_t extra = red_zone();
    for (uint64_t n = 0; n < 400; n++) {
        if (n % 5 == 4) { /* a lane that stays away has none */
            expected[0]++;
        } else {
            size_t bytes = (size_t)16 << n % 14;
            frame_kit_enter(lane);
            if (n % 5 == 3)
                expected[0]++;
            else
                assert_non_null(tarn_frame_alloc(lane, bytes));
            if (n % 5 != 3)
                expected[n % 14 + 5 + (extra == 16 && n % 14 == 0)]++;
            frame_kit_leave(lane);
        }
        frame_kit_end(frame);
    }
    frame_kit_enter(lane);
    tarn_lane_statistics seen = frame_kit_lane_at(frame, 0);
    for (uint32_t i = 0; i < TARN_LANE_SIZES; i++)
        assert_int_equal(seen.frames_by_size[i], expected[i]);
    frame_kit_leave(lane);
    frames_destroy(frame);
}

static void blocks_and_spans_are_counted(void **state)
{
    (void)state;
    tarn_frame *frame = frames_create(
        (tarn_frame_options){.lanes_max = 2, .block_bytes = BLOCK, .retention = TARN_RETAIN_ALL});
    tarn_lane *lane = frame_kit_attach(frame, "test");
    frame_kit_enter(lane);
    for (uint32_t i = 0; i < 3; i++)
        assert_non_null(tarn_frame_alloc(lane, 3 * BLOCK));
    for (uint32_t i = 0; i < 10; i++)
        assert_non_null(tarn_frame_alloc(lane, 1900));
    tarn_lane_statistics seen = frame_kit_lane_at(frame, 0);
    assert_int_equal(seen.blocks, 5);
    assert_int_equal(seen.blocks_kept, 0);
    assert_int_equal(seen.spans, 3);
    assert_int_equal(seen.spans_kept, 0);
    assert_true(seen.span_bytes >= 9 * BLOCK);
    assert_int_equal(frame_kit_sample(frame).held_bytes, seen.span_bytes + 5 * BLOCK);
    frame_kit_leave(lane);
    frame_kit_end(frame);
    frame_kit_enter(lane);
    seen = frame_kit_lane_at(frame, 0);
    assert_int_equal(seen.blocks, 5);
    assert_int_equal(seen.blocks_kept, 5);
    assert_int_equal(seen.spans, 3);
    assert_int_equal(seen.spans_kept, 3);
    assert_non_null(tarn_frame_alloc(lane, 3 * BLOCK));
    assert_non_null(tarn_frame_alloc(lane, 10));
    seen = frame_kit_lane_at(frame, 0);
    assert_int_equal(seen.blocks_kept, 4);
    assert_int_equal(seen.spans_kept, 2);
    frame_kit_leave(lane);
    frames_destroy(frame);
}

static void the_frames_figures_follow_what_happens(void **state)
{
    (void)state;
    tarn_frame *frame = frames_create((tarn_frame_options){
        .frames_in_flight = 2, .gated = true, .lanes_max = 3, .block_bytes = BLOCK});
    tarn_lane *lanes[2] = {frame_kit_attach(frame, "test"), frame_kit_attach(frame, "test")};
    assert_non_null(tarn_guest_lane(frame));
    assert_int_equal(frame_kit_sample(frame).lanes, 3);
    for (uint32_t i = 0; i < 2; i++) {
        frame_kit_enter(lanes[i]);
        assert_int_equal(frame_kit_sample(frame).lanes_inside, i + 1);
    }
    for (uint32_t i = 0; i < 4; i++)
        kit_expect_status(tarn_frame_end(frame, 0, NULL), TARN_ERROR_LATE);
    kit_expect_status(tarn_frame_close(frame, 0, NULL), TARN_ERROR_LATE);
    assert_int_equal(frame_kit_sample(frame).late_refusals, 5);
    for (uint32_t i = 0; i < 2; i++)
        frame_kit_leave(lanes[i]);
    assert_int_equal(frame_kit_sample(frame).lanes_inside, 0);
    for (uint64_t n = 1; n <= 5; n++) {
        assert_true(frame_kit_sample(frame).frame == n);
        if (n > 1)
            kit_expect_status(tarn_frame_complete(frame, n - 1), TARN_OK);
        assert_true(frame_kit_sample(frame).completed == n - 1);
        frame_kit_end(frame);
    }
    assert_int_equal(frame_kit_sample(frame).late_refusals, 5);
    kit_expect_status(tarn_lane_detach(lanes[1]), TARN_OK);
    assert_int_equal(frame_kit_sample(frame).lanes, 2);
    assert_false(frame_kit_lane_at(frame, 1).attached);
    frames_destroy(frame);
}

static void what_nobody_can_sample_is_invalid(void **state)
{
    (void)state;
    tarn_frame *frame = frames_create((tarn_frame_options){.lanes_max = 3});
    tarn_frame_statistics sum;
    tarn_lane_statistics one;
    kit_expect_status(tarn_frame_sample(NULL, &sum), TARN_ERROR_INVALID);
    kit_expect_status(tarn_frame_sample(frame, NULL), TARN_ERROR_INVALID);
    kit_expect_status(tarn_lane_sample(NULL, 0, &one), TARN_ERROR_INVALID);
    kit_expect_status(tarn_lane_sample(frame, 0, NULL), TARN_ERROR_INVALID);
    kit_expect_status(tarn_lane_sample(frame, 2, &one), TARN_OK);
    kit_expect_status(tarn_lane_sample(frame, 3, &one), TARN_ERROR_INVALID);
    kit_expect_status(tarn_lane_sample(frame, UINT32_MAX, &one), TARN_ERROR_INVALID);
    frames_destroy(frame);
}

static void labels_are_cut_and_are_the_present_users(void **state)
{
    (void)state;
    tarn_frame *frame = frames_create((tarn_frame_options){.lanes_max = 1});
    static const char *const labels[][2] = {
        {"a", "a"},
        {"12345678901234567890123", "12345678901234567890123"},
        {"123456789012345678901234", "12345678901234567890123"},
        {"a label that is far too long for it", "a label that is far too"},
        {"", ""},
        {NULL, "lane"},
    };
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++) {
        tarn_lane *lane = NULL;
        kit_expect_status(tarn_lane_attach(frame, labels[i][0], &lane), TARN_OK);
        assert_string_equal(frame_kit_lane_at(frame, 0).label, labels[i][1]);
        kit_expect_status(tarn_lane_detach(lane), TARN_OK);
    }
    frames_destroy(frame);
}

/* J19: a lane takes its blocks for itself, whatever number of tasks use it. */
static void j19_many_tasks_on_few_lanes_hold_few_blocks(void **state)
{
    (void)state;
    enum { LANES = 8, TASKS = 300 };
    tarn_frame *frame = frames_create((tarn_frame_options){.lanes_max = LANES});
    tarn_lane *lanes[LANES];
    for (uint32_t i = 0; i < LANES; i++)
        lanes[i] = frame_kit_attach(frame, "test");
    for (uint32_t n = 0; n < 5; n++) {
        for (uint32_t i = 0; i < TASKS; i++) {
            frame_kit_enter(lanes[i % LANES]);
            assert_non_null(tarn_frame_alloc(lanes[i % LANES], 16));
            frame_kit_leave(lanes[i % LANES]);
        }
        uint32_t blocks = 0;
        size_t bytes = 0;
        for (uint32_t i = 0; i < LANES; i++) {
            blocks += frame_kit_lane_at(frame, i).blocks;
            bytes += frame_kit_lane_at(frame, i).bytes;
        }
        assert_true(blocks <= LANES);
        assert_int_equal(bytes, TASKS * (16 + red_zone()));
        frame_kit_end(frame);
    }
    frames_destroy(frame);
}

/* ---- beside others ---- */

enum { WORKERS = 3, FRAMES = 150, ALLOCS = 150, ALLOC_BYTES_MAX = 3000, DEFERRED_EACH = 5 };

typedef struct team {
    tarn_frame *frame;
    tarn_frame_pool *objects;
    tarn_pool *pool;
    kit_barrier barrier;
    atomic_uint is_over, samples, mid_frame;
} team;

typedef struct member {
    team *t;
    uint32_t number; /* the last one samples */
} member;

static void work_in_frame(team *t, tarn_lane *lane, uint64_t *random, int *failures)
{
    KIT_EXPECT(failures, tarn_lane_enter(lane) == TARN_OK);
    for (uint32_t i = 0; i < ALLOCS; i++) {
        KIT_EXPECT(failures, tarn_frame_alloc(lane, kit_random(random) % ALLOC_BYTES_MAX) != NULL);
        KIT_EXPECT(failures, tarn_frame_pool_alloc(t->objects, lane) != NULL);
    }
    if (tarn_frame_number(t->frame) % 10 == 1) /* whatever the machine does, one comes in here */
        kit_await(&t->samples, atomic_load(&t->samples) + 2);
    for (uint32_t i = 0; i < DEFERRED_EACH; i++) {
        void *object = tarn_guest_alloc(t->pool);
        KIT_EXPECT(failures, object && tarn_frame_defer_free(lane, t->pool, object) == TARN_OK);
    }
    KIT_EXPECT(failures, tarn_lane_leave(lane) == TARN_OK);
}

/* Attaches anew in each frame, so that labels change too. */
static int work(member *m)
{
    team *t = m->t;
    int failures = 0;
    uint64_t random = 5 + m->number;
    static const char *const labels[] = {"audio", "a much longer name", "ai"};
    for (uint32_t n = 0; n < FRAMES; n++) {
        tarn_lane *lane = NULL;
        KIT_EXPECT(&failures, tarn_lane_attach(t->frame, labels[n % 3], &lane) == TARN_OK);
        if (lane)
            work_in_frame(t, lane, &random, &failures);
        KIT_EXPECT(&failures, tarn_lane_detach(lane) == TARN_OK);
        kit_barrier_wait(&t->barrier);
        if (m->number == 0)
            KIT_EXPECT(&failures, tarn_frame_end(t->frame, 0, NULL) == TARN_OK);
        kit_barrier_wait(&t->barrier);
    }
    atomic_fetch_add(&t->is_over, 1);
    return failures;
}

/* T69: whatever is under way, no figure is out of all reason, as one below zero would be. */
static void expect_plausible(team *t, uint64_t *last_frame, uint64_t *last_sizes, int *failures)
{
    tarn_frame_statistics sum;
    tarn_lane_statistics one;
    KIT_EXPECT(failures, tarn_frame_sample(t->frame, &sum) == TARN_OK);
    KIT_EXPECT(failures, sum.frame >= *last_frame && sum.frame <= FRAMES + 1);
    KIT_EXPECT(failures, sum.completed < sum.frame);
    KIT_EXPECT(failures, sum.lanes <= WORKERS && sum.lanes_inside <= WORKERS);
    KIT_EXPECT(failures, sum.held_bytes <= (size_t)1 << 30);
    KIT_EXPECT(failures, sum.deferred <= WORKERS * DEFERRED_EACH * 4);
    KIT_EXPECT(failures, sum.overflows_full == 0 && sum.deferred_stale == 0);
    *last_frame = sum.frame;
    for (uint32_t i = 0; i < WORKERS; i++) {
        size_t most = (size_t)2 * WORKERS * ALLOCS * (ALLOC_BYTES_MAX + 32);
        KIT_EXPECT(failures, tarn_lane_sample(t->frame, i, &one) == TARN_OK);
        KIT_EXPECT(failures, one.bytes <= most && one.bytes_peak <= most);
        KIT_EXPECT(failures, one.bytes <= one.bytes_peak);
        KIT_EXPECT(failures, one.blocks <= 2 * most / BLOCK && one.blocks_kept <= 2 * most / BLOCK);
        KIT_EXPECT(failures, one.spans <= ALLOCS * WORKERS && one.spans_kept <= ALLOCS * WORKERS);
        KIT_EXPECT(failures, one.label[sizeof one.label - 1] == 0);
        uint64_t frames = 0;
        for (uint32_t k = 0; k < TARN_LANE_SIZES; k++)
            frames += one.frames_by_size[k];
        KIT_EXPECT(failures, frames >= last_sizes[i] && frames <= FRAMES);
        last_sizes[i] = frames;
        if (one.inside && one.bytes > 0)
            atomic_fetch_add(&t->mid_frame, 1);
    }
}

static int sample(team *t)
{
    int failures = 0;
    uint64_t last_frame = 0, last_sizes[WORKERS] = {0};
    while (atomic_load(&t->is_over) < WORKERS) {
        expect_plausible(t, &last_frame, last_sizes, &failures);
        atomic_fetch_add(&t->samples, 1);
        tarn_thread_yield();
    }
    return failures;
}

static int play(void *argument)
{
    member *m = argument;
    return m->number == WORKERS ? sample(m->t) : work(m);
}

static void t69_t70_other_threads_sample_in_the_midst_of_frames(void **state)
{
    (void)state;
    team t = {.frame = frames_in_flight(2),
              .pool = kit_small_pool(1000, 4, 8),
              .barrier = {.count = WORKERS}};
    tarn_frame_pool_options options = {.object_bytes = 40};
    kit_expect_status(tarn_frame_pool_create(t.frame, &options, &t.objects), TARN_OK);
    member members[WORKERS + 1];
    for (uint32_t i = 0; i <= WORKERS; i++)
        members[i] = (member){&t, i};
    assert_int_equal(kit_run_threads(WORKERS + 1, play, members, sizeof *members), 0);
    assert_true(atomic_load(&t.mid_frame) >= FRAMES / 10);
    frames_destroy(t.frame);
    kit_expect_conserved(t.pool, 0);
    kit_destroy(t.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_seen_at_each_allocation),
        cmocka_unit_test(a_rewind_takes_bytes_back_and_the_peak_stays),
        cmocka_unit_test(the_histogram_has_each_frame_once),
        cmocka_unit_test(blocks_and_spans_are_counted),
        cmocka_unit_test(the_frames_figures_follow_what_happens),
        cmocka_unit_test(what_nobody_can_sample_is_invalid),
        cmocka_unit_test(labels_are_cut_and_are_the_present_users),
        cmocka_unit_test(j19_many_tasks_on_few_lanes_hold_few_blocks),
        cmocka_unit_test(t69_t70_other_threads_sample_in_the_midst_of_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
