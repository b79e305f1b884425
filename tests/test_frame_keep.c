/* What lanes keep of the memory that their frames do not use: enough that a warm frame asks the
 * host for nothing, and no more than retention says. */
#include "support/keep_kit.h"

enum { FRAMES = 10000, WARM_UP = 100 };

static uint64_t hook_calls(void)
{
    return keep_hooks.calls + keep_hooks.decommits + keep_hooks.releases;
}

/* ---- T63: no calls to the host ---- */

typedef struct contact {
    uint64_t frame;
    char unused[88];
} contact;

TARN_FRAME_POOL_DEFINE(contacts, contact);

typedef struct load {
    tarn_frame *frame;
    tarn_lane *lane;
    tarn_frame_pool *contacts;
} load;

static void use_scratch(const load *l, uint32_t pieces)
{
    for (uint32_t i = 0; i < pieces; i++) {
        char *piece = tarn_frame_alloc(l->lane, 300);
        assert_non_null(piece);
        piece[0] = piece[299] = (char)i;
    }
}

static void use_spans(const load *l, uint32_t spans)
{
    for (uint32_t i = 0; i < spans; i++) {
        char *span = tarn_frame_alloc(l->lane, 9000 + 2000 * (size_t)i);
        assert_non_null(span);
        span[0] = span[8999] = 1;
    }
}

static void use_pool(const load *l, uint32_t objects)
{
    for (uint32_t i = 0; i < objects; i++) {
        contact *c = contacts_alloc(l->contacts, l->lane);
        assert_non_null(c);
        c->frame = l->lane->frame;
    }
}

/* Alternating, with a pattern that repeats within the time that spans are kept. */
static void use_frame(const load *l, uint64_t number)
{
    bool is_heavy = number % 2 == 0;
    frame_kit_enter(l->lane);
    use_scratch(l, is_heavy ? 60 : 3);
    use_spans(l, is_heavy ? (uint32_t)(number / 2 % 3) : 0);
    use_pool(l, number % 3 == 0 ? 150 : 10);
    frame_kit_leave(l->lane);
    frame_kit_end(l->frame);
}

static void expect_no_calls_when_warm(tarn_frame_options options)
{
    tarn_frame *frame = keep_create(options);
    load l = {frame, frame_kit_attach(frame, NULL), NULL};
    kit_expect_status(contacts_create(frame, (tarn_frame_pool_options){0}, &l.contacts), TARN_OK);
    for (uint64_t number = 1; number <= WARM_UP; number++)
        use_frame(&l, number);
    uint64_t calls = hook_calls();
    size_t held_max = 0;
    for (uint64_t number = WARM_UP + 1; number <= WARM_UP + FRAMES; number++) {
        use_frame(&l, number);
        size_t held = frame_kit_sample(frame).held_bytes;
        held_max = held > held_max ? held : held_max;
    }
    assert_int_equal(hook_calls(), calls);
    assert_in_range(held_max, 1, 80 * KEEP_BLOCK_BYTES * frame->sides);
    keep_destroy(frame);
}

static void t63_a_warm_frame_asks_the_host_for_nothing(void **state)
{
    (void)state;
    static const tarn_retention all[] = {TARN_RETAIN_DECAY, TARN_RETAIN_ALL, TARN_RETAIN_LIMIT};
    for (size_t i = 0; i < 3; i++)
        for (uint32_t in_flight = 1; in_flight <= 3; in_flight += 2)
            expect_no_calls_when_warm((tarn_frame_options){
                .retention = all[i], .retain_bytes = 1 << 20, .frames_in_flight = in_flight});
}

static void t63_a_frame_like_the_first_asks_for_nothing(void **state)
{
    (void)state;
    tarn_frame *frame = keep_create((tarn_frame_options){0});
    load l = {frame, frame_kit_attach(frame, NULL), NULL};
    kit_expect_status(contacts_create(frame, (tarn_frame_pool_options){0}, &l.contacts), TARN_OK);
    use_frame(&l, 6);
    uint64_t calls = hook_calls();
    size_t held = frame_kit_sample(frame).held_bytes;
    for (int i = 0; i < 1000; i++) {
        use_frame(&l, 6);
        assert_int_equal(hook_calls(), calls);
        assert_int_equal(frame_kit_sample(frame).held_bytes, held);
    }
    keep_destroy(frame);
}

/* A mark in a loop of many rounds uses what one round uses. */
static void t63_a_rewind_keeps_the_memory_for_the_next_round(void **state)
{
    (void)state;
    tarn_frame *frame = keep_create((tarn_frame_options){0});
    load l = {frame, frame_kit_attach(frame, NULL), NULL};
    frame_kit_enter(l.lane);
    uint64_t calls = 0;
    for (int round = 0; round < 1000; round++) {
        tarn_mark mark = tarn_lane_mark(l.lane);
        use_scratch(&l, 60);
        use_spans(&l, 2);
        kit_expect_status(tarn_lane_rewind(l.lane, mark), TARN_OK);
        if (round == 0)
            calls = hook_calls();
        assert_int_equal(hook_calls(), calls);
    }
    frame_kit_leave(l.lane);
    keep_destroy(frame);
}

/* ---- what is kept ---- */

static void decay_lets_a_spike_go(void **state)
{
    (void)state;
    enum { SPIKE = 400 };
    tarn_frame *frame = keep_create((tarn_frame_options){0});
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    keep_use_blocks(frame, lane, SPIKE);
    uint32_t before = SPIKE;
    for (int i = 0; i < 400; i++) {
        keep_use_blocks(frame, lane, 2);
        uint32_t now = keep_blocks_of(frame, lane);
        assert_true(now <= before);
        assert_true(before - now <= 16);       /* an enter does a bounded piece of work */
        assert_true(i > 5 || now > SPIKE / 2); /* and not all at once */
        before = now;
    }
    assert_in_range(before, 2, 3);
    keep_destroy(frame);
}

/* With a share of the distance, what is needed every other frame stays. */
static void decay_keeps_what_is_needed_again_soon(void **state)
{
    (void)state;
    tarn_frame *frame = keep_create((tarn_frame_options){0});
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    for (int i = 0; i < 1000; i++) {
        frame_kit_enter(lane); /* which lets go what is too much */
        assert_int_equal(keep_blocks_of(frame, lane), i > 0 ? 10 : 0);
        keep_use_blocks_inside(frame, lane, i % 2 ? 1 : 10);
        frame_kit_leave(lane);
        frame_kit_end(frame);
    }
    keep_destroy(frame);
}

/* Blocks in flight are in use: they are not surplus, however many frames are light since. */
static void decay_counts_what_is_in_flight(void **state)
{
    (void)state;
    tarn_frame *frame = keep_create((tarn_frame_options){.frames_in_flight = 4});
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    for (int i = 0; i < 200; i++) {
        keep_use_blocks(frame, lane, 5);
        assert_int_equal(keep_blocks_of(frame, lane), i < 4 ? 5 * (i + 1) : 20);
    }
    keep_destroy(frame);
}

static void decay_lets_idle_spans_go(void **state)
{
    (void)state;
    tarn_frame *frame = keep_create((tarn_frame_options){0});
    load l = {frame, frame_kit_attach(frame, NULL), NULL};
    frame_kit_enter(l.lane);
    use_spans(&l, 3);
    frame_kit_turn(frame, l.lane);
    uint64_t releases = keep_hooks.releases;
    for (int i = 0; i < 40; i++) {
        use_spans(&l, 1);
        frame_kit_turn(frame, l.lane);
        assert_int_equal(frame_kit_lane(frame, l.lane).spans, 3);
    }
    for (int i = 0; i < 100; i++) {
        use_spans(&l, 1);
        frame_kit_turn(frame, l.lane);
    }
    assert_int_equal(frame_kit_lane(frame, l.lane).spans, 1);
    assert_int_equal(keep_hooks.releases, releases + 2);
    for (int i = 0; i < 100; i++)
        frame_kit_turn(frame, l.lane);
    assert_int_equal(frame_kit_lane(frame, l.lane).spans, 0);
    assert_int_equal(frame_kit_lane(frame, l.lane).span_bytes, 0);
    frame_kit_leave(l.lane);
    keep_destroy(frame);
}

/* In whatever order they come: the large one is not spent on a small request. */
static void the_smallest_kept_span_that_fits_is_taken(void **state)
{
    (void)state;
    tarn_frame *frame = keep_create((tarn_frame_options){.retention = TARN_RETAIN_ALL});
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    uint64_t calls = 0;
    for (int round = 0; round < 4; round++) {
        frame_kit_enter(lane);
        for (int i = 0; i < 3; i++) {
            static const size_t sizes[] = {12000, 20000, 40000};
            assert_non_null(tarn_frame_alloc(lane, sizes[(i + round) % 3]));
        }
        if (round == 0)
            calls = hook_calls();
        assert_int_equal(hook_calls(), calls);
        frame_kit_leave(lane);
        frame_kit_end(frame);
    }
    keep_destroy(frame);
}

static void all_keeps_all(void **state)
{
    (void)state;
    enum { SPIKE = 50 };
    tarn_frame *frame = keep_create((tarn_frame_options){.retention = TARN_RETAIN_ALL});
    load l = {frame, frame_kit_attach(frame, NULL), NULL};
    frame_kit_enter(l.lane);
    use_spans(&l, 3);
    frame_kit_turn(frame, l.lane);
    frame_kit_leave(l.lane);
    keep_use_blocks(frame, l.lane, SPIKE);
    uint64_t calls = hook_calls();
    for (int i = 0; i < 1000; i++)
        keep_use_blocks(frame, l.lane, 0);
    assert_int_equal(keep_blocks_of(frame, l.lane), SPIKE);
    assert_int_equal(frame_kit_lane(frame, l.lane).spans, 3);
    assert_int_equal(hook_calls(), calls);
    keep_destroy(frame);
}

/* Whatever the frames used, what is left in the next is within the limit. */
static void a_limit_is_kept(void **state)
{
    (void)state;
    enum { SPIKE = 60 };
    static const size_t limits[] = {1,
                                    63,
                                    KEEP_BLOCK_BYTES - 1,
                                    KEEP_BLOCK_BYTES,
                                    5 * KEEP_BLOCK_BYTES + 1,
                                    20 * KEEP_BLOCK_BYTES};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        tarn_frame *frame = keep_create(
            (tarn_frame_options){.retention = TARN_RETAIN_LIMIT, .retain_bytes = limits[i]});
        load l = {frame, frame_kit_attach(frame, NULL), NULL};
        for (int round = 0; round < 3; round++) {
            frame_kit_enter(l.lane);
            use_spans(&l, 3);
            frame_kit_leave(l.lane);
            keep_use_blocks(frame, l.lane, SPIKE);
            for (int frames = 0; frames < 10; frames++)
                keep_use_blocks(frame, l.lane, 0);
            tarn_lane_statistics statistics = frame_kit_lane(frame, l.lane);
            assert_true(statistics.blocks * (size_t)KEEP_BLOCK_BYTES + statistics.span_bytes <=
                        limits[i]);
            assert_int_equal(frame_kit_sample(frame).held_bytes,
                             statistics.blocks * (size_t)KEEP_BLOCK_BYTES + statistics.span_bytes);
        }
        keep_destroy(frame);
    }
}

/* Spans that a frame in flight uses leave the less for blocks. */
static void a_limit_counts_spans_in_use(void **state)
{
    (void)state;
    enum { LIMIT = 20 * KEEP_BLOCK_BYTES };
    tarn_frame *frame = keep_create((tarn_frame_options){
        .frames_in_flight = 2, .retention = TARN_RETAIN_LIMIT, .retain_bytes = LIMIT});
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    keep_use_blocks(frame, lane, 15);
    frame_kit_enter(lane);
    assert_non_null(tarn_frame_alloc(lane, LIMIT / 2));
    frame_kit_turn(frame, lane);
    tarn_lane_statistics statistics = frame_kit_lane(frame, lane);
    assert_int_equal(statistics.spans, 1);
    assert_true(statistics.span_bytes >= LIMIT / 2);
    assert_true(statistics.span_bytes + statistics.blocks * (size_t)KEEP_BLOCK_BYTES <= LIMIT);
    assert_true(statistics.blocks >= 8);
    frame_kit_leave(lane);
    keep_destroy(frame);
}

static void a_limit_keeps_what_is_within_it(void **state)
{
    (void)state;
    tarn_frame *frame = keep_create((tarn_frame_options){.retention = TARN_RETAIN_LIMIT,
                                                         .retain_bytes = 12 * KEEP_BLOCK_BYTES});
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    for (int i = 0; i < 300; i++) {
        keep_use_blocks(frame, lane, i % 100 ? 1 : 12);
        assert_int_equal(keep_blocks_of(frame, lane), 12);
    }
    keep_use_blocks(frame, lane, 20);
    keep_use_blocks(frame, lane, 0);
    assert_int_equal(keep_blocks_of(frame, lane), 12);
    keep_destroy(frame);
}

/* ---- what is kept is not in the way ---- */

static void kept_memory_does_not_stand_in_its_lanes_way(void **state)
{
    (void)state;
    enum { BUDGET = 64 * KEEP_BLOCK_BYTES };
    tarn_frame *frame =
        keep_create((tarn_frame_options){.memory_bytes_max = BUDGET, .retention = TARN_RETAIN_ALL});
    tarn_lane *lane = frame_kit_attach(frame, NULL);
    for (int round = 0; round < 4; round++) {
        frame_kit_enter(lane);
        assert_non_null(tarn_frame_alloc(lane, BUDGET / 8 * 7)); /* a span */
        frame_kit_leave(lane);
        frame_kit_end(frame);
        keep_use_blocks(frame, lane, 60);
        frame_kit_enter(lane); /* spans of another size */
        for (int i = 0; i < 3; i++)
            assert_non_null(tarn_frame_alloc(lane, BUDGET / 4));
        frame_kit_leave(lane);
        frame_kit_end(frame);
    }
    assert_int_equal(frame_kit_sample(frame).overflows_full, 0);
    keep_destroy(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t63_a_warm_frame_asks_the_host_for_nothing),
        cmocka_unit_test(t63_a_frame_like_the_first_asks_for_nothing),
        cmocka_unit_test(t63_a_rewind_keeps_the_memory_for_the_next_round),
        cmocka_unit_test(decay_lets_a_spike_go),
        cmocka_unit_test(decay_keeps_what_is_needed_again_soon),
        cmocka_unit_test(decay_counts_what_is_in_flight),
        cmocka_unit_test(decay_lets_idle_spans_go),
        cmocka_unit_test(the_smallest_kept_span_that_fits_is_taken),
        cmocka_unit_test(all_keeps_all),
        cmocka_unit_test(a_limit_is_kept),
        cmocka_unit_test(a_limit_counts_spans_in_use),
        cmocka_unit_test(a_limit_keeps_what_is_within_it),
        cmocka_unit_test(kept_memory_does_not_stand_in_its_lanes_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
