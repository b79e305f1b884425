/* What lanes hold, in blocks and in spans, never exceeds the frame's budget. */
#include "support/frames.h"
#include "support/memory_hooks.h"

enum { BLOCK = TARN_FRAME_BLOCK_BYTES_MIN };

static size_t fill(tarn_lane *lane, size_t bytes)
{
    size_t count = 0;
    for (char *memory; (memory = tarn_frame_alloc(lane, bytes)) != NULL; count++)
        memset(memory, 1, bytes);
    return count;
}

static tarn_frame *frame_of(size_t budget, tarn_retention retention, const tarn_memory *memory)
{
    return frames_create((tarn_frame_options){.block_bytes = BLOCK,
                                              .lanes_max = 4,
                                              .memory_bytes_max = budget,
                                              .retention = retention,
                                              .retain_bytes = budget / 8,
                                              .frames_in_flight = 2,
                                              .memory = memory});
}

static tarn_frame_pool *pool_of(tarn_frame *frame)
{
    tarn_frame_pool *pool = NULL;
    tarn_frame_pool_options options = {.object_bytes = 100};
    kit_expect_status(tarn_frame_pool_create(frame, &options, &pool), TARN_OK);
    return pool;
}

/* Small ones, large ones and objects, of which many are refused. */
static void alloc_some(tarn_lane *lane, tarn_frame_pool *pool, uint64_t dice)
{
    if (dice % 5 == 0)
        (void)tarn_frame_pool_alloc(pool, lane);
    else
        (void)tarn_frame_alloc(lane, dice / 16 % (dice % 2 ? BLOCK * 3 : 1500));
}

static void expect_budget(size_t budget, tarn_retention retention, uint64_t random)
{
    static memory_hooks hooks;
    memory_hooks_init(&hooks, 4096);
    tarn_frame *frame = frame_of(budget, retention, &hooks.memory);
    tarn_lane *lanes[3] = {frame_kit_attach(frame, "test"), frame_kit_attach(frame, "test"),
                           frame_kit_attach(frame, "test")};
    tarn_frame_pool *pool = pool_of(frame);
    uint64_t most = 0;
    for (uint32_t n = 0; n < 60; n++) {
        for (uint32_t i = 0; i < 3; i++)
            frame_kit_enter(lanes[i]);
        for (uint32_t i = 0; i < 40; i++) {
            uint64_t dice = kit_random(&random) >> 10;
            alloc_some(lanes[dice % 3], pool, dice);
            size_t held = frame_kit_sample(frame).held_bytes;
            assert_true(held <= budget);
            most = held > most ? held : most;
        }
        for (uint32_t i = 0; i < 3; i++)
            frame_kit_leave(lanes[i]);
        frame_kit_end(frame);
    }
    assert_true(frame_kit_sample(frame).overflows_full > 0);
    assert_true(most + 4 * BLOCK > budget); /* it was put to use */
    frames_destroy(frame);
    assert_null(hooks.violation);
    assert_true(memory_hooks_are_balanced(&hooks));
    memory_hooks_destroy(&hooks);
}

static void blocks_and_spans_share_one_budget(void **state)
{
    (void)state;
    for (tarn_retention retention = 0; retention <= TARN_RETAIN_LIMIT; retention++)
        for (size_t blocks = 6; blocks <= 12; blocks += 3) /* as many spans as the hooks note */
            expect_budget(blocks * BLOCK, retention, 5 + blocks);
}

static void a_budget_of_one_block_serves_one_block(void **state)
{
    (void)state;
    tarn_frame *frame = frame_of(BLOCK, TARN_RETAIN_ALL, NULL);
    tarn_lane *lanes[2] = {frame_kit_attach(frame, "test"), frame_kit_attach(frame, "test")};
    for (uint32_t i = 0; i < 2; i++)
        frame_kit_enter(lanes[i]);
    assert_true(fill(lanes[0], 16) >= (BLOCK - 64) / 32);
    assert_int_equal(frame_kit_sample(frame).held_bytes, BLOCK);
    assert_null(tarn_frame_alloc(lanes[1], 1));
    assert_null(tarn_frame_alloc(lanes[0], BLOCK / 2));
    for (uint32_t i = 0; i < 2; i++)
        frame_kit_leave(lanes[i]);
    frames_destroy(frame);
}

static void each_frame_has_its_room_again(void **state)
{
    (void)state;
    tarn_frame *frame = frames_create(
        (tarn_frame_options){.block_bytes = BLOCK, .lanes_max = 1, .memory_bytes_max = 5 * BLOCK});
    tarn_lane *lane = frame_kit_attach(frame, "test");
    for (uint32_t n = 0; n < 20; n++) {
        frame_kit_enter(lane);
        assert_true(fill(lane, 700) >= 5 * 5);
        assert_int_equal(frame_kit_sample(frame).held_bytes, 5 * BLOCK);
        frame_kit_leave(lane);
        frame_kit_end(frame);
    }
    frames_destroy(frame);
}

/* Kept spans make way for what is needed, also where blocks are needed. */
static void what_a_lane_keeps_does_not_stand_in_its_own_way(void **state)
{
    (void)state;
    tarn_frame *frame = frames_create((tarn_frame_options){.block_bytes = BLOCK,
                                                           .lanes_max = 1,
                                                           .memory_bytes_max = 32 * BLOCK,
                                                           .retention = TARN_RETAIN_ALL});
    tarn_lane *lane = frame_kit_attach(frame, "test");
    for (uint32_t n = 0; n < 10; n++) {
        frame_kit_enter(lane);
        if (n % 2 == 0)
            assert_non_null(tarn_frame_alloc(lane, (n % 4 ? 29 : 25) * BLOCK));
        else
            assert_true(fill(lane, 1000) >= 32 * 3);
        frame_kit_leave(lane);
        frame_kit_end(frame);
    }
    frames_destroy(frame);
}

/* ---- several at once ---- */

enum { WORKERS = 3, FRAMES = 60, ALLOCS = 60, BUDGET = 24 * BLOCK };

typedef struct team {
    tarn_frame *frame;
    tarn_frame_pool *pool;
    kit_barrier barrier;
    atomic_uint is_over;
} team;

typedef struct member {
    team *t;
    uint32_t number; /* the last one looks on */
} member;

static int work(member *m)
{
    team *t = m->t;
    int failures = 0;
    uint64_t random = 3 + m->number;
    tarn_lane *lane = NULL;
    KIT_EXPECT(&failures, tarn_lane_attach(t->frame, "worker", &lane) == TARN_OK);
    for (uint32_t n = 0; n < FRAMES; n++) {
        KIT_EXPECT(&failures, tarn_lane_enter(lane) == TARN_OK);
        for (uint32_t i = 0; i < ALLOCS; i++)
            alloc_some(lane, t->pool, kit_random(&random) >> 10);
        KIT_EXPECT(&failures, tarn_lane_leave(lane) == TARN_OK);
        kit_barrier_wait(&t->barrier);
        if (m->number == 0)
            KIT_EXPECT(&failures, tarn_frame_end(t->frame, 0, NULL) == TARN_OK);
        kit_barrier_wait(&t->barrier);
    }
    atomic_fetch_add(&t->is_over, 1);
    return failures;
}

static int look_on(team *t)
{
    int failures = 0;
    while (atomic_load(&t->is_over) < WORKERS) {
        tarn_frame_statistics seen;
        KIT_EXPECT(&failures, tarn_frame_sample(t->frame, &seen) == TARN_OK);
        KIT_EXPECT(&failures, seen.held_bytes <= BUDGET);
        tarn_thread_yield();
    }
    return failures;
}

static int play(void *argument)
{
    member *m = argument;
    return m->number == WORKERS ? look_on(m->t) : work(m);
}

static void the_budget_holds_while_lanes_compete_for_it(void **state)
{
    (void)state;
    team t = {.frame = frame_of(BUDGET, TARN_RETAIN_DECAY, NULL), .barrier = {.count = WORKERS}};
    t.pool = pool_of(t.frame);
    member members[WORKERS + 1];
    for (uint32_t i = 0; i <= WORKERS; i++)
        members[i] = (member){&t, i};
    assert_int_equal(kit_run_threads(WORKERS + 1, play, members, sizeof *members), 0);
    assert_true(frame_kit_sample(t.frame).overflows_full > 0);
    size_t held = 0;
    for (uint32_t i = 0; i < WORKERS; i++) {
        tarn_lane_statistics lane = frame_kit_lane_at(t.frame, i);
        held += lane.span_bytes + (size_t)lane.blocks * BLOCK;
    }
    assert_true(frame_kit_sample(t.frame).held_bytes >= held); /* frame pools' blocks besides */
    kit_expect_status(tarn_frame_pool_destroy(t.pool), TARN_OK);
    assert_int_equal(frame_kit_sample(t.frame).held_bytes, held);
    frames_destroy(t.frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_and_spans_share_one_budget),
        cmocka_unit_test(a_budget_of_one_block_serves_one_block),
        cmocka_unit_test(each_frame_has_its_room_again),
        cmocka_unit_test(what_a_lane_keeps_does_not_stand_in_its_own_way),
        cmocka_unit_test(the_budget_holds_while_lanes_compete_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
