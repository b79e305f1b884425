#include "frame_play.h"

#include <inttypes.h>

#define LARGE_BYTES 6000u
#define SMALL_BYTES 300u
#define NOTES_MAX   2000u

void frame_expect(worker *w, const char *what, tarn_status status, tarn_status also)
{
    if (status != TARN_OK && status != TARN_ERROR_BUSY && status != also)
        failure_report(&w->run->failure, "%s answered %s", what, tarn_status_name(status));
}

static void count_finalized(void *context)
{
    note *n = context;
    frames *s = *(frames *const *)(const void *)(n + 1);
    if (n->frame + s->in_flight != tarn_frame_number(s->frame) + 1)
        failure_report(s->failure, "a finalizer of frame %" PRIu64 " runs at the end of %" PRIu64,
                       n->frame, tarn_frame_number(s->frame));
    atomic_fetch_add_explicit(&s->finalized, 1, memory_order_relaxed);
}

/* A frame that stays open for long must not take all memory. */
static bool may_write(player *p)
{
    if (p->notes_frame != p->lane->frame) {
        p->notes_frame = p->lane->frame;
        p->notes = 0;
    }
    return p->notes++ < NOTES_MAX;
}

static note *write_note(worker *w, size_t bytes)
{
    player *p = player_of(w);
    if (!may_write(p))
        return NULL;
    note *memory = tarn_frame_alloc(p->lane, sizeof *memory + sizeof(frames *) + bytes);
    if (!memory) {
        failure_report(&w->run->failure, "no frame memory");
        return NULL;
    }
    *(frames **)(void *)(memory + 1) = frames_of(w);
    note_write(&p->book, memory, w->number, p->lane->frame);
    return memory;
}

static void write_finalized(worker *w)
{
    note *memory = write_note(w, 0);
    if (memory && tarn_frame_finalize(player_of(w)->lane, count_finalized, memory) == TARN_OK)
        player_of(w)->finalizers++;
}

/* What is rewound must not have been noted. */
static void write_and_rewind(worker *w)
{
    tarn_lane *lane = player_of(w)->lane;
    tarn_mark mark = tarn_lane_mark(lane);
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t *memory = tarn_frame_array(lane, uint64_t, 1 + dice_below(&w->dice, SMALL_BYTES));
        if (memory)
            *memory = w->number;
    }
    frame_expect(w, "rewind", tarn_lane_rewind(lane, mark), TARN_OK);
}

static void draw(worker *w)
{
    player *p = player_of(w);
    if (!may_write(p))
        return;
    drawn *object = tarn_frame_pool_alloc(frames_of(w)->drawn, p->lane);
    if (!object) {
        failure_report(&w->run->failure, "no object of the frame pool");
        return;
    }
    object->worker = w->number;
    object->frame = p->lane->frame;
    note_drawn(&p->book, p->lane->frame);
}

/* Puts a new object in the place of another, which is read by others still. */
static void replace(worker *w)
{
    frames *s = frames_of(w);
    player *p = player_of(w);
    uint64_t frame = p->lane->frame;
    shared *made = tarn_guest_alloc(s->pool);
    if (!made) /* all wait for their frames */
        return;
    if (!shared_claim(&w->run->failure, made, ++p->book.serial, frame, s->in_flight))
        return;
    shared *old = atomic_exchange_explicit(&s->board[dice_below(&w->dice, BOARD_OBJECTS)], made,
                                           memory_order_acq_rel);
    if (old && shared_defer(&w->run->failure, old, frame))
        frame_expect(w, "defer", tarn_frame_defer_free(p->lane, s->pool, old), TARN_OK);
}

/* The acquire is for what the object's owner wrote; nothing flows back from the reader. */
static void read_board(worker *w)
{
    frames *s = frames_of(w);
    const shared *found[4];
    for (uint32_t i = 0; i < 4; i++)
        found[i] = atomic_load_explicit(&s->board[dice_below(&w->dice, BOARD_OBJECTS)],
                                        memory_order_acquire);
    for (uint32_t i = 0; i < 4; i++)
        if (found[i])
            shared_read(&w->run->failure, found[i]);
}

static void read_others(worker *w, uint64_t frame)
{
    const frames *s = frames_of(w);
    for (uint32_t i = 1; i <= w->run->options->threads; i++)
        notes_read(&w->run->failure, &s->players[i].book, i, frame);
}

typedef struct visit {
    failure *failure;
    uint64_t frame;
} visit;

static bool look_at(void *context, void *object)
{
    const visit *v = context;
    const drawn *d = object;
    if (d->frame != v->frame || d->constructed != (uintptr_t)d)
        failure_report(v->failure, "frame %" PRIu64 " visits an object of frame %" PRIu64, v->frame,
                       d->frame);
    return d->frame == v->frame;
}

/* A frame that is closed or has ended, and is not dropped. */
void frame_read(worker *w, uint64_t frame)
{
    const frames *s = frames_of(w);
    visit v = {&w->run->failure, frame};
    uint64_t drawn_by_all = 0;
    read_others(w, frame);
    for (uint32_t i = 1; i <= w->run->options->threads; i++)
        drawn_by_all += notes_drawn(&s->players[i].book, frame);
    size_t visited = tarn_frame_pool_each(s->drawn, frame, look_at, &v);
    if (visited != drawn_by_all)
        failure_report(&w->run->failure, "frame %" PRIu64 " has %" PRIu64 " objects, %zu visited",
                       frame, drawn_by_all, visited);
}

void frame_act(worker *w)
{
    uint64_t frame = player_of(w)->lane->frame;
    switch (dice_below(&w->dice, 16)) {
    case 0:
        write_finalized(w);
        break;
    case 1:
        write_and_rewind(w);
        break;
    case 2:
        write_note(w, dice_one_in(&w->dice, 8) ? LARGE_BYTES : 0);
        break;
    case 3:
        if (frames_of(w)->in_flight > 1 && frame > 1)
            frame_read(w, frame - 1);
        break;
    case 4:
    case 5:
    case 6:
        draw(w);
        break;
    case 7:
    case 8:
    case 9:
        replace(w);
        break;
    case 10:
    case 11:
    case 12:
        write_note(w, (size_t)dice_below(&w->dice, SMALL_BYTES));
        break;
    default:
        read_board(w);
    }
}
