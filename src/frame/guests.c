#include "frame/guests.h"

#include "base/os.h"
#include "base/thread.h"
#include "frame/gate.h"
#include "frame/lane.h"
#include "pool/registry.h"

#include <stdio.h>
#include <string.h>

static struct {
    tarn_mutex lock;
    tarn_thread_key thread_end;
    bool has_thread_end;
    tarn_frame *first;
    uint32_t forking_thread_id;
} frames;

static tarn_once once = TARN_ONCE_INIT;

/* The lanes that a thread got last, by frame. An entry whose frame is gone never matches again. */
typedef struct claim {
    uint64_t frame_id;
    tarn_lane *lane;
} claim;

#define CLAIMS 4u

static _Thread_local claim claims[CLAIMS];
static _Thread_local bool thread_ends;

static uint64_t owner_word(void)
{
    return TARN_LANE_GUEST | tarn_os_thread_id();
}

static void end_thread(void *unused)
{
    (void)unused;
    thread_ends = true;
    memset(claims, 0, sizeof claims);
    tarn_mutex_lock(&frames.lock);
    for (tarn_frame *frame = frames.first; frame; frame = frame->registry_next) {
        tarn_lane_state *lane = tarn_lane_find_(frame, owner_word());
        if (lane)
            tarn_lane_abandon_(lane);
    }
    tarn_mutex_unlock(&frames.lock);
}

static void lock(void)
{
    tarn_mutex_lock(&frames.lock);
}

static void before_fork(void)
{
    lock();
    frames.forking_thread_id = tarn_os_thread_id();
}

/* Only the forking thread is left: other guests' lanes have no user, and it has another number. */
static void repair_lane(tarn_lane_state *lane)
{
    /* relaxed: the child has one thread. */
    uint64_t owner = tarn_u64_load_relaxed(&lane->owner);
    tarn_u32_store_relaxed(&lane->user, 0);
    if (owner == (TARN_LANE_GUEST | frames.forking_thread_id))
        tarn_u64_store_relaxed(&lane->owner, owner_word());
    else if (owner >= TARN_LANE_GUEST)
        tarn_lane_abandon_(lane);
    else if (owner == TARN_LANE_BUSY)
        tarn_u64_store_relaxed(&lane->owner, TARN_LANE_FREE);
}

static void after_fork_in_child(void)
{
    for (tarn_frame *frame = frames.first; frame; frame = frame->registry_next) {
        uint32_t inside = 0;
        for (uint32_t i = 0; i < frame->lanes_max; i++) {
            repair_lane(&frame->lanes[i]);
            inside += frame->lanes[i].depth > 0;
        }
        tarn_gate_repair_(frame, inside);
    }
    tarn_mutex_unlock(&frames.lock);
}

static void unlock(void)
{
    tarn_mutex_unlock(&frames.lock);
}

static void set_up(void)
{
    tarn_mutex_init(&frames.lock);
    tarn_os_at_fork(before_fork, unlock, after_fork_in_child);
    frames.has_thread_end = tarn_thread_key_create(&frames.thread_end, end_thread);
}

void tarn_guests_add_(tarn_frame *frame)
{
    tarn_once_call(&once, set_up);
    lock();
    frame->registry_previous = NULL;
    frame->registry_next = frames.first;
    if (frames.first)
        frames.first->registry_previous = frame;
    frames.first = frame;
    unlock();
}

void tarn_guests_remove_(tarn_frame *frame)
{
    lock();
    if (frame->registry_previous)
        frame->registry_previous->registry_next = frame->registry_next;
    else
        frames.first = frame->registry_next;
    if (frame->registry_next)
        frame->registry_next->registry_previous = frame->registry_previous;
    unlock();
}

static bool watch_thread(void)
{
    return !thread_ends && frames.has_thread_end && tarn_thread_key_set(frames.thread_end, &frames);
}

static tarn_lane_state *find_lane(tarn_frame *frame)
{
    tarn_lane_state *lane = tarn_lane_find_(frame, owner_word());
    char label[TARN_LANE_LABEL_BYTES_MAX];
    if (lane || !watch_thread())
        return lane;
    snprintf(label, sizeof label, "guest %u", (unsigned)tarn_os_thread_id());
    return tarn_lane_claim_(frame, owner_word(), label);
}

tarn_lane *tarn_guest_lane(tarn_frame *frame)
{
    if (!frame)
        return NULL;
    claim *own = &claims[frame->id % CLAIMS];
    if (own->frame_id == frame->id)
        return own->lane;
    tarn_lane_state *lane = find_lane(frame);
    if (!lane)
        return NULL;
    *own = (claim){frame->id, &lane->hot};
    return &lane->hot;
}
