/* J16, J17: what is handed from thread to thread by the library alone: frames to who reads them
 * after their end, and lanes to their next user. */
#include "support/frame_race.h"

/* ---- a device that reads frames after they ended ---- */

enum { IN_FLIGHT = 3, RING = 16, DEVICE_FRAMES = 600 };

typedef struct screen {
    tarn_frame *frame;
    race_piece pictures[RING]; /* by frame: written inside it, read after its end */
    tarn_lane *lane;
    int failures;
} screen;

static int draw(void *argument)
{
    screen *s = argument;
    int failures = 0;
    while (tarn_frame_number(s->frame) <= DEVICE_FRAMES) {
        if (tarn_lane_enter(s->lane) != TARN_OK)
            continue;
        race_piece *p = &s->pictures[s->lane->frame % RING];
        uint64_t mark = s->lane->frame << 20;
        if (p->mark != mark) {
            *p = (race_piece){tarn_frame_array(s->lane, uint64_t, 300), 300, mark};
            KIT_EXPECT(&failures, p->words != NULL);
            race_fill(p);
        }
        KIT_EXPECT(&failures, tarn_lane_leave(s->lane) == TARN_OK);
        tarn_thread_yield();
    }
    return failures;
}

static int read_back(void *argument)
{
    screen *s = argument;
    int failures = 0;
    for (uint64_t number = 1; number <= DEVICE_FRAMES; number++) {
        while (tarn_frame_number(s->frame) <= number)
            tarn_thread_yield();
        const race_piece *p = &s->pictures[number % RING];
        if (p->mark == number << 20) /* the lane was there */
            KIT_EXPECT(&failures, race_is_filled(p));
        KIT_EXPECT(&failures, tarn_frame_complete(s->frame, number) == TARN_OK);
    }
    return failures;
}

static void j17_a_device_reads_frames_before_their_memory_is_used_again(void **state)
{
    (void)state;
    tarn_frame *frame = frame_kit_create((tarn_frame_options){
        .block_bytes = RACE_BLOCK_BYTES, .frames_in_flight = IN_FLIGHT, .gated = true});
    screen s = {.frame = frame, .lane = frame_kit_attach(frame, "draw")};
    tarn_thread lane, device;
    uint32_t in_flight = 0, late = 0;
    assert_true(tarn_thread_create(&lane, draw, &s));
    assert_true(tarn_thread_create(&device, read_back, &s));
    while (tarn_frame_number(frame) <= DEVICE_FRAMES) {
        tarn_status status = tarn_frame_end(frame, 0, NULL);
        in_flight += status == TARN_ERROR_IN_FLIGHT;
        late += status == TARN_ERROR_LATE;
        if (status != TARN_OK)
            tarn_thread_yield();
    }
    assert_int_equal(tarn_thread_join(device), 0);
    assert_int_equal(tarn_thread_join(lane), 0);
    assert_true(in_flight > 0);
    print_message("%u ends too early for the device, %u for the lane\n", in_flight, late);
    frame_kit_destroy(frame);
}

/* ---- lanes that go from thread to thread ---- */

enum { LANES = 2, HAND_OVERS = 300, FRAMES_MIN = 5, TRIES_MAX = 100000 };

/* By lane: what its last user left, written before the lane is given back and read before it is
 * entered. */
typedef struct desk {
    tarn_frame *frame;
    kit_barrier barrier;
    race_piece left[LANES];
    uint64_t frames[LANES];
    uint32_t users[LANES];
    atomic_uint handed_over, refused;
} desk;

typedef struct clerk {
    desk *desk;
    uint32_t number; /* from 1 */
} clerk;

static void use_lane(clerk *c, tarn_lane *lane, int *failures)
{
    desk *d = c->desk;
    race_piece *p = &d->left[lane->index];
    uint32_t before = d->users[lane->index];
    uint64_t frame_before = d->frames[lane->index];
    if (before > 0 && before != c->number)
        race_add(&d->handed_over);
    if (tarn_lane_enter(lane) != TARN_OK)
        return;
    if (frame_before == lane->frame)
        KIT_EXPECT(failures, race_is_filled(p));
    *p = (race_piece){tarn_frame_array(lane, uint64_t, 20), 20, lane->frame << 8 | c->number};
    d->frames[lane->index] = lane->frame;
    KIT_EXPECT(failures, p->words != NULL);
    race_fill(p);
    if (kit_random(&(uint64_t){lane->frame + c->number}) % 2)
        KIT_EXPECT(failures, tarn_lane_leave(lane) == TARN_OK); /* else the detach leaves */
    d->users[lane->index] = c->number;
}

static bool is_enough(const desk *d)
{
    return race_get(&d->handed_over) >= HAND_OVERS && tarn_frame_number(d->frame) > FRAMES_MIN;
}

static int lend(void *argument)
{
    clerk *c = argument;
    int failures = 0;
    kit_barrier_wait(&c->desk->barrier);
    for (int i = 0; i < TRIES_MAX && !is_enough(c->desk); i++) {
        tarn_lane *lane;
        tarn_status status = tarn_lane_attach(c->desk->frame, "clerk", &lane);
        if (status != TARN_OK) {
            KIT_EXPECT(&failures, status == TARN_ERROR_NO_LANE);
            race_add(&c->desk->refused);
            tarn_thread_yield();
            continue;
        }
        use_lane(c, lane, &failures);
        if (i % 8 == 0)
            tarn_thread_yield();
        KIT_EXPECT(&failures, tarn_lane_detach(lane) == TARN_OK);
        if (i % 16 == 0)
            tarn_frame_end(c->desk->frame, 0, NULL);
        tarn_thread_yield();
    }
    return failures;
}

static void lanes_are_handed_over_with_all_that_is_in_them(void **state)
{
    (void)state;
    enum { CLERKS = 4 };
    desk d = {.frame = frame_kit_create(
                  (tarn_frame_options){.block_bytes = RACE_BLOCK_BYTES, .lanes_max = LANES}),
              .barrier = {.count = CLERKS}};
    clerk clerks[CLERKS];
    for (uint32_t i = 0; i < CLERKS; i++)
        clerks[i] = (clerk){&d, i + 1};
    assert_int_equal(kit_run_threads(CLERKS, lend, clerks, sizeof *clerks), 0);
    print_message("%u lanes handed over, %u refused, %u frames\n", race_get(&d.handed_over),
                  race_get(&d.refused), (unsigned)tarn_frame_number(d.frame));
    assert_true(is_enough(&d));
    assert_int_equal(frame_kit_sample(d.frame).lanes, 0);
    assert_int_equal(frame_kit_sample(d.frame).lanes_inside, 0);
    frame_kit_destroy(d.frame);
}

/* ---- lanes that are emptied while nobody has them ---- */

enum { EMPTIED_MIN = 50, LENDINGS_MAX = 100000 };

typedef struct attic {
    tarn_frame *frame;
    kit_barrier barrier;
    atomic_uint emptied, stop;
} attic;

static int trim_often(void *argument)
{
    attic *a = argument;
    int failures = 0;
    kit_barrier_wait(&a->barrier);
    while (!race_get(&a->stop)) {
        size_t held = frame_kit_sample(a->frame).held_bytes;
        KIT_EXPECT(&failures, tarn_frame_trim(a->frame, NULL) == TARN_OK);
        if (frame_kit_sample(a->frame).held_bytes < held)
            race_add(&a->emptied);
        KIT_EXPECT(&failures, tarn_frame_maintain(a->frame, SIZE_MAX, NULL) == TARN_OK);
        tarn_thread_yield();
    }
    return failures;
}

static void use_a_lane_and_go(const attic *a, int turn)
{
    tarn_lane *lane = frame_kit_attach(a->frame, NULL);
    frame_kit_enter(lane);
    race_piece pieces[8];
    for (uint64_t i = 0; i < 8; i++) {
        pieces[i] = (race_piece){tarn_frame_array(lane, uint64_t, 150 + 200 * (i % 4)), 150, i};
        assert_non_null(pieces[i].words);
        race_fill(&pieces[i]);
    }
    if (turn % 3 == 0)
        tarn_thread_yield();
    for (uint64_t i = 0; i < 8; i++)
        assert_true(race_is_filled(&pieces[i]));
    kit_expect_status(tarn_lane_detach(lane), TARN_OK);
    frame_kit_end(a->frame);
    if (turn % 5 == 0)
        tarn_thread_yield();
}

/* In a checked frame the end looks at all that it drops. */
static void idle_lanes_are_emptied_beside_the_end(void **state)
{
    (void)state;
    for (uint32_t in_flight = 1; in_flight <= 2; in_flight++) {
        attic a = {.frame = frame_kit_create((tarn_frame_options){.block_bytes = RACE_BLOCK_BYTES,
                                                                  .frames_in_flight = in_flight,
                                                                  .lanes_max = 2,
                                                                  .checked = true}),
                   .barrier = {.count = 2}};
        tarn_thread thread;
        assert_true(tarn_thread_create(&thread, trim_often, &a));
        kit_barrier_wait(&a.barrier);
        for (int turn = 0; turn < LENDINGS_MAX && race_get(&a.emptied) < EMPTIED_MIN; turn++)
            use_a_lane_and_go(&a, turn);
        race_set(&a.stop, 1);
        assert_int_equal(tarn_thread_join(thread), 0);
        assert_true(race_get(&a.emptied) >= EMPTIED_MIN);
        frame_kit_destroy(a.frame);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(j17_a_device_reads_frames_before_their_memory_is_used_again),
        cmocka_unit_test(lanes_are_handed_over_with_all_that_is_in_them),
        cmocka_unit_test(idle_lanes_are_emptied_beside_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
