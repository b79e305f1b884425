/* Frames: lanes go in and out while frames end, are closed, read and completed. What is written
 * into frame memory is plain, and so are the finalizers' notes, which everybody inside reads. */
#include "clients/entry.h"
#include "clients/frame_kit.h"
#include "engine/failure.h"
#include "engine/pages.h"
#include "engine/region.h"
#include "engine/scheduler.h"

static struct {
    tarn_frame_pool *pool;
    uint32_t made[MODEL_THREADS_MAX]; /* objects of frame pools, by thread */
} world MODEL_STATE;

/* ---- set-ups ---- */

static void one_in_flight(uint32_t lanes)
{
    frame_kit_make_used((tarn_frame_options){.frames_in_flight = 1}, lanes);
    frame_kit_ready();
}
static void one_in_flight_1(void)
{
    one_in_flight(1);
}
static void one_in_flight_2(void)
{
    one_in_flight(2);
}

static void impatient(void)
{
    pages_let_time_pass(1);
    one_in_flight(1);
}

/* The same, and thread 1's lane is inside. */
static void impatient_inside(void)
{
    pages_let_time_pass(1);
    frame_kit_make_used((tarn_frame_options){.frames_in_flight = 1}, 1);
    frame_kit_use_lane_of(1);
    frame_kit_enter();
    frame_kit_ready();
}

/* The memory of frame 1 is used again in frame 3. */
static void two_in_flight(uint32_t lanes)
{
    frame_kit_make_used((tarn_frame_options){.frames_in_flight = 2}, lanes);
    frame_kit_end();
    frame_kit_ready();
}
static void two_in_flight_2(void)
{
    two_in_flight(2);
}

static void checked_2(void)
{
    frame_kit_make_used((tarn_frame_options){.frames_in_flight = 1, .checked = true}, 2);
    frame_kit_ready();
}

/* Frame 1 has ended and is read until somebody says that it is complete. */
static void gated(uint32_t lanes)
{
    frame_kit_make_used((tarn_frame_options){.frames_in_flight = 2, .gated = true}, lanes);
    frame_kit_end();
    frame_kit_ready();
}
static void gated_2(void)
{
    gated(2);
}
static void gated_3(void)
{
    gated(3);
}

/* Only the open frame is in flight, and is read once it is closed. */
static void gated_open(void)
{
    frame_kit_make_used((tarn_frame_options){.frames_in_flight = 1, .gated = true}, 2);
    frame_kit_ready();
}

/* The open frame has a finalizer of thread 1's lane. */
static void finalizer_1(void)
{
    frame_kit_make_used((tarn_frame_options){.frames_in_flight = 1}, 1);
    frame_kit_use_lane_of(1);
    frame_kit_enter();
    frame_kit_finalize();
    frame_kit_leave();
    frame_kit_ready();
}

static void take_object(void)
{
    uint64_t *object = tarn_frame_pool_alloc(world.pool, frame_kit_lane());
    if (!object)
        model_fail("no object of the frame pool");
    ++*object;
    world.made[model_self()]++;
}

/* One object of each lane in the open frame, which is not closed. */
static void with_pool(uint32_t frames_in_flight, uint32_t lanes)
{
    frame_kit_make_used((tarn_frame_options){.frames_in_flight = frames_in_flight}, lanes);
    tarn_frame_pool_options options = {.object_bytes = 8};
    if (tarn_frame_pool_create(frame_kit.frame, &options, &world.pool) != TARN_OK)
        model_fail("no frame pool");
    for (uint32_t i = 1; i <= lanes; i++) {
        frame_kit_use_lane_of(i);
        frame_kit_enter();
        take_object();
        frame_kit_leave();
    }
}
static void pool_2(void)
{
    with_pool(1, 2);
    frame_kit_ready();
}
static void pool_ended(void)
{
    with_pool(2, 2);
    frame_kit_end();
    frame_kit_ready();
}

/* ---- threads: lanes and the end ---- */

/* What it wrote is there as long as its frame is in flight. */
static void write_twice(void)
{
    if (!frame_kit_enter())
        return;
    uint64_t number = frame_kit_lane()->frame;
    const frame_stamp *stamp = frame_kit_write();
    frame_kit_leave();
    if (!frame_kit_enter())
        return;
    frame_kit_write();
    if (frame_kit_lane()->frame < number + frame_kit.in_flight)
        frame_kit_expect(stamp, model_self(), number);
    frame_kit_leave();
}

static void write_finalized(void)
{
    if (!frame_kit_enter())
        return;
    frame_kit_finalize();
    frame_kit_finalize();
    frame_kit_leave();
}
static void write_finalized_twice(void)
{
    write_finalized();
    write_finalized();
}

static void write_end(void)
{
    frame_kit_write_once();
    frame_kit_end();
}

/* Whenever another thread may go on, this one is inside, unless it is kept out. */
static void enter_again_and_again(void)
{
    while (tarn_frame_number(frame_kit.frame) == frame_kit.first) {
        bool is_inside = frame_kit_enter();
        model_yield();
        if (is_inside)
            frame_kit_leave();
    }
}

static void leave_end_write(void)
{
    frame_kit_leave();
    frame_kit_end();
    frame_kit_write_once();
}

/* Waits two turns. */
static void end_impatiently(void)
{
    tarn_status status = tarn_frame_end(frame_kit.frame, 2, NULL);
    if (status == TARN_OK)
        frame_kit.ended[model_self()]++;
    else if (status != TARN_ERROR_LATE && status != TARN_ERROR_BUSY)
        model_fail("an end that waits answers %s", tarn_status_name(status));
}

/* It has to come to its frame_kit_end_once, whoever is inside at first. */
static void end_and_wait(void)
{
    tarn_late late;
    if (tarn_frame_end(frame_kit.frame, 1, &late) != TARN_OK)
        model_fail("an end that waits is refused");
    frame_kit.ended[model_self()]++;
}

/* ---- threads: closed frames and frame pools ---- */

static void take_objects(void)
{
    if (!frame_kit_enter())
        return;
    take_object();
    take_object();
    frame_kit_leave();
}

static bool look_at(void *context, void *object)
{
    (void)context;
    if (*(const uint64_t *)object == 0)
        model_fail("an object of a frame pool is visited that nobody has");
    return true;
}

static size_t visit(uint64_t frame)
{
    return tarn_frame_pool_each(world.pool, frame, look_at, NULL);
}

static uint32_t made_by_all(void)
{
    uint32_t made = 0;
    for (uint32_t i = 0; i < MODEL_THREADS_MAX; i++)
        made += world.made[i];
    return made;
}

/* All that was made is visited; then the frame ends, and with it they go. */
static void close_visit_end(void)
{
    tarn_frame *frame = frame_kit.frame;
    if (tarn_frame_close(frame, 0, NULL) != TARN_OK)
        return;
    uint32_t made = made_by_all(); /* the closing orders it, before any look at the frame */
    uint64_t number = tarn_frame_number(frame);
    if (visit(number) != made || tarn_frame_pool_count(world.pool, number) != made)
        model_fail("%zu of %u objects of the closed frame are visited", visit(number), made);
    if (frame_kit_lane() && tarn_lane_enter(frame_kit_lane()) != TARN_ERROR_CLOSED)
        model_fail("a lane enters a closed frame");
    if (frame_kit_end() != TARN_OK)
        model_fail("a closed frame cannot be ended");
    if (visit(number) != 0)
        model_fail("a dropped frame is visited");
}

static void close(void)
{
    tarn_status status = tarn_frame_close(frame_kit.frame, 0, NULL);
    if (status != TARN_OK && status != TARN_ERROR_LATE)
        model_fail("close answers %s", tarn_status_name(status));
}

/* Of a frame that another thread may close: nothing, or all that was made. */
static void visit_closed(void)
{
    size_t visited = visit(frame_kit.first);
    if (visited > 0 && visited != made_by_all())
        model_fail("%zu of %u objects of a closed frame are visited", visited, made_by_all());
}

/* The frame that ended last, which is not dropped while this lane is inside the next. */
static void visit_ended(void)
{
    if (!frame_kit_enter())
        return;
    uint64_t number = frame_kit_lane()->frame;
    size_t visited = visit(number - 1);
    if (number == frame_kit.first && visited != 2)
        model_fail("%zu of 2 objects of the frame before are visited", visited);
    frame_kit_leave();
}

/* ---- threads: completion ---- */

static void read_complete(void)
{
    frame_kit_expect(frame_kit.stamps[1], 1, 1);
    frame_kit_expect(frame_kit.stamps[2], 2, 1);
    if (tarn_frame_complete(frame_kit.frame, 1) != TARN_OK)
        model_fail("a frame that has ended cannot be completed");
    tarn_frame_statistics statistics;
    tarn_frame_sample(frame_kit.frame, &statistics);
    if (statistics.completed == 0)
        model_fail("a frame that is completed is not said to be");
}

/* Both lanes' memory of frame 1, unless that was dropped. */
static void resolve_complete(void)
{
    tarn_frame_ref ref = {(void *)(uintptr_t)frame_kit.stamps[2], 1};
    if (tarn_frame_resolve(frame_kit.frame, ref) == NULL)
        model_fail("a frame is dropped before it is complete");
    read_complete();
}

static void close_read_complete(void)
{
    if (tarn_frame_close(frame_kit.frame, 0, NULL) == TARN_OK)
        read_complete();
}

static void end_write(void)
{
    if (frame_kit_end() == TARN_OK && frame_kit.ended[model_self()] > 1)
        model_fail("frame 2 is dropped, and was not completed");
    frame_kit_write_once();
}
static void end_write_twice(void)
{
    end_write();
    end_write();
}

#define CLIENT(name, set_up, ...) \
    CLIENT_ENTRY(name, CLIENT_LOCK_FREE, set_up, frame_kit_check, __VA_ARGS__)
#define LOCKING(name, set_up, ...) \
    CLIENT_ENTRY(name, CLIENT_LOCKING, set_up, frame_kit_check, __VA_ARGS__)

static const client_entry clients[] = {
    CLIENT("end_late", finalizer_1, write_twice, frame_kit_end_twice),
    CLIENT("end_late_in_flight", two_in_flight_2, write_twice, frame_kit_end_twice),
    CLIENT("end_late_3", one_in_flight_2, frame_kit_write_once, frame_kit_write_once,
           frame_kit_end_twice),
    CLIENT("end_checked", checked_2, write_twice, frame_kit_end_twice),
    LOCKING("end_waits", finalizer_1, write_twice, end_and_wait),
    LOCKING("end_waits_3", one_in_flight_2, frame_kit_write_once, frame_kit_write_once,
            end_and_wait),
    LOCKING("end_waits_in_vain", one_in_flight_1, enter_again_and_again, end_and_wait),
    CLIENT("end_gives_up", impatient, write_twice, end_impatiently),
    CLIENT("end_gives_up_late", impatient_inside, leave_end_write, end_impatiently),
    CLIENT("end_gives_up_3", impatient, frame_kit_write_once, end_impatiently, end_impatiently),
    CLIENT("end_both", finalizer_1, frame_kit_end_once, frame_kit_end_once),
    CLIENT("end_both_write", finalizer_1, write_end, frame_kit_end_once),
    CLIENT("end_both_3", one_in_flight_1, frame_kit_write_once, frame_kit_end_once,
           frame_kit_end_once),
    CLIENT("finalize_both", one_in_flight_2, write_finalized, write_finalized, frame_kit_end_twice),
    CLIENT("finalize_end", one_in_flight_2, write_finalized_twice, frame_kit_end_twice),
    CLIENT("close_enter", pool_2, take_objects, close_visit_end),
    CLIENT("close_enter_3", pool_2, take_objects, take_objects, close_visit_end),
    CLIENT("close_both", one_in_flight_1, close, close),
    CLIENT("closed_visited", pool_2, take_objects, close, visit_closed),
    CLIENT("ended_visited", pool_ended, take_objects, visit_ended),
    CLIENT("ended_visited_3", pool_ended, take_objects, visit_ended, frame_kit_end_once),
    CLIENT("gated", gated_2, read_complete, end_write_twice),
    CLIENT("gated_resolve", gated_2, resolve_complete, end_write),
    CLIENT("gated_3", gated_3, read_complete, end_write, frame_kit_write_once),
    CLIENT("gated_open", gated_open, close_read_complete, end_write),
};

client_list frame_clients(void)
{
    return CLIENT_LIST(clients);
}
