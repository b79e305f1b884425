/* What a frame's pools hold, read once it is closed or has ended: all lanes, in order. */
#include "support/frames.h"

typedef struct item {
    uint32_t lane, number;
} item;

TARN_FRAME_POOL_DEFINE(items, item);

enum { LANES = 4 };

typedef struct stage {
    tarn_frame *frame;
    tarn_frame_pool *pool;
    tarn_lane *lanes[LANES];
} stage;

static stage start(uint32_t in_flight)
{
    stage s = {.frame = frames_in_flight(in_flight)};
    kit_expect_status(items_create(s.frame, (tarn_frame_pool_options){0}, &s.pool), TARN_OK);
    for (uint32_t i = 0; i < LANES; i++)
        s.lanes[i] = frame_kit_attach(s.frame, "test");
    return s;
}

/* How many objects a lane has in a frame: none, some, and more than a block holds. */
static uint32_t count_of(uint64_t frame, uint32_t lane)
{
    static const uint32_t counts[] = {0, 1, 7, 504, 505, 1300};
    return counts[(frame * 5 + lane) % 6];
}

static uint32_t all_of(uint64_t frame)
{
    uint32_t sum = 0;
    for (uint32_t lane = 0; lane < LANES; lane++)
        sum += count_of(frame, lane);
    return sum;
}

static void fill(stage *s, uint64_t frame)
{
    for (uint32_t lane = 0; lane < LANES; lane++) {
        if (count_of(frame, lane) == 0 && frame % 2)
            continue; /* a lane that stays away */
        frame_kit_enter(s->lanes[lane]);
        for (uint32_t i = 0; i < count_of(frame, lane); i++) {
            item *made = items_alloc(s->pool, s->lanes[lane]);
            assert_non_null(made);
            *made = (item){lane, i};
        }
        frame_kit_leave(s->lanes[lane]);
    }
}

typedef struct reader {
    uint64_t frame;
    uint32_t lane, number; /* expected next */
    size_t left;           /* until it ends the visit; 0: never */
    uint32_t faults;
} reader;

static void skip_empty_lanes(reader *r)
{
    while (r->lane < LANES && r->number == count_of(r->frame, r->lane)) {
        r->lane++;
        r->number = 0;
    }
}

static bool read_next(void *context, item *i)
{
    reader *r = context;
    skip_empty_lanes(r);
    r->faults += i->lane != r->lane || i->number != r->number;
    r->number++;
    return r->left == 0 || --r->left > 0;
}

static bool read_any(void *context, void *object)
{
    return read_next(context, object);
}

static void expect_readable(const stage *s, uint64_t frame)
{
    reader r = {.frame = frame};
    size_t all = all_of(frame);
    assert_int_equal(items_each(s->pool, frame, read_next, &r), all);
    skip_empty_lanes(&r);
    assert_int_equal(r.lane, LANES);
    assert_int_equal(r.faults, 0);
    assert_int_equal(tarn_frame_pool_count(s->pool, frame), all);
    for (uint32_t lane = 0; lane < LANES; lane++) {
        reader one = {.frame = frame, .lane = lane};
        size_t seen = tarn_frame_pool_each_in(s->pool, frame, lane, read_any, &one);
        assert_int_equal(seen, count_of(frame, lane));
        assert_int_equal(one.faults, 0);
        one = (reader){.frame = frame, .lane = lane};
        assert_int_equal(items_each_in(s->pool, frame, lane, read_next, &one), seen);
        assert_int_equal(one.faults, 0);
    }
    for (uint32_t lane = LANES; lane <= TARN_LANES_MAX; lane++)
        assert_int_equal(tarn_frame_pool_each_in(s->pool, frame, lane, read_any, &r), 0);
    assert_int_equal(tarn_frame_pool_each_in(s->pool, frame, UINT32_MAX, read_any, &r), 0);
}

static void expect_unreadable(const stage *s, uint64_t frame)
{
    reader r = {.frame = frame};
    assert_int_equal(items_each(s->pool, frame, read_next, &r), 0);
    assert_int_equal(tarn_frame_pool_count(s->pool, frame), 0);
    for (uint32_t lane = 0; lane < LANES; lane++)
        assert_int_equal(tarn_frame_pool_each_in(s->pool, frame, lane, read_any, &r), 0);
}

/* While `open` is the open frame, those in flight before it can be read, and no others. */
static void expect_only_those_in_flight(const stage *s, uint64_t open, uint32_t in_flight)
{
    for (uint64_t frame = 0; frame < open + 10; frame++)
        if (frame > 0 && frame < open && frame + in_flight > open)
            expect_readable(s, frame);
        else if (frame != open)
            expect_unreadable(s, frame);
    expect_unreadable(s, UINT64_MAX);
}

static void closed_and_ended_frames_are_read_in_the_order_of_allocation(void **state)
{
    (void)state;
    for (uint32_t in_flight = 1; in_flight <= 4; in_flight++) {
        stage s = start(in_flight);
        for (uint64_t open = 1; open <= 14; open++) {
            fill(&s, open);
            expect_unreadable(&s, open);
            expect_only_those_in_flight(&s, open, in_flight);
            if (open % 3) {
                kit_expect_status(tarn_frame_close(s.frame, 0, NULL), TARN_OK);
                expect_readable(&s, open);
                expect_only_those_in_flight(&s, open, in_flight);
            }
            frame_kit_end(s.frame);
        }
        frames_destroy(s.frame);
    }
}

static void a_gated_frame_is_read_until_it_is_dropped(void **state)
{
    (void)state;
    stage s = {.frame = frames_create((tarn_frame_options){
                   .frames_in_flight = 2, .gated = true, .lanes_max = LANES, .block_bytes = 4096})};
    kit_expect_status(items_create(s.frame, (tarn_frame_pool_options){0}, &s.pool), TARN_OK);
    for (uint32_t i = 0; i < LANES; i++)
        s.lanes[i] = frame_kit_attach(s.frame, "test");
    fill(&s, 1);
    frame_kit_end(s.frame);
    fill(&s, 2);
    kit_expect_status(tarn_frame_end(s.frame, 0, NULL), TARN_ERROR_IN_FLIGHT);
    expect_readable(&s, 1);
    kit_expect_status(tarn_frame_complete(s.frame, 1), TARN_OK);
    expect_readable(&s, 1);
    frame_kit_end(s.frame);
    expect_unreadable(&s, 1);
    expect_readable(&s, 2);
    frames_destroy(s.frame);
}

static void a_visit_can_be_ended_at_each_object(void **state)
{
    (void)state;
    stage s = start(2);
    fill(&s, 1);
    frame_kit_end(s.frame);
    for (size_t count = 1; count <= all_of(1); count++) {
        reader r = {.frame = 1, .left = count};
        assert_int_equal(items_each(s.pool, 1, read_next, &r), count);
        assert_int_equal(r.faults, 0);
        assert_int_equal(r.left, 0);
    }
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (size_t count = 1; count <= count_of(1, lane); count += 50) {
            reader r = {.frame = 1, .lane = lane, .left = count};
            assert_int_equal(tarn_frame_pool_each_in(s.pool, 1, lane, read_any, &r), count);
        }
    frames_destroy(s.frame);
}

static void null_arguments_visit_nothing(void **state)
{
    (void)state;
    stage s = start(2);
    reader r = {.frame = 1};
    fill(&s, 1);
    frame_kit_end(s.frame);
    assert_int_equal(tarn_frame_pool_each(NULL, 1, read_any, &r), 0);
    assert_int_equal(tarn_frame_pool_each(s.pool, 1, NULL, &r), 0);
    assert_int_equal(tarn_frame_pool_each_in(NULL, 1, 0, read_any, &r), 0);
    assert_int_equal(tarn_frame_pool_each_in(s.pool, 1, 0, NULL, &r), 0);
    assert_int_equal(tarn_frame_pool_count(NULL, 1), 0);
    frames_destroy(s.frame);
}

/* A lane's number of objects is read also where the lane is another's by then, or nobody's. */
static void objects_stay_when_their_lane_is_detached(void **state)
{
    (void)state;
    stage s = start(3);
    fill(&s, 1);
    for (uint32_t i = 0; i < LANES; i++)
        kit_expect_status(tarn_lane_detach(s.lanes[i]), TARN_OK);
    frame_kit_end(s.frame);
    expect_readable(&s, 1);
    for (uint32_t i = 0; i < LANES; i++)
        s.lanes[i] = frame_kit_attach(s.frame, "test");
    fill(&s, 2);
    expect_readable(&s, 1);
    kit_expect_status(tarn_frame_trim(s.frame, NULL), TARN_OK);
    expect_readable(&s, 1);
    frame_kit_end(s.frame);
    expect_readable(&s, 1);
    expect_readable(&s, 2);
    frames_destroy(s.frame);
}

/* ---- beside others ---- */

enum { FRAMES = 60 };

typedef struct team {
    stage s;
    kit_barrier barrier;
    uint32_t members;
} team;

typedef struct member {
    team *team;
    uint32_t lane;
} member;

static void fill_one(team *t, uint32_t lane, uint64_t frame, int *failures)
{
    tarn_lane *own = t->s.lanes[lane];
    KIT_EXPECT(failures, tarn_lane_enter(own) == TARN_OK);
    for (uint32_t i = 0; i < count_of(frame, lane); i++) {
        item *made = items_alloc(t->s.pool, own);
        if (made)
            *made = (item){lane, i};
        else
            ++*failures;
    }
    KIT_EXPECT(failures, tarn_lane_leave(own) == TARN_OK);
}

static int write_frames(void *argument)
{
    const member *m = argument;
    int failures = 0;
    for (uint64_t frame = 1; frame <= FRAMES; frame++) {
        kit_barrier_wait(&m->team->barrier);
        fill_one(m->team, m->lane, frame, &failures);
        kit_barrier_wait(&m->team->barrier);
    }
    return failures;
}

/* Reads the frame before while the others fill the open one, and ends that. */
static int read_frames(void *argument)
{
    const member *m = argument;
    stage *s = &m->team->s;
    int failures = 0;
    for (uint64_t frame = 1; frame <= FRAMES; frame++) {
        kit_barrier_wait(&m->team->barrier);
        reader r = {.frame = frame - 1};
        size_t expected = frame == 1 ? 0 : all_of(frame - 1);
        KIT_EXPECT(&failures, items_each(s->pool, frame - 1, read_next, &r) == expected);
        KIT_EXPECT(&failures, r.faults == 0);
        KIT_EXPECT(&failures, tarn_frame_pool_count(s->pool, frame - 1) == expected);
        kit_barrier_wait(&m->team->barrier);
        KIT_EXPECT(&failures, tarn_frame_end(s->frame, 0, NULL) == TARN_OK);
    }
    return failures;
}

static int run_member(void *argument)
{
    const member *m = argument;
    return m->lane == LANES ? read_frames(argument) : write_frames(argument);
}

static void an_ended_frame_is_read_while_lanes_fill_the_next(void **state)
{
    (void)state;
    team t = {.s = start(2), .barrier = {.count = LANES + 1}};
    member members[LANES + 1];
    for (uint32_t i = 0; i <= LANES; i++)
        members[i] = (member){&t, i};
    assert_int_equal(kit_run_threads(LANES + 1, run_member, members, sizeof *members), 0);
    frames_destroy(t.s.frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_and_ended_frames_are_read_in_the_order_of_allocation),
        cmocka_unit_test(a_gated_frame_is_read_until_it_is_dropped),
        cmocka_unit_test(a_visit_can_be_ended_at_each_object),
        cmocka_unit_test(null_arguments_visit_nothing),
        cmocka_unit_test(objects_stay_when_their_lane_is_detached),
        cmocka_unit_test(an_ended_frame_is_read_while_lanes_fill_the_next),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
