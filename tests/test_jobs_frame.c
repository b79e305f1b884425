/* Workers carry lanes of a frame: jobs allocate what goes with it, and a frame ends when none of
 * them is inside. */
#include "support/frame_kit.h"
#include "support/jobs_kit.h"

enum { JOBS = 400, WORDS = 16, FRAMES = 60 };

typedef struct note {
    uint32_t *words;
    uint32_t mark;
} note;

/* Inside the frame only while it allocates: what it wrote stays until the frame is dropped. */
static void write_note(tarn_worker *worker, void *payload)
{
    note *self = *(note **)payload;
    if (tarn_lane_enter(worker->lane) != TARN_OK)
        return;
    uint32_t *words = tarn_frame_array(worker->lane, uint32_t, WORDS);
    for (uint32_t i = 0; words && i < WORDS; i++)
        words[i] = self->mark + i;
    self->words = words;
    tarn_lane_leave(worker->lane);
}

static void expect_notes(const note *notes)
{
    for (uint32_t n = 0; n < JOBS; n++) {
        assert_non_null(notes[n].words);
        for (uint32_t i = 0; i < WORDS; i++)
            assert_int_equal(notes[n].words[i], notes[n].mark + i);
    }
}

static void play_frame(tarn_worker *worker, note *notes, uint32_t frame)
{
    tarn_job_group group;
    tarn_job_group_begin(worker, &group);
    for (uint32_t n = 0; n < JOBS; n++) {
        note *self = &notes[n];
        *self = (note){NULL, frame * 1000 + n};
        kit_expect_status(tarn_job_run(worker, &group, write_note, &self, sizeof self), TARN_OK);
    }
    tarn_job_group_wait(worker, &group);
}

static void jobs_write_into_the_frame_that_is_open(void **state)
{
    (void)state;
    static note notes[JOBS], earlier[JOBS];
    for (uint32_t workers = 1; workers <= 3; workers++) {
        tarn_frame *frame = frame_kit_create((tarn_frame_options){.frames_in_flight = 2});
        tarn_jobs_options options = {.workers = workers, .frame = frame};
        jobs_kit kit = jobs_kit_open(&options);
        assert_int_equal(frame_kit_sample(frame).lanes, workers);
        for (uint32_t f = 1; f <= FRAMES; f++) {
            memcpy(earlier, notes, sizeof notes);
            play_frame(kit.worker, notes, f);
            expect_notes(notes);
            if (f > 1)
                expect_notes(earlier); /* one more frame is in flight */
            frame_kit_end(frame);
        }
        assert_int_equal(tarn_frame_number(frame), FRAMES + 1);
        jobs_kit_close(kit);
        assert_int_equal(frame_kit_sample(frame).lanes, 0);
        frame_kit_destroy(frame);
    }
}

static void end_from_inside(tarn_worker *worker, void *payload)
{
    tarn_late *late = *(tarn_late **)payload;
    tarn_lane_enter(worker->lane);
    tarn_lane_state *lane = tarn_lane_state_of_(worker->lane);
    if (tarn_frame_end(lane->frame, 0, late) == TARN_OK)
        late->lanes = UINT32_MAX;
    tarn_lane_leave(worker->lane);
}

static void j16_a_late_job_is_named_by_its_worker(void **state)
{
    (void)state;
    tarn_frame *frame = frame_kit_create((tarn_frame_options){0});
    tarn_jobs_options options = {.workers = 1, .frame = frame};
    jobs_kit kit = jobs_kit_open(&options);
    tarn_late late, *at = &late;
    tarn_job_group group;
    tarn_job_group_begin(kit.worker, &group);
    tarn_job_run(kit.worker, &group, end_from_inside, &at, sizeof at);
    tarn_job_group_wait(kit.worker, &group);
    frame_kit_expect_late(&late, 1, kit.worker->lane, "worker 0");
    jobs_kit_close(kit);
    frame_kit_destroy(frame);
}

static void a_frame_without_enough_lanes_is_refused(void **state)
{
    (void)state;
    tarn_frame *frame = frame_kit_create((tarn_frame_options){.lanes_max = 1});
    tarn_jobs_options options = {.workers = 2, .frame = frame};
    tarn_jobs *jobs = NULL;
    tarn_worker *worker = NULL;
    kit_expect_status(tarn_jobs_create(&options, &jobs, &worker), TARN_ERROR_NO_LANE);
    assert_null(jobs);
    assert_null(worker);
    assert_int_equal(frame_kit_sample(frame).lanes, 0);
    frame_kit_destroy(frame);
}

static void a_host_thread_has_a_lane_while_it_is_attached(void **state)
{
    (void)state;
    tarn_frame *frame = frame_kit_create((tarn_frame_options){.lanes_max = 1});
    tarn_jobs_options options = {.host_threads_only = true, .attached_max = 2, .frame = frame};
    tarn_jobs *jobs = NULL;
    tarn_worker *none = NULL, *first = NULL, *second = NULL;
    kit_expect_status(tarn_jobs_create(&options, &jobs, &none), TARN_OK);
    kit_expect_status(tarn_worker_attach(jobs, "loader", &first), TARN_OK);
    assert_string_equal(frame_kit_lane(frame, first->lane).label, "loader");
    kit_expect_status(tarn_worker_attach(jobs, "sound", &second), TARN_ERROR_NO_LANE);
    assert_null(second);
    kit_expect_status(tarn_worker_detach(first), TARN_OK);
    kit_expect_status(tarn_worker_attach(jobs, "sound", &second), TARN_OK);
    assert_string_equal(frame_kit_lane(frame, second->lane).label, "sound");
    kit_expect_status(tarn_worker_detach(second), TARN_OK);
    kit_expect_status(tarn_jobs_destroy(jobs, NULL), TARN_OK);
    frame_kit_destroy(frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(jobs_write_into_the_frame_that_is_open),
        cmocka_unit_test(j16_a_late_job_is_named_by_its_worker),
        cmocka_unit_test(a_frame_without_enough_lanes_is_refused),
        cmocka_unit_test(a_host_thread_has_a_lane_while_it_is_attached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
