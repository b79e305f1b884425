#include "clients/frame_kit.h"

#include "clients/ledger.h"
#include "engine/failure.h"
#include "engine/region.h"
#include "engine/scheduler.h"
#include "frame/state.h"

enum { BLOCK_BYTES = 4096, BLOCKS = 8, DEFERRED_MAX = 64 };

frame_world frame_kit MODEL_STATE;

static uint32_t thread_set_up;

static void attach(uint32_t thread)
{
    if (tarn_lane_attach(frame_kit.frame, "worker", &frame_kit.lanes[thread]) != TARN_OK)
        model_fail("no lane for thread %u", thread);
}

void frame_kit_make(tarn_frame_options options, uint32_t lanes)
{
    ledger_clear();
    options.block_bytes = BLOCK_BYTES;
    options.memory_bytes = options.memory_bytes_max = (size_t)BLOCKS * BLOCK_BYTES;
    options.deferred_max = options.deferred_max ? options.deferred_max : DEFERRED_MAX;
    options.retention = TARN_RETAIN_ALL;
    if (tarn_frame_create(&options, &frame_kit.frame) != TARN_OK)
        model_fail("the frame cannot be made");
    frame_kit.in_flight = options.frames_in_flight;
    for (uint32_t i = 1; i <= lanes; i++)
        attach(i);
}

void frame_kit_ready(void)
{
    thread_set_up = 0;
    frame_kit.first = tarn_frame_number(frame_kit.frame);
    for (uint32_t i = 0; i < MODEL_THREADS_MAX; i++)
        frame_kit.ended[i] = 0;
    ledger_keep();
}

void frame_kit_use_lane_of(uint32_t thread)
{
    thread_set_up = thread;
}

static uint32_t self(void)
{
    return thread_set_up ? thread_set_up : model_self();
}

tarn_lane *frame_kit_lane(void)
{
    return frame_kit.lanes[self()];
}

/* The number stays while anybody is inside. */
static void expect_open(const tarn_lane *lane)
{
    if (tarn_frame_number(frame_kit.frame) != lane->frame)
        model_fail("frame %llu is open while a lane is inside frame %llu",
                   (unsigned long long)tarn_frame_number(frame_kit.frame),
                   (unsigned long long)lane->frame);
}

bool frame_kit_enter(void)
{
    tarn_lane *lane = frame_kit_lane();
    tarn_status status = tarn_lane_enter(lane);
    if (status == TARN_ERROR_BUSY || status == TARN_ERROR_CLOSED)
        return false;
    if (status != TARN_OK)
        model_fail("enter answers %s", tarn_status_name(status));
    expect_open(lane);
    if (frame_kit.inside_only >= tarn_frame_number(frame_kit.frame))
        model_fail("a finalizer ran for a frame that is not dropped");
    return true;
}

void frame_kit_leave(void)
{
    tarn_lane *lane = frame_kit_lane();
    expect_open(lane);
    if (tarn_lane_leave(lane) != TARN_OK)
        model_fail("a lane that is inside cannot leave");
}

frame_stamp *frame_kit_write(void)
{
    tarn_lane *lane = frame_kit_lane();
    frame_stamp *stamp = tarn_frame_alloc(lane, sizeof *stamp);
    if (!stamp)
        model_fail("no frame memory");
    *stamp = (frame_stamp){self(), lane->frame};
    return stamp;
}

void frame_kit_expect(const frame_stamp *stamp, uint32_t thread, uint64_t frame)
{
    if (stamp->thread != thread || stamp->frame != frame)
        model_fail("memory of thread %u in frame %llu holds a stamp of thread %llu, frame %llu",
                   thread, (unsigned long long)frame, (unsigned long long)stamp->thread,
                   (unsigned long long)stamp->frame);
}

/* Before the frame is ended, its number is still the open one's. */
static void note_finalized(void *number)
{
    frame_kit.inside_only = tarn_frame_number(frame_kit.frame);
    if (frame_kit.finalized_count == FRAME_KIT_FINALIZED_MAX)
        model_fail("more finalizers run than were registered");
    frame_kit.finalized[frame_kit.finalized_count++] = (uint32_t)(uintptr_t)number;
}

/* Numbers are the thread's, times 16, and count up. */
void frame_kit_finalize(void)
{
    uintptr_t number = self() * 16 + frame_kit.registered[self()]++;
    if (tarn_frame_finalize(frame_kit_lane(), note_finalized, (void *)number) != TARN_OK)
        model_fail("no finalizer");
}

tarn_status frame_kit_end(void)
{
    tarn_late late;
    tarn_status status = tarn_frame_end(frame_kit.frame, 0, &late);
    if (status == TARN_OK)
        frame_kit.ended[model_self()]++;
    if ((status == TARN_ERROR_LATE) != (late.lanes > 0))
        model_fail("end answers %s, with %u lanes late", tarn_status_name(status), late.lanes);
    if (status != TARN_OK && status != TARN_ERROR_LATE && status != TARN_ERROR_BUSY &&
        status != TARN_ERROR_IN_FLIGHT)
        model_fail("end answers %s", tarn_status_name(status));
    return status;
}

/* ---- set-ups and threads ---- */

/* So that no lane needs a new block later. */
static void write_with_all(uint32_t lanes)
{
    for (uint32_t i = 1; i <= lanes; i++) {
        frame_kit_use_lane_of(i);
        frame_kit_enter();
        frame_kit.stamps[i] = frame_kit_write();
        frame_kit_leave();
    }
}

void frame_kit_make_used(tarn_frame_options options, uint32_t lanes)
{
    options.lanes_max = options.lanes_max ? options.lanes_max : lanes;
    frame_kit_make(options, lanes);
    write_with_all(lanes);
}

void frame_kit_pass(void)
{
    if (frame_kit_enter())
        frame_kit_leave();
}

void frame_kit_write_once(void)
{
    if (!frame_kit_enter())
        return;
    tarn_lane *lane = frame_kit_lane();
    const frame_stamp *first = frame_kit_write(), *second = frame_kit_write();
    frame_kit_expect(first, model_self(), lane->frame);
    frame_kit_expect(second, model_self(), lane->frame);
    frame_kit_leave();
}

void frame_kit_end_once(void)
{
    frame_kit_end();
}

void frame_kit_end_twice(void)
{
    frame_kit_end();
    frame_kit_end();
}

/* ---- the check ---- */

static void check_number(void)
{
    uint64_t expected = frame_kit.first;
    for (uint32_t i = 0; i < MODEL_THREADS_MAX; i++)
        expected += frame_kit.ended[i];
    if (tarn_frame_number(frame_kit.frame) != expected)
        model_fail("frame %llu is open, %llu should be",
                   (unsigned long long)tarn_frame_number(frame_kit.frame),
                   (unsigned long long)expected);
}

static void drop_all(void)
{
    tarn_frame *frame = frame_kit.frame;
    for (uint32_t i = 1; i < MODEL_THREADS_MAX; i++)
        if (frame_kit.lanes[i])
            tarn_lane_detach(frame_kit.lanes[i]);
    for (uint32_t i = 0; i <= frame->slots; i++) {
        tarn_frame_close(frame, 0, NULL);
        tarn_frame_complete(frame, tarn_frame_number(frame));
        tarn_status status = tarn_frame_end(frame, 0, NULL);
        if (status != TARN_OK)
            model_fail("a frame that nobody is in cannot be ended: %s", tarn_status_name(status));
    }
}

static void check_finalized(void)
{
    bool has_run[MODEL_THREADS_MAX * 16] = {false};
    uint32_t registered = 0;
    for (uint32_t i = 0; i < frame_kit.finalized_count; i++) {
        uint32_t number = frame_kit.finalized[i];
        if (has_run[number])
            model_fail("finalizer %u ran twice", number);
        has_run[number] = true;
    }
    for (uint32_t i = 0; i < MODEL_THREADS_MAX; i++)
        registered += frame_kit.registered[i];
    if (registered != frame_kit.finalized_count)
        model_fail("%u of %u finalizers ran", frame_kit.finalized_count, registered);
}

static void check_memory(void)
{
    tarn_frame *frame = frame_kit.frame;
    tarn_frame_statistics sample;
    tarn_pool_statistics batches, blocks;
    uint64_t held = 0;
    tarn_frame_sample(frame, &sample);
    tarn_pool_sample(frame->batches, &batches);
    tarn_pool_sample(frame->blocks, &blocks);
    for (uint32_t i = 0; i < frame->lanes_max; i++)
        held += region_read(&frame->lanes[i].stock.held, sizeof(uint32_t));
    if (sample.deferred != 0 || batches.live != 0)
        model_fail("%llu deferred frees and %llu batches are left",
                   (unsigned long long)sample.deferred, (unsigned long long)batches.live);
    if (sample.held_bytes != blocks.live * BLOCK_BYTES || held > blocks.live)
        model_fail("lanes hold %llu blocks, %zu bytes are counted, %llu blocks are taken",
                   (unsigned long long)held, sample.held_bytes, (unsigned long long)blocks.live);
}

/* Nothing is in flight, so that who enters first keeps all that the lane has. */
static void check_rewound(void)
{
    tarn_frame *frame = frame_kit.frame;
    for (uint32_t i = 0; i < frame->lanes_max; i++) {
        tarn_lane *lane = NULL;
        tarn_lane_statistics sample;
        if (tarn_lane_attach(frame, "last", &lane) != TARN_OK)
            model_fail("only %u of %u lanes can be attached", i, frame->lanes_max);
        if (tarn_lane_enter(lane) != TARN_OK)
            model_fail("an open frame cannot be entered");
        tarn_lane_sample(frame, lane->index, &sample);
        if (sample.blocks_kept != sample.blocks || sample.bytes != 0)
            model_fail("a lane keeps %u of %u blocks, %zu bytes are in use", sample.blocks_kept,
                       sample.blocks, sample.bytes);
    }
}

void frame_kit_check(void)
{
    if (model_has_stopped())
        return;
    check_number();
    drop_all();
    check_finalized();
    check_memory();
    check_rewound();
}
