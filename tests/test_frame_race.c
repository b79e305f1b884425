/* J16, T59: lanes enter, allocate and leave while other threads end, close and complete frames.
 * What is written is plain, and nothing but the library orders it, so that ThreadSanitizer sees
 * where it does not. Each test goes on until threads have met as it says, and fails when they never
 * do. */
#include "support/frame_race.h"

enum { WORKERS = 3, PIECES = 24, ENDS_MAX = 300000 };

#define LONG_NS ((uint64_t)60 * 1000 * 1000 * 1000)

/* ---- workers and one that ends ---- */

typedef struct field {
    tarn_frame *frame;
    kit_barrier barrier;
    atomic_uint stop;
    atomic_uint frames_worked, busy, closed; /* figures of all workers */
} field;

typedef struct worker {
    field *field;
    tarn_lane *lane;
    uint64_t number; /* from 1 */
    uint64_t frame;  /* that the pieces are of */
    race_piece pieces[PIECES];
    size_t count;
    uint64_t random;
    size_t finalized, registered;
    int damaged; /* as the one who ends a frame saw it */
} worker;

/* On the thread that ends the frame: reads what the lane wrote, and writes over it. */
static void look_and_overwrite(void *object)
{
    worker *w = object;
    for (size_t i = 0; i < w->count; i++) {
        w->damaged += !race_is_filled(&w->pieces[i]);
        memset(w->pieces[i].words, 0, w->pieces[i].count * sizeof(uint64_t));
    }
    w->finalized++;
    tarn_thread_yield(); /* so that others meet the end */
}

static void begin_frame(worker *w, int *failures)
{
    w->frame = w->lane->frame;
    w->count = 0;
    KIT_EXPECT(failures, tarn_frame_finalize(w->lane, look_and_overwrite, w) == TARN_OK);
    w->registered++;
    race_add(&w->field->frames_worked);
}

static void allocate(worker *w, int *failures)
{
    uint64_t dice = kit_random(&w->random);
    size_t count = dice % 31 ? 1 + dice % 40 : 700;
    race_piece *p = &w->pieces[w->count];
    *p = (race_piece){tarn_frame_alloc(w->lane, count * sizeof(uint64_t)), count,
                      w->frame << 24 | w->number << 16 | (uint64_t)w->count << 8};
    KIT_EXPECT(failures, p->words != NULL);
    if (!p->words)
        return;
    race_fill(p);
    w->count++;
}

static void work_inside(worker *w, int *failures)
{
    tarn_frame *frame = w->field->frame;
    uint64_t before = w->frame;
    if (w->lane->frame != w->frame)
        begin_frame(w, failures);
    KIT_EXPECT(failures, w->frame >= before);
    for (int i = 0; i < 4 && w->count < PIECES; i++)
        allocate(w, failures);
    if (kit_random(&w->random) % 4 == 0)
        tarn_thread_yield();
    for (size_t i = 0; i < w->count; i++)
        KIT_EXPECT(failures, race_is_filled(&w->pieces[i]));
    KIT_EXPECT(failures, tarn_frame_number(frame) == w->frame);
    tarn_frame_ref old = {w, w->frame - 1};
    tarn_frame_ref now = tarn_frame_ref_of(frame, w);
    KIT_EXPECT(failures, tarn_frame_resolve(frame, now) == w);
    KIT_EXPECT(failures, tarn_frame_resolve(frame, old) == NULL);
}

/* So that frames end without a wait too. */
static void stay_away(worker *w)
{
    for (uint64_t i = kit_random(&w->random) % 8; i > 0; i--)
        tarn_thread_yield();
}

static int work(void *argument)
{
    worker *w = argument;
    int failures = 0;
    kit_barrier_wait(&w->field->barrier);
    while (!race_get(&w->field->stop)) {
        tarn_status status = tarn_lane_enter(w->lane);
        if (status == TARN_OK) {
            work_inside(w, &failures);
            KIT_EXPECT(&failures, tarn_lane_leave(w->lane) == TARN_OK);
        } else if (status == TARN_ERROR_BUSY) {
            race_add(&w->field->busy);
        } else {
            KIT_EXPECT(&failures, status == TARN_ERROR_CLOSED);
            race_add(&w->field->closed);
        }
        stay_away(w);
    }
    return failures;
}

static void start(field *f, worker *workers, tarn_thread *threads, tarn_frame *frame,
                  uint32_t others)
{
    *f = (field){.frame = frame, .barrier = {.count = WORKERS + others}};
    for (uint32_t i = 0; i < WORKERS; i++) {
        workers[i] = (worker){.field = f,
                              .lane = frame_kit_attach(frame, "worker"),
                              .number = i + 1,
                              .random = 77 + i};
        assert_true(tarn_thread_create(&threads[i], work, &workers[i]));
    }
}

static void finish(field *f, worker *workers, const tarn_thread *threads)
{
    race_set(&f->stop, 1);
    for (uint32_t i = 0; i < WORKERS; i++)
        assert_int_equal(tarn_thread_join(threads[i]), 0);
    frame_kit_destroy(f->frame);
    for (uint32_t i = 0; i < WORKERS; i++) {
        assert_int_equal(workers[i].damaged, 0);
        assert_int_equal(workers[i].finalized, workers[i].registered);
    }
}

typedef struct meetings {
    uint32_t ended, late, closed;
} meetings;

/* Every few ends it closes first. Most do not wait; who waits keeps newcomers out, and succeeds. */
static void close_one(const field *f, uint32_t turn, meetings *met)
{
    bool waits = turn % 2;
    tarn_status status = tarn_frame_close(f->frame, waits ? LONG_NS : 0, NULL);
    kit_expect_status(status, status == TARN_OK || waits ? TARN_OK : TARN_ERROR_LATE);
    met->closed += status == TARN_OK;
    tarn_thread_yield();
}

static void end_one(const field *f, uint32_t turn, meetings *met)
{
    uint64_t before = tarn_frame_number(f->frame);
    bool waits = turn % 3 == 0;
    tarn_late late;
    if (turn % 5 == 0)
        close_one(f, turn, met);
    tarn_status status = tarn_frame_end(f->frame, waits ? LONG_NS : 0, &late);
    bool has_ended = status == TARN_OK;
    kit_expect_status(status, has_ended || waits ? TARN_OK : TARN_ERROR_LATE);
    assert_int_equal(tarn_frame_number(f->frame), before + has_ended);
    assert_in_range(late.lanes, !has_ended, has_ended ? 0 : WORKERS);
    met->ended += has_ended;
    met->late += !has_ended;
}

static void j16_lanes_work_while_another_thread_ends_frames(void **state)
{
    (void)state;
    field f;
    worker workers[WORKERS];
    tarn_thread threads[WORKERS];
    meetings met = {0};
    start(&f, workers, threads,
          frame_kit_create((tarn_frame_options){.block_bytes = RACE_BLOCK_BYTES}), 1);
    kit_barrier_wait(&f.barrier);
    for (uint32_t turn = 1; turn < ENDS_MAX; turn++) {
        end_one(&f, turn, &met);
        tarn_thread_yield();
        if (met.ended > 300 && met.late > 100 && race_get(&f.busy) > 0 && race_get(&f.closed) > 0 &&
            race_get(&f.frames_worked) > 300)
            break;
    }
    finish(&f, workers, threads);
    print_message("%u ends, %u refused, %u entries met an end, %u a closed frame\n", met.ended,
                  met.late, race_get(&f.busy), race_get(&f.closed));
    assert_true(met.ended > 300);
    assert_true(met.late > 100);
    assert_true(race_get(&f.busy) > 0);
    assert_true(race_get(&f.closed) > 0);
    assert_true(race_get(&f.frames_worked) > 300);
}

/* ---- two that end ---- */

typedef struct ender {
    field *field;
    atomic_uint *busy_ends; /* of both */
    atomic_uint ended;
    const atomic_uint *other_ended;
} ender;

static bool have_met(const ender *e)
{
    return race_get(e->busy_ends) > 20 && race_get(&e->field->frames_worked) > 100 &&
           race_get(&e->ended) > 100 && race_get(e->other_ended) > 100;
}

static int end_many(void *argument)
{
    ender *e = argument;
    int failures = 0;
    kit_barrier_wait(&e->field->barrier);
    for (uint32_t turn = 1; turn < ENDS_MAX && !have_met(e); turn++) {
        tarn_status status = tarn_frame_end(e->field->frame, turn % 2 * LONG_NS, NULL);
        if (status == TARN_OK)
            race_add(&e->ended);
        else if (status == TARN_ERROR_BUSY)
            race_add(e->busy_ends);
        else
            KIT_EXPECT(&failures, status == TARN_ERROR_LATE);
        tarn_thread_yield();
    }
    return failures;
}

static void one_of_two_ends_each_frame(void **state)
{
    (void)state;
    field f;
    worker workers[WORKERS];
    tarn_thread threads[WORKERS];
    tarn_frame *frame = frame_kit_create((tarn_frame_options){.block_bytes = RACE_BLOCK_BYTES});
    atomic_uint busy_ends = 0;
    ender enders[2] = {{.field = &f, .busy_ends = &busy_ends},
                       {.field = &f, .busy_ends = &busy_ends}};
    enders[0].other_ended = &enders[1].ended;
    enders[1].other_ended = &enders[0].ended;
    start(&f, workers, threads, frame, 2);
    int failures = kit_run_threads(2, end_many, enders, sizeof *enders);
    uint64_t number = tarn_frame_number(frame);
    finish(&f, workers, threads);
    assert_int_equal(failures, 0);
    assert_int_equal(number, 1 + race_get(&enders[0].ended) + race_get(&enders[1].ended));
    assert_true(have_met(&enders[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(j16_lanes_work_while_another_thread_ends_frames),
        cmocka_unit_test(one_of_two_ends_each_frame),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
