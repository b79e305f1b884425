#include "frame/gate.h"

#include "base/backoff.h"
#include "base/os.h"
#include "base/thread.h"
#include "frame/drop.h"
#include "frame/lane.h"

void tarn_gate_init_(tarn_frame *frame)
{
    /* relaxed: nobody else knows of the frame. */
    tarn_u64_store_relaxed(&frame->gate, (uint64_t)1 << TARN_GATE_SHIFT);
}

tarn_status tarn_gate_enter_(tarn_frame *frame, uint64_t *number)
{
    tarn_backoff backoff = TARN_BACKOFF_INIT;
    /* relaxed: the CAS acquires what it is to be read after. */
    uint64_t seen = tarn_u64_load_relaxed(&frame->gate);
    for (;;) {
        if (seen & (TARN_GATE_ENDING | TARN_GATE_WAITING))
            return TARN_ERROR_BUSY;
        if (seen & TARN_GATE_CLOSED)
            return TARN_ERROR_CLOSED;
        if (tarn_u64_cas_weak_acquire(&frame->gate, &seen, seen + 1)) /* E13 */
            break;
        tarn_backoff_wait(&backoff);
    }
    *number = tarn_gate_number_(seen);
    return TARN_OK;
}

void tarn_gate_leave_(tarn_frame *frame)
{
    tarn_u64_fetch_add_release(&frame->gate, (uint64_t)-1); /* E12 */
}

void tarn_gate_repair_(tarn_frame *frame, uint32_t inside)
{
    /* relaxed: the child has one thread. */
    uint64_t gate = tarn_u64_load_relaxed(&frame->gate);
    gate &= ~(TARN_GATE_INSIDE_MASK | TARN_GATE_ENDING | TARN_GATE_WAITING);
    tarn_u64_store_relaxed(&frame->gate, gate | inside);
}

uint64_t tarn_gate_look_(const tarn_frame *frame)
{
    return tarn_u64_load_acquire(&frame->gate); /* E12, E13 */
}

bool tarn_gate_is_readable_(const tarn_frame *frame, uint64_t number)
{
    uint64_t gate = tarn_gate_look_(frame);
    uint64_t open = tarn_gate_number_(gate);
    if (number == 0 || number <= tarn_frame_dropped_(frame, open))
        return false;
    return number < open || (number == open && (gate & TARN_GATE_CLOSED));
}

/* ---- ending and closing ---- */

typedef struct patience {
    bool has_begun;
    uint64_t wait_ns, start_ns;
    tarn_backoff backoff;
} patience;

/* Waits a little; false once the time is up. */
static bool wait(patience *p)
{
    if (p->wait_ns == 0)
        return false;
    uint64_t now = tarn_os_time_ns();
    if (!p->has_begun) {
        p->has_begun = true;
        p->start_ns = now;
    }
    if (now - p->start_ns >= p->wait_ns)
        return false;
    tarn_backoff_wait(&p->backoff);
    tarn_thread_yield();
    return true;
}

/* A lane counts as inside a moment before it says so, and may have left by now. */
static void name_late(const tarn_frame *frame, uint64_t gate, tarn_late *late)
{
    late->lanes = (uint32_t)(gate & TARN_GATE_INSIDE_MASK);
    for (uint32_t i = 0; i < frame->lanes_max && late->lanes > 0; i++) {
        const tarn_lane_state *lane = &frame->lanes[i];
        /* relaxed: a name for people. */
        if (!tarn_u32_load_relaxed(&lane->is_inside))
            continue;
        late->lane = i;
        tarn_lane_label_(lane, late->label);
        return;
    }
}

static tarn_status refuse(tarn_frame *frame, tarn_status status, uint64_t gate, tarn_late *late)
{
    if (status == TARN_ERROR_LATE)
        /* relaxed: a figure for samples. */
        tarn_u64_fetch_add_relaxed(&frame->late_refusals, 1);
    if (late)
        name_late(frame, gate, late);
    return status;
}

static bool is_complete(const tarn_frame *frame, uint64_t open)
{
    return !frame->gated || tarn_u64_load_acquire(&frame->completed) >=
                                tarn_frame_dropped_(frame, open + 1); /* E14 */
}

/* What stands in the way of a frame's end, or of its closing, as the gate was seen. */
static tarn_status obstacle(const tarn_frame *frame, uint64_t seen, bool needs_complete)
{
    if (seen & TARN_GATE_INSIDE_MASK)
        return TARN_ERROR_LATE;
    if (needs_complete && !is_complete(frame, tarn_gate_number_(seen)))
        return TARN_ERROR_IN_FLIGHT;
    return TARN_OK;
}

/* Keeps lanes from entering while this thread waits for those inside to leave.
 * relaxed: what lanes did is for the look that finds none inside. */
static void set_waiting(tarn_frame *frame, uint64_t seen, bool *is_waiting)
{
    if (!*is_waiting && (seen & TARN_GATE_INSIDE_MASK))
        *is_waiting = tarn_u64_cas_weak_relaxed(&frame->gate, &seen, seen | TARN_GATE_WAITING);
}

static void stop_waiting(tarn_frame *frame)
{
    /* relaxed: lanes may enter again; nothing is handed on. */
    tarn_u64_fetch_add_relaxed(&frame->gate, -TARN_GATE_WAITING);
}

/* Sets a flag while nobody is inside. `needs_complete`: and the frame to be dropped is complete. */
static tarn_status shut(tarn_frame *frame, uint64_t flag, bool needs_complete, uint64_t wait_ns,
                        tarn_late *late)
{
    patience p = {.wait_ns = wait_ns, .backoff = TARN_BACKOFF_INIT};
    bool is_waiting = false;
    if (late)
        *late = (tarn_late){0};
    for (;;) {
        uint64_t seen = tarn_gate_look_(frame);
        if (seen & TARN_GATE_ENDING || (!is_waiting && seen & TARN_GATE_WAITING))
            return TARN_ERROR_BUSY;
        tarn_status status = obstacle(frame, seen, needs_complete);
        uint64_t shut_gate = (seen & ~TARN_GATE_WAITING) | flag;
        if (status == TARN_OK &&
            tarn_u64_cas_weak_acquire(&frame->gate, &seen, shut_gate)) /* E12 */
            return TARN_OK;
        if (status != TARN_OK && !wait(&p)) {
            if (is_waiting)
                stop_waiting(frame);
            return refuse(frame, status, seen, late);
        }
        if (status != TARN_OK)
            set_waiting(frame, seen, &is_waiting);
    }
}

tarn_status tarn_gate_shut_for_good_(tarn_frame *frame)
{
    return shut(frame, TARN_GATE_ENDING, false, 0, NULL);
}

tarn_status tarn_frame_close(tarn_frame *frame, uint64_t wait_ns, tarn_late *late)
{
    return frame ? shut(frame, TARN_GATE_CLOSED, false, wait_ns, late) : TARN_ERROR_INVALID;
}

tarn_status tarn_frame_end(tarn_frame *frame, uint64_t wait_ns, tarn_late *late)
{
    if (!frame)
        return TARN_ERROR_INVALID;
    tarn_status status = shut(frame, TARN_GATE_ENDING, true, wait_ns, late);
    if (status != TARN_OK)
        return status;
    uint64_t next = tarn_gate_number_(tarn_gate_look_(frame)) + 1;
    tarn_drop_(frame, tarn_frame_dropped_(frame, next), next);
    tarn_u64_store_release(&frame->gate, next << TARN_GATE_SHIFT); /* E13 */
    return TARN_OK;
}

tarn_status tarn_frame_complete(tarn_frame *frame, uint64_t number)
{
    uint64_t gate = frame ? tarn_gate_look_(frame) : 0;
    if (number > tarn_gate_number_(gate) ||
        (number == tarn_gate_number_(gate) && !(gate & TARN_GATE_CLOSED)))
        return TARN_ERROR_INVALID;
    /* relaxed: the change below orders; this only saves it. */
    uint64_t completed = tarn_u64_load_relaxed(&frame->completed);
    while (completed < number)
        if (tarn_u64_cas_weak_release(&frame->completed, &completed, number)) /* E14 */
            break;
    return TARN_OK;
}

uint64_t tarn_frame_number(const tarn_frame *frame)
{
    return frame ? tarn_gate_number_(tarn_gate_look_(frame)) : 0;
}

tarn_frame_ref tarn_frame_ref_of(const tarn_frame *frame, void *address)
{
    tarn_frame_ref ref = {NULL, 0};
    if (frame && address)
        ref = (tarn_frame_ref){address, tarn_frame_number(frame)};
    return ref;
}

void *tarn_frame_resolve(const tarn_frame *frame, tarn_frame_ref ref)
{
    if (!frame || ref.frame == 0)
        return NULL;
    uint64_t open = tarn_frame_number(frame);
    bool is_live = ref.frame <= open && ref.frame > tarn_frame_dropped_(frame, open);
    return is_live ? ref.address : NULL;
}
