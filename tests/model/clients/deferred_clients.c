/* Deferred frees: objects of another pool that readers inside the frame still hold. The pool hands
 * an object out again once, and only when no reader can have it: reads and writes are plain, and
 * what leads to the object is read and written without an order. */
#include "clients/entry.h"
#include "clients/frame_kit.h"
#include "clients/pool_kit.h"
#include "engine/failure.h"
#include "engine/region.h"
#include "engine/scheduler.h"
#include "pool/direct.h"
#include "pool/slots.h"

enum { CAPACITY = 4 };

static struct {
    tarn_u64 link;                        /* the host's: the first object; 0: unlinked */
    uint64_t deferred_in[CAPACITY];       /* the frame, by slot */
    uint32_t deferred[MODEL_THREADS_MAX]; /* how many, by thread */
} world MODEL_STATE;

/* ---- what threads do ---- */

/* Its free is the frame's from here on. */
static bool defer(void *object)
{
    uint32_t slot = (uint32_t)tarn_slot_of_(kit.pool, object);
    tarn_lane *lane = frame_kit_lane();
    tarn_status status = tarn_frame_defer_free(lane, kit.pool, object);
    if (status == TARN_ERROR_FULL)
        return false;
    if (status != TARN_OK)
        model_fail("a free cannot be deferred: %s", tarn_status_name(status));
    world.deferred_in[slot] = lane->frame;
    world.deferred[model_self()]++;
    ledger_give(slot);
    return true;
}

static void defer_spare(uint32_t spare)
{
    if (!frame_kit_enter())
        return;
    defer(kit.spare[spare]);
    frame_kit_leave();
}

/* A refusal says nothing here: what is deferred is not to be had. */
static void take(void)
{
    void *object = tarn_direct_alloc_(kit.pool);
    if (!object)
        return;
    uint32_t slot = (uint32_t)tarn_slot_of_(kit.pool, object);
    uint64_t reusable = world.deferred_in[slot] + frame_kit.in_flight;
    if (tarn_frame_number(frame_kit.frame) < reusable)
        model_fail("slot %u is handed out before frame %llu", slot, (unsigned long long)reusable);
    kit_note_taken(object);
}

static void pass_take(void)
{
    frame_kit_pass();
    take();
}

static void end_take(void)
{
    frame_kit_end();
    pass_take();
}
static void end_pass_end_take(void)
{
    end_take();
    end_take();
}

static void read_object(uint64_t object)
{
    if (object && *(const uint64_t *)(uintptr_t)object != 0)
        model_fail("an object is read that was handed out again");
}

static uint64_t linked(void)
{
    return tarn_u64_load_relaxed(&world.link);
}

static void read_linked(void)
{
    if (!frame_kit_enter())
        return;
    read_object(linked());
    frame_kit_leave();
}
static void read_linked_twice(void)
{
    read_linked();
    read_linked();
}

/* What it finds in one frame it still reads in the next. */
static void read_in_next(void)
{
    if (!frame_kit_enter())
        return;
    uint64_t found = linked(), number = frame_kit_lane()->frame;
    frame_kit_leave();
    if (!frame_kit_enter())
        return;
    if (frame_kit_lane()->frame < number + frame_kit.in_flight)
        read_object(found);
    frame_kit_leave();
}

static void unlink_defer(void)
{
    if (!frame_kit_enter())
        return;
    uint64_t object = linked();
    tarn_u64_store_relaxed(&world.link, 0);
    defer((void *)(uintptr_t)object);
    frame_kit_leave();
}
static void unlink_defer_end_take(void)
{
    unlink_defer();
    end_take();
}

static void defer_first(void)
{
    defer_spare(0);
}
static void defer_second(void)
{
    defer_spare(1);
}

/* The slots of frames come round. */
static void defer_again(void)
{
    defer_spare(0);
    frame_kit_end();
    frame_kit_pass();
    frame_kit_end();
    defer_spare(1);
}

static void reclaim(void)
{
    size_t done = 0;
    if (tarn_frame_reclaim(frame_kit.frame, 1, &done) != TARN_OK)
        model_fail("deferred frees cannot be done");
}
static void reclaim_take(void)
{
    reclaim();
    take();
}

/* ---- set-ups ---- */

static void make(tarn_frame_options options, uint32_t lanes)
{
    options.lanes_max = lanes;
    frame_kit_make(options, lanes);
    tarn_pool_options objects = {.object_bytes = 8, .capacity = CAPACITY, .exact = true};
    kit_make(&objects, 1, 0);
}

static void ready(void)
{
    tarn_u64_store_relaxed(&world.link, (uint64_t)(uintptr_t)kit.spare[0]);
    frame_kit_ready();
    kit_ready();
}

/* All objects are taken, the first one is linked. A batch is begun by each lane, so that noting a
 * free is short: spare 2 is deferred, and spare 3 by another lane. */
static void linked_objects(uint32_t frames_in_flight, uint32_t lanes)
{
    make((tarn_frame_options){.frames_in_flight = frames_in_flight}, lanes);
    kit_exhaust();
    for (uint32_t i = 1; i <= 2; i++) {
        frame_kit_use_lane_of(i);
        defer_spare(1 + i);
    }
    ready();
}
static void linked_2(void)
{
    linked_objects(1, 2);
}
static void linked_3(void)
{
    linked_objects(1, 3);
}
static void linked_in_flight_2(void)
{
    linked_objects(2, 2);
}
static void linked_in_flight_3(void)
{
    linked_objects(2, 3);
}

/* Nothing is deferred yet. */
static void none_deferred(void)
{
    make((tarn_frame_options){.frames_in_flight = 1}, 2);
    kit_exhaust();
    ready();
}
static void one_may_be_deferred(void)
{
    make((tarn_frame_options){.frames_in_flight = 1, .deferred_max = 1}, 2);
    kit_exhaust();
    ready();
}

/* Three frees of two lanes are due, and no lane has entered since. */
static void due(uint32_t lanes)
{
    make((tarn_frame_options){.frames_in_flight = 1}, lanes);
    kit_exhaust();
    for (uint32_t i = 1; i <= 3; i++) {
        frame_kit_use_lane_of(1 + i / 3);
        defer_spare(i);
    }
    frame_kit_end();
    ready();
}
static void due_2(void)
{
    due(2);
}
static void due_3(void)
{
    due(3);
}

/* ---- checks ---- */

/* Once all frames are dropped each object is to be had once. */
static void check(void)
{
    frame_kit_check();
    if (!model_has_stopped())
        kit_check();
}

static uint32_t sum(const uint32_t *counts)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < MODEL_THREADS_MAX; i++)
        all += counts[i];
    return all;
}

static void check_one_deferred(void)
{
    if (!model_has_stopped() && sum(world.deferred) != 1)
        model_fail("%u frees are deferred, of one that may be", sum(world.deferred));
    check();
}

#define CLIENT(name, set_up, ...) CLIENT_ENTRY(name, CLIENT_LOCK_FREE, set_up, check, __VA_ARGS__)

static const client_entry clients[] = {
    CLIENT("defer_read", linked_2, read_linked_twice, unlink_defer_end_take),
    CLIENT("defer_read_3", linked_3, read_linked, unlink_defer, end_take),
    CLIENT("defer_in_flight", linked_in_flight_2, read_in_next, unlink_defer_end_take),
    CLIENT("defer_in_flight_3", linked_in_flight_3, read_in_next, unlink_defer, end_pass_end_take),
    CLIENT("defer_both", none_deferred, defer_first, defer_second),
    CLIENT("defer_again", none_deferred, defer_again, pass_take),
    CLIENT("defer_end", none_deferred, defer_first, end_pass_end_take),
    CLIENT_ENTRY("defer_full", CLIENT_LOCK_FREE, one_may_be_deferred, check_one_deferred,
                 defer_first, defer_second),
    CLIENT("due_both", due_2, pass_take, pass_take),
    CLIENT("due_end", due_2, pass_take, end_take),
    CLIENT("due_defer", due_2, pass_take, defer_first),
    CLIENT("due_reclaim", due_2, frame_kit_pass, reclaim_take),
    CLIENT("due_reclaim_defer", due_2, defer_first, reclaim_take),
    CLIENT("due_3", due_3, pass_take, frame_kit_pass, frame_kit_end_once),
};

client_list deferred_clients(void)
{
    return CLIENT_LIST(clients);
}
