/* What the threads of the frame scenario share, and what they do while they are inside a frame. */
#ifndef STRESS_FRAME_PLAY_H
#define STRESS_FRAME_PLAY_H

#include "frame_notes.h"
#include "run.h"

#define BOARD_OBJECTS 64u

typedef struct player {
    _Alignas(128) note_book book;
    tarn_lane *lane;
    uint64_t finalizers;
    uint64_t notes_frame, notes; /* written in that frame */
} player;

/* While threads work, only main creates and destroys. */
typedef struct frames {
    failure *failure;
    tarn_frame *frame;
    tarn_frame_pool *drawn;
    tarn_pool *pool;
    uint32_t in_flight;
    bool gated;
    bool all_end; /* every thread may end frames */
    size_t deferred_max;
    player *players;                                      /* by number */
    _Alignas(128) _Atomic(shared *) board[BOARD_OBJECTS]; /* each NULL or one live object */
    _Alignas(128) _Atomic bool is_ending;                 /* a hint: others stay outside a while */
    _Alignas(128) _Atomic uint64_t finalized;
    _Atomic uint64_t ends;
} frames;

static inline frames *frames_of(const worker *w)
{
    return w->run->state;
}

static inline player *player_of(const worker *w)
{
    return &frames_of(w)->players[w->number];
}

/* Reports a status that is neither TARN_OK nor TARN_ERROR_BUSY nor `also`. */
void frame_expect(worker *w, const char *what, tarn_status status, tarn_status also);

/* One action at random, on the worker's lane, which is inside. */
void frame_act(worker *w);

/* All that is in a frame which is closed or has ended, and is not dropped. */
void frame_read(worker *w, uint64_t frame);

#endif
