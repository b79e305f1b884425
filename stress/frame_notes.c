#include "frame_notes.h"

#include "dice.h"

#include <inttypes.h>
#include <stddef.h>

#define VALUE_BITS  48u
#define VALUE_MASK  (((uint64_t)1 << VALUE_BITS) - 1)
#define NOTES_READ  16u
#define SHARED_LIVE UINT64_MAX

static uint64_t tagged(uint64_t frame, uint64_t value)
{
    return frame << VALUE_BITS | value;
}

static uint64_t value_of(const _Atomic uint64_t *words, uint64_t frame)
{
    uint64_t word = atomic_load_explicit(&words[frame % NOTES_FRAMES], memory_order_relaxed);
    return word >> VALUE_BITS == tagged(frame, 0) >> VALUE_BITS ? word & VALUE_MASK : 0;
}

static void set_value(_Atomic uint64_t *words, uint64_t frame, uint64_t value)
{
    atomic_store_explicit(&words[frame % NOTES_FRAMES], tagged(frame, value), memory_order_relaxed);
}

static uint64_t check_of(const note *n)
{
    return dice_mix(n->serial ^ dice_mix(n->frame ^ dice_mix(n->worker ^ (uintptr_t)n)));
}

void note_write(note_book *book, note *memory, uint32_t worker, uint64_t frame)
{
    memory->next = (const note *)(uintptr_t)value_of(book->last, frame);
    memory->worker = worker;
    memory->frame = frame;
    memory->serial = ++book->serial;
    memory->check = check_of(memory);
    set_value(book->last, frame, (uintptr_t)memory);
}

bool notes_read(failure *f, const note_book *book, uint32_t worker, uint64_t frame)
{
    const note *n = (const note *)(uintptr_t)value_of(book->last, frame);
    for (uint32_t i = 0; n && i < NOTES_READ; i++, n = n->next) {
        if (n->worker == worker && n->frame == frame && n->check == check_of(n))
            continue;
        failure_report(f,
                       "a note of thread %u in frame %" PRIu64 " was overwritten: thread %" PRIu64
                       ", frame %" PRIu64,
                       worker, frame, n->worker, n->frame);
        return false;
    }
    return true;
}

void note_drawn(note_book *book, uint64_t frame)
{
    set_value(book->drawn, frame, value_of(book->drawn, frame) + 1);
}

uint64_t notes_drawn(const note_book *book, uint64_t frame)
{
    return value_of(book->drawn, frame);
}

/* ---- the frame pool's hooks ---- */

static bool construct(void *context, void *object)
{
    drawn *d = object;
    if (d->constructed)
        failure_report(context, "an object of the frame pool is constructed twice");
    d->constructed = (uintptr_t)d;
    return true;
}

static void expect_constructed(void *context, void *object)
{
    const drawn *d = object;
    if (d->constructed != (uintptr_t)d)
        failure_report(context, "an object of the frame pool is used that is not constructed");
}

tarn_hooks drawn_hooks(failure *f)
{
    return (tarn_hooks){.construct = construct,
                        .reset = expect_constructed,
                        .destroy = expect_constructed,
                        .context = f};
}

/* ---- objects of another pool ---- */

bool shared_claim(failure *f, shared *object, uint64_t serial, uint64_t frame, uint32_t in_flight)
{
    uint64_t stamp = atomic_exchange_explicit(&object->stamp, SHARED_LIVE, memory_order_relaxed);
    if (stamp == SHARED_LIVE || (stamp > 0 && stamp + in_flight > frame)) {
        failure_report(f, "an object is handed out in frame %" PRIu64 " that %s %" PRIu64, frame,
                       stamp == SHARED_LIVE ? "is live" : "was freed in frame",
                       stamp == SHARED_LIVE ? serial : stamp);
        return false;
    }
    object->serial = serial;
    object->check = dice_mix(serial);
    return true;
}

bool shared_defer(failure *f, shared *object, uint64_t frame)
{
    uint64_t stamp = atomic_exchange_explicit(&object->stamp, frame, memory_order_relaxed);
    if (stamp != SHARED_LIVE)
        failure_report(f, "an object is freed in frame %" PRIu64 " that was freed in %" PRIu64,
                       frame, stamp);
    return stamp == SHARED_LIVE;
}

bool shared_read(failure *f, const shared *object)
{
    uint64_t serial = object->serial;
    if (object->check == dice_mix(serial))
        return true;
    failure_report(f, "an object that a frame in flight can see was used again");
    return false;
}
