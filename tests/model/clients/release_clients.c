/* Deferred releases of handles, whose objects go when the frame that could look them up last is
 * dropped. Reads and writes are plain. */
#include "clients/entry.h"
#include "clients/frame_kit.h"
#include "clients/pool_kit.h"
#include "engine/failure.h"
#include "engine/region.h"
#include "engine/scheduler.h"
#include "pool/life/calls.h"
#include "tarn/handle.h"

enum { CAPACITY = 4 };

static struct {
    uint32_t released[MODEL_THREADS_MAX];
    tarn_handle handle;
    const uint64_t *object; /* that it names */
} world MODEL_STATE;

/* ---- threads ---- */

static void read_object(const uint64_t *object)
{
    if (object && *object != 0)
        model_fail("an object is read that was handed out again");
}

static void release(tarn_stale_when when)
{
    if (!frame_kit_enter())
        return;
    tarn_status status = tarn_frame_defer_release(frame_kit_lane(), kit.pool, world.handle, when);
    if (status != TARN_OK && status != TARN_ERROR_STALE)
        model_fail("a release cannot be deferred: %s", tarn_status_name(status));
    world.released[model_self()] += status == TARN_OK;
    if (when == TARN_STALE_AT_ONCE && tarn_resolve(kit.pool, world.handle))
        model_fail("a handle that was released at once is not stale");
    frame_kit_leave();
}
static void release_at_once(void)
{
    release(TARN_STALE_AT_ONCE);
}
static void release_at_drop(void)
{
    release(TARN_STALE_AT_DROP);
}
static void take_life(void)
{
    void *object = NULL;
    uint32_t word;
    if (tarn_calls_direct_alloc_(kit.pool, &object, &word) == TARN_OK)
        ++*(uint64_t *)object;
}
static void release_end_take(void)
{
    release_at_drop();
    frame_kit_end();
    frame_kit_pass();
    frame_kit_end();
    frame_kit_pass();
    take_life();
}

/* Also in the frame after, where the handle may be found live still. */
static void resolve_read(void)
{
    if (!frame_kit_enter())
        return;
    read_object(tarn_resolve(kit.pool, world.handle));
    frame_kit_leave();
}

/* What frame 3 found is read as long as that is in flight. */
static void read_found(void)
{
    if (!frame_kit_enter())
        return;
    if (frame_kit_lane()->frame < 3 + frame_kit.in_flight)
        read_object(world.object);
    frame_kit_leave();
}

static void end_take_lives(void)
{
    frame_kit_end();
    for (uint32_t i = 0; i < CAPACITY; i++)
        take_life();
}

/* ---- set-ups ---- */

static void make_handle(uint32_t frames_in_flight)
{
    void *object = NULL;
    uint32_t word;
    tarn_pool_options objects = {
        .object_bytes = 8, .capacity = CAPACITY, .exact = true, .handles = true};
    frame_kit_make((tarn_frame_options){.frames_in_flight = frames_in_flight, .lanes_max = 2}, 2);
    kit_make(&objects, 1, 0);
    if (tarn_calls_direct_alloc_(kit.pool, &object, &word) != TARN_OK)
        model_fail("the pool is empty");
    world.handle = tarn_handle_of(kit.pool, object);
    world.object = object;
}
static void handle_of_one(void)
{
    make_handle(1);
    frame_kit_ready();
    kit_ready();
}

/* Deferred in frame 1, and found by frame 3. Frame 4 is open, and nobody enters it. */
static void handle_left_over(void)
{
    make_handle(3);
    frame_kit_use_lane_of(1);
    release_at_drop();
    for (uint32_t i = 0; i < 3; i++)
        frame_kit_end();
    frame_kit_ready();
    kit_ready();
}

/* ---- checks ---- */

static uint32_t sum(const uint32_t *counts)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < MODEL_THREADS_MAX; i++)
        all += counts[i];
    return all;
}

static void check_lives(uint32_t live)
{
    tarn_pool_statistics statistics;
    frame_kit_check();
    if (model_has_stopped())
        return;
    tarn_pool_sample(kit.pool, &statistics);
    if (statistics.live != live)
        model_fail("%llu objects are live, %u should be", (unsigned long long)statistics.live,
                   live);
}

static void check_released_once(void)
{
    if (!model_has_stopped() && sum(world.released) > 1)
        model_fail("a life is ended twice");
    check_lives(sum(world.released) == 0);
}

/* Whoever is first. What comes later is counted as stale. */
static void check_released(void)
{
    tarn_frame_statistics statistics;
    check_lives(sum(world.released) == 0);
    tarn_frame_sample(frame_kit.frame, &statistics);
    uint32_t ended = sum(world.released) - (uint32_t)statistics.deferred_stale;
    if (!model_has_stopped() && ended > 1)
        model_fail("a life is ended %u times", ended);
}

#define CLIENT(name, set_up, check, ...) \
    CLIENT_ENTRY(name, CLIENT_LOCK_FREE, set_up, check, __VA_ARGS__)

static const client_entry clients[] = {
    CLIENT("release_both", handle_of_one, check_released_once, release_at_once, release_at_once),
    CLIENT("release_in_two_ways", handle_of_one, check_released, release_at_once, release_at_drop),
    CLIENT("release_left_over", handle_left_over, frame_kit_check, read_found, end_take_lives),
    CLIENT("release_at_drop", handle_of_one, frame_kit_check, resolve_read, release_end_take),
};

client_list release_clients(void)
{
    return CLIENT_LIST(clients);
}
