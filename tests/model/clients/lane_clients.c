/* Whose lanes are: attached, given back from inside, taken over, emptied by a trimmer, and left by
 * threads that end. */
#include "clients/entry.h"
#include "clients/frame_kit.h"
#include "engine/failure.h"
#include "engine/scheduler.h"
#include "frame/idle.h"

/* ---- set-ups ---- */

static void one_in_flight_1(void)
{
    frame_kit_make_used((tarn_frame_options){.frames_in_flight = 1}, 1);
    frame_kit_ready();
}
static void one_in_flight_2(void)
{
    frame_kit_make_used((tarn_frame_options){.frames_in_flight = 1}, 2);
    frame_kit_ready();
}

/* A lane that nobody has, written to before; and none else. */
static void one_lane(uint32_t frames_in_flight)
{
    frame_kit_make_used((tarn_frame_options){.frames_in_flight = frames_in_flight}, 1);
    tarn_lane_detach(frame_kit.lanes[1]);
    frame_kit.lanes[1] = NULL;
    frame_kit_ready();
}
static void one_lane_free(void)
{
    one_lane(1);
}

/* It has memory of frame 1, which is not dropped yet, and keeps nothing. */
static void one_lane_kept(void)
{
    one_lane(2);
    frame_kit_end();
    frame_kit_ready();
}

/* The same beside a lane that reads it. */
static void one_lane_read(void)
{
    frame_kit_make_used((tarn_frame_options){.frames_in_flight = 2, .lanes_max = 2}, 2);
    tarn_lane_detach(frame_kit.lanes[1]);
    frame_kit.lanes[1] = NULL;
    frame_kit_end();
    frame_kit_ready();
}

/* ---- threads ---- */

static bool attach(void)
{
    tarn_status status =
        tarn_lane_attach(frame_kit.frame, "another", &frame_kit.lanes[model_self()]);
    if (status != TARN_OK && status != TARN_ERROR_NO_LANE)
        model_fail("attach answers %s", tarn_status_name(status));
    return status == TARN_OK;
}

static void detach(void)
{
    tarn_lane *lane = frame_kit_lane();
    frame_kit.lanes[model_self()] = NULL;
    if (tarn_lane_detach(lane) != TARN_OK)
        model_fail("a lane cannot be detached by its user");
}

static void attach_write_detach(void)
{
    if (!attach())
        return;
    frame_kit_write_once();
    detach();
}

/* Leaves the lane from inside. */
static void attach_write_inside(void)
{
    if (!attach())
        return;
    if (frame_kit_enter()) {
        const frame_stamp *stamp = frame_kit_write();
        frame_kit_finalize();
        frame_kit_expect(stamp, model_self(), frame_kit_lane()->frame);
    }
    detach();
}

static void write_detach(void)
{
    frame_kit_write_once();
    detach();
}

/* What a lane keeps that nobody has is given back; for an instant it is the trimmer's. */
static void trim(void)
{
    tarn_idle_empty_(frame_kit.frame);
}

static void attach_surely(void)
{
    if (!attach())
        model_fail("no lane, though nobody has one");
    frame_kit_write_once();
}

static void trim_attach_write(void)
{
    trim();
    attach_write_inside();
}

static void read_kept(void)
{
    if (!frame_kit_enter())
        return;
    if (frame_kit_lane()->frame == frame_kit.first)
        frame_kit_expect(frame_kit.stamps[1], 1, 1);
    frame_kit_leave();
}

/* A thread's end leaves its lane, from inside too. */
static void guest_write(void)
{
    tarn_lane *lane = tarn_guest_lane(frame_kit.frame);
    if (!lane || tarn_lane_enter(lane) != TARN_OK)
        return;
    frame_stamp *stamp = tarn_frame_alloc(lane, sizeof *stamp);
    *stamp = (frame_stamp){model_self(), lane->frame};
    frame_kit_expect(stamp, model_self(), tarn_frame_number(frame_kit.frame));
}

static void sample(void)
{
    tarn_frame_statistics frame;
    tarn_lane_statistics lane;
    tarn_frame_sample(frame_kit.frame, &frame);
    tarn_lane_sample(frame_kit.frame, 0, &lane);
    if (frame.lanes_inside > MODEL_THREADS_MAX || frame.frame < frame_kit.first ||
        lane.blocks_kept > lane.blocks || lane.bytes > lane.bytes_peak)
        model_fail("a figure is not possible");
}

#define CLIENT(name, set_up, ...) \
    CLIENT_ENTRY(name, CLIENT_LOCK_FREE, set_up, frame_kit_check, __VA_ARGS__)
#define LOCKING(name, set_up, ...) \
    CLIENT_ENTRY(name, CLIENT_LOCKING, set_up, frame_kit_check, __VA_ARGS__)

static const client_entry clients[] = {
    LOCKING("attach_both", one_lane_free, attach_write_detach, attach_write_detach),
    LOCKING("attach_inside", one_lane_free, attach_write_inside, attach_write_inside),
    LOCKING("attach_adopt", one_in_flight_1, write_detach, attach_write_inside),
    CLIENT("attach_end", one_lane_free, attach_write_inside, frame_kit_end_twice),
    LOCKING("attach_end_3", one_lane_free, attach_write_detach, attach_write_inside,
            frame_kit_end_once),
    LOCKING("trim_attach", one_lane_free, trim, attach_surely),
    LOCKING("trim_attach_in_flight", one_lane_kept, trim, attach_write_inside, frame_kit_end_once),
    CLIENT("trim_end", one_lane_kept, trim, frame_kit_end_twice),
    LOCKING("trim_kept", one_lane_read, trim_attach_write, read_kept),
    CLIENT("trim_trim", one_lane_kept, trim, trim),
    LOCKING("guest_lanes", one_lane_free, guest_write, guest_write),
    LOCKING("guest_lanes_end", one_lane_free, guest_write, guest_write, frame_kit_end_once),
    CLIENT("sample_frame", one_in_flight_2, frame_kit_write_once, sample, frame_kit_end_once),
    CLIENT("sample_attach", one_lane_free, attach_write_detach, sample),
};

client_list lane_clients(void)
{
    return CLIENT_LIST(clients);
}
