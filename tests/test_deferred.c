/* Objects of any pool, freed when a frame is dropped: neither earlier nor later, whatever the pool
 * does besides, and none is lost. */
#include "support/deferred_kit.h"

/* ---- when ---- */

static void end_frame(tarn_frame *frame, bool gated)
{
    if (gated) {
        tarn_status status = tarn_frame_end(frame, 0, NULL);
        if (status == TARN_OK)
            return;
        kit_expect_status(status, TARN_ERROR_IN_FLIGHT);
        kit_expect_status(tarn_frame_close(frame, 0, NULL), TARN_OK);
        kit_expect_status(tarn_frame_complete(frame, frame_kit_sample(frame).completed + 1),
                          TARN_OK);
    }
    frame_kit_end(frame);
}

/* One object per frame, of a pool that has no other free one. */
static void expect_exact_moment(kind k, way how, uint32_t in_flight, bool gated)
{
    enum { FRAMES = 12 };
    uint32_t delay = delay_of(k, how, in_flight);
    tarn_pool *pool = pool_of(k, FRAMES);
    tarn_frame *frame = frame_with(in_flight, gated);
    tarn_lane *lane = frame_kit_attach(frame, "test");
    void *objects[FRAMES];
    take_many(pool, objects, FRAMES);
    for (uint32_t n = 1; n <= FRAMES; n++) {
        frame_kit_enter(lane);
        uint32_t dropped = n > delay ? n - delay : 0;
        kit_expect_conserved(pool, FRAMES - dropped);
        assert_int_equal(frame_kit_sample(frame).deferred, n - 1 - dropped);
        memset(objects[n - 1], 0x77, 32);
        defer(lane, pool, how, objects[n - 1]);
        for (uint32_t i = dropped; i < n; i++) /* who is inside can still read it */
            assert_int_equal(((unsigned char *)objects[i])[31], 0x77);
        frame_kit_leave(lane);
        kit_expect_conserved(pool, FRAMES - dropped);
        if (k == HOOKS)
            assert_int_equal(lives.resets, dropped);
        end_frame(frame, gated);
    }
    frames_destroy(frame);
    end_pool(pool, 0);
}

static void an_object_is_free_when_no_frame_in_flight_can_see_it_and_not_earlier(void **state)
{
    (void)state;
    for (kind k = 0; k < KINDS; k++)
        for (way how = 0; how < WAYS; how++)
            for (uint32_t in_flight = 1; in_flight <= 3 && has_way(k, how); in_flight++)
                for (int gated = 0; gated <= 1; gated++)
                    expect_exact_moment(k, how, in_flight, gated);
}

static void the_very_object_comes_back_in_the_frame_that_drops_its_own(void **state)
{
    (void)state;
    for (uint32_t in_flight = 1; in_flight <= 3; in_flight++) {
        tarn_pool *pool = pool_of(EXACT, 1);
        tarn_frame *frame = frame_with(in_flight, false);
        tarn_lane *lane = frame_kit_attach(frame, "test");
        void *object = tarn_guest_alloc(pool);
        frame_kit_enter(lane);
        defer(lane, pool, BY_POINTER, object);
        for (uint32_t n = 1; n <= in_flight; n++) {
            assert_null(tarn_guest_alloc(pool));
            frame_kit_leave(lane);
            frame_kit_end(frame);
            assert_null(tarn_guest_alloc(pool)); /* lanes do it, when they enter */
            frame_kit_enter(lane);
        }
        assert_ptr_equal(tarn_guest_alloc(pool), object);
        frame_kit_leave(lane);
        frames_destroy(frame);
        end_pool(pool, 1);
    }
}

static void nothing_frees_what_the_open_frame_sees(void **state)
{
    (void)state;
    tarn_pool *pool = pool_of(RAW, 10);
    tarn_frame *frame = frame_with(1, false);
    tarn_lane *lanes[2] = {frame_kit_attach(frame, "test"), frame_kit_attach(frame, "test")};
    void *objects[10];
    take_many(pool, objects, 10);
    for (uint32_t i = 0; i < 10; i++) {
        frame_kit_enter(lanes[0]);
        frame_kit_enter(lanes[0]);
        defer(lanes[0], pool, BY_POINTER, objects[i]);
        frame_kit_leave(lanes[0]);
        frame_kit_leave(lanes[0]);
        if (i == 5) { /* the other comes late */
            frame_kit_enter(lanes[1]);
            frame_kit_leave(lanes[1]);
        }
        size_t done = 77;
        kit_expect_status(tarn_frame_reclaim(frame, SIZE_MAX, &done), TARN_OK);
        assert_int_equal(done, 0);
        kit_expect_conserved(pool, 10);
    }
    kit_expect_status(tarn_frame_close(frame, 0, NULL), TARN_OK);
    kit_expect_status(tarn_frame_reclaim(frame, SIZE_MAX, NULL), TARN_OK);
    kit_expect_conserved(pool, 10);
    frame_kit_end(frame);
    kit_expect_status(tarn_frame_reclaim(frame, SIZE_MAX, NULL), TARN_OK);
    kit_expect_conserved(pool, 0);
    frames_destroy(frame);
    end_pool(pool, 0);
}

/* ---- batches ---- */

static const uint32_t edges[] = {1, 2, 62, 63, 64, 65, 125, 126, 127, 128, 189, 190, 300};
#define EDGES (sizeof edges / sizeof *edges)

/* Some in frame 1, and the rest in frame 2. */
static void expect_batches(kind k, way how, uint32_t count)
{
    enum { ALL = 300, IN_FLIGHT = 2 };
    uint32_t delay = delay_of(k, how, IN_FLIGHT);
    tarn_pool *pool = pool_of(k, ALL);
    tarn_frame *frame = frame_with(IN_FLIGHT, false);
    tarn_lane *lane = frame_kit_attach(frame, "test");
    void *objects[ALL];
    take_many(pool, objects, ALL);
    for (uint32_t n = 1; n <= 2 + delay; n++) {
        frame_kit_enter(lane);
        for (uint32_t i = n == 1 ? 0 : count; n <= 2 && i < (n == 1 ? count : ALL); i++)
            defer(lane, pool, how, objects[i]);
        frame_kit_leave(lane);
        uint32_t done = n <= delay ? 0 : n == 1 + delay ? count : ALL;
        kit_expect_conserved(pool, ALL - done);
        assert_int_equal(frame_kit_sample(frame).deferred, (n == 1 ? count : ALL) - done);
        frame_kit_end(frame);
    }
    assert_int_equal(frame_kit_sample(frame).deferred_stale, 0);
    take_many(pool, objects, ALL); /* each of them once */
    assert_true(kit_are_apart(objects, ALL, 32));
    if (k == HOOKS)
        assert_int_equal(lives.resets, ALL);
    frames_destroy(frame);
    end_pool(pool, ALL);
}

static void no_object_is_lost_at_the_ends_of_batches(void **state)
{
    (void)state;
    for (kind k = 0; k < KINDS; k++)
        for (way how = 0; how < WAYS && has_way(k, how); how++)
            for (size_t i = 0; i < EDGES; i++)
                expect_batches(k, how, edges[i]);
}

/* Objects of different pools and ways side by side in one batch, in runs of each length. */
static void pools_and_ways_mix_in_one_batch(void **state)
{
    (void)state;
    enum { EACH = 400 };
    for (uint32_t run_max = 1; run_max <= 70; run_max = run_max * 2 + 1) {
        uint64_t random = 1000 + run_max;
        tarn_pool *pools[KINDS];
        void *objects[KINDS][EACH];
        uint32_t next[KINDS] = {0}, late[KINDS] = {0};
        tarn_frame *frame = frame_with(1, false);
        tarn_lane *lane = frame_kit_attach(frame, "test");
        for (kind k = 0; k < KINDS; k++)
            take_many(pools[k] = pool_of(k, EACH), objects[k], EACH);
        frame_kit_enter(lane);
        for (uint32_t i = 0; i < 20 * KINDS; i++) {
            kind k = (kind)(kit_random(&random) % KINDS);
            way how = (way)(kit_random(&random) % WAYS);
            how = has_way(k, how) ? how : BY_POINTER;
            for (uint64_t run = kit_random(&random) % run_max + 1; run > 0 && next[k] < EACH;
                 run--) {
                defer(lane, pools[k], how, objects[k][next[k]++]);
                late[k] += delay_of(k, how, 1) > 1;
            }
        }
        for (kind k = 0; k < KINDS; k++)
            kit_expect_conserved(pools[k], EACH);
        for (uint32_t n = 0; n < 2; n++) {
            frame_kit_leave(lane);
            frame_kit_end(frame);
            frame_kit_enter(lane);
            for (kind k = 0; k < KINDS; k++)
                kit_expect_conserved(pools[k], EACH - next[k] + (n == 0 ? late[k] : 0));
        }
        frame_kit_leave(lane);
        frames_destroy(frame);
        for (kind k = 0; k < KINDS; k++)
            end_pool(pools[k], EACH - next[k]);
    }
}

/* ---- who does it ---- */

static void reclaim_does_what_lanes_that_stay_away_do_not(void **state)
{
    (void)state;
    enum { LANES = 3, EACH = 100 };
    tarn_pool *pool = pool_of(RAW, LANES * EACH);
    tarn_frame *frame = frame_with(1, false);
    void *objects[LANES * EACH];
    take_many(pool, objects, LANES * EACH);
    size_t done = 1;
    kit_expect_status(tarn_frame_reclaim(frame, SIZE_MAX, &done), TARN_OK);
    assert_int_equal(done, 0);
    for (uint32_t i = 0; i < LANES; i++) {
        tarn_lane *lane = frame_kit_attach(frame, "test");
        frame_kit_enter(lane);
        for (uint32_t k = 0; k < EACH; k++)
            defer(lane, pool, BY_POINTER, objects[i * EACH + k]);
        kit_expect_status(tarn_lane_detach(lane), TARN_OK); /* and its lane is gone */
        if (i % 2)
            assert_ptr_equal(frame_kit_attach(frame, "test"), lane); /* or another's */
    }
    frame_kit_end(frame);
    kit_expect_conserved(pool, LANES * EACH);
    size_t left = LANES * EACH;
    uint32_t steps = 0;
    kit_expect_status(tarn_frame_reclaim(frame, 0, &done), TARN_OK);
    assert_int_equal(done, 0);
    for (; left > 0; steps++) { /* a lane's at a time, of the two that there were */
        kit_expect_status(tarn_frame_reclaim(frame, 1, &done), TARN_OK);
        assert_true(done > 0 && done <= left);
        left -= done;
        kit_expect_conserved(pool, left);
        assert_int_equal(frame_kit_sample(frame).deferred, left);
    }
    assert_int_equal(steps, 2);
    kit_expect_status(tarn_frame_reclaim(frame, 1, &done), TARN_OK);
    assert_int_equal(done, 0);
    done = 1;
    kit_expect_status(tarn_frame_reclaim(NULL, 1, &done), TARN_ERROR_INVALID);
    assert_int_equal(done, 0);
    kit_expect_status(tarn_frame_reclaim(frame, 1, NULL), TARN_OK);
    frames_destroy(frame);
    end_pool(pool, 0);
}

/* Nobody enters after frame `in_flight`, the last in which a handle can have been looked up. */
static void the_next_end_does_what_nobody_else_did(void **state)
{
    (void)state;
    enum { ALL = 200 };
    for (uint32_t in_flight = 1; in_flight <= 4; in_flight++)
        for (way how = 0; how < WAYS; how++) {
            tarn_pool *pool = pool_of(HANDLES, ALL);
            tarn_frame *frame = frame_with(in_flight, false);
            tarn_lane *lane = frame_kit_attach(frame, "test");
            void *objects[ALL];
            take_many(pool, objects, ALL);
            for (uint32_t n = 1; n <= in_flight; n++) {
                frame_kit_enter(lane);
                for (uint32_t i = 0; n == 1 && i < ALL; i++)
                    defer(lane, pool, how, objects[i]);
                frame_kit_leave(lane);
                frame_kit_end(frame);
            }
            /* The ends that may do it, at the earliest and at the latest. */
            uint32_t earliest = how == AT_ONCE ? in_flight + 1 : 2 * in_flight;
            uint32_t latest = how == AT_ONCE ? in_flight + 2 : 2 * in_flight + 3;
            for (uint32_t open = in_flight + 1; open <= latest; open++) {
                uint64_t live = kit_sample(pool).live;
                assert_true(open < earliest ? live == ALL : live == ALL || live == 0);
                assert_true(open < latest || live == 0);
                frame_kit_end(frame);
            }
            frames_destroy(frame);
            end_pool(pool, 0);
        }
}

static void the_frames_destruction_does_all_that_is_deferred(void **state)
{
    (void)state;
    for (kind k = 0; k < KINDS; k++)
        for (uint32_t in_flight = 1; in_flight <= 3; in_flight++) {
            tarn_pool *pool = pool_of(k, 400);
            tarn_frame *frame = frame_with(in_flight, false);
            tarn_lane *lane = frame_kit_attach(frame, "test");
            void *objects[400];
            take_many(pool, objects, 400);
            for (uint32_t n = 0; n < 2; n++) {
                frame_kit_enter(lane);
                for (uint32_t i = 0; i < 200; i++)
                    defer(lane, pool, has_way(k, AT_ONCE) ? (way)(i % WAYS) : BY_POINTER,
                          objects[n * 200 + i]);
                frame_kit_leave(lane);
                frame_kit_end(frame);
            }
            frames_destroy(frame);
            end_pool(pool, 0);
        }
}

/* ---- conservation ---- */

enum { MODEL_FRAMES = 100, MODEL_OBJECTS = 300 };

typedef struct model {
    tarn_pool *pool;
    kind k;
    uint32_t in_flight;
    void *live[MODEL_OBJECTS]; /* not deferred */
    uint32_t count;
    uint32_t free_in[MODEL_FRAMES + 8]; /* how many become free in each frame */
} model;

static void act(model *m, tarn_lane *lane, uint64_t *random, uint32_t open)
{
    uint32_t dice = (uint32_t)(kit_random(random) % 100);
    if (dice < 55) {
        void *object = m->count < MODEL_OBJECTS ? tarn_guest_alloc(m->pool) : NULL;
        if (object)
            m->live[m->count++] = object;
    } else if (m->count > 0) {
        void *object = m->live[--m->count];
        way how = m->k >= HANDLES ? (way)(dice % WAYS) : BY_POINTER;
        if (dice < 65) {
            tarn_guest_free(m->pool, object);
        } else {
            defer(lane, m->pool, how, object);
            m->free_in[open + delay_of(m->k, how, m->in_flight)]++;
        }
    }
}

static void expect_conservation(kind k, uint32_t in_flight)
{
    uint64_t random = 17 * k + in_flight + 1;
    model m = {.pool = pool_of(k, MODEL_OBJECTS), .k = k, .in_flight = in_flight};
    tarn_frame *frame = frame_with(in_flight, false);
    tarn_lane *lanes[3];
    for (uint32_t i = 0; i < 3; i++)
        lanes[i] = frame_kit_attach(frame, "test");
    for (uint32_t n = 1; n <= MODEL_FRAMES; n++) {
        for (uint32_t i = 0; i < 3; i++)
            frame_kit_enter(lanes[i]);
        for (uint64_t i = kit_random(&random) % MODEL_OBJECTS; i > 0; i--)
            act(&m, lanes[i % 3], &random, n);
        uint32_t waiting = 0;
        for (uint32_t later = n + 1; later < MODEL_FRAMES + 8; later++)
            waiting += m.free_in[later];
        kit_expect_conserved(m.pool, m.count + waiting);
        assert_int_equal(frame_kit_sample(frame).deferred, waiting);
        for (uint32_t i = 0; i < 3; i++)
            frame_kit_leave(lanes[i]);
        frame_kit_end(frame);
    }
    frames_destroy(frame);
    end_pool(m.pool, m.count);
}

static void each_object_is_live_deferred_or_free_at_any_time(void **state)
{
    (void)state;
    for (kind k = 0; k < KINDS; k++)
        for (uint32_t in_flight = 1; in_flight <= 3; in_flight++)
            expect_conservation(k, in_flight);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_is_free_when_no_frame_in_flight_can_see_it_and_not_earlier),
        cmocka_unit_test(the_very_object_comes_back_in_the_frame_that_drops_its_own),
        cmocka_unit_test(nothing_frees_what_the_open_frame_sees),
        cmocka_unit_test(no_object_is_lost_at_the_ends_of_batches),
        cmocka_unit_test(pools_and_ways_mix_in_one_batch),
        cmocka_unit_test(reclaim_does_what_lanes_that_stay_away_do_not),
        cmocka_unit_test(the_next_end_does_what_nobody_else_did),
        cmocka_unit_test(the_frames_destruction_does_all_that_is_deferred),
        cmocka_unit_test(each_object_is_live_deferred_or_free_at_any_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
