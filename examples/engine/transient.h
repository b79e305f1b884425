/* What lives for a frame: it is written in one, read in the next, and then goes all at once. A
 * bullet that dies waits as long: the next frame still draws it where it was last.
 *
 *   frame n      simulate  finds contacts
 *                collide   uses them, on another worker perhaps; names pictures for explosions
 *                build     writes a draw command for each bullet that flies
 *   frame n + 1  draw      reads what frame n wrote, worker by worker
 *   frame n + 2            uses that memory again; the bullets that died in n are free */
#ifndef ENGINE_TRANSIENT_H
#define ENGINE_TRANSIENT_H

#include "kinds.h"
#include "tarn/frame_pool.h"

#include <stddef.h>
#include <stdint.h>

#define FRAMES_IN_FLIGHT 2

/* A bullet that met the target of its column. */
typedef struct contact {
    bullet *by;
    uint32_t column;
} contact;

/* An array that grows into a larger one. The smaller one goes with the frame. */
typedef struct contacts {
    contact *all;
    uint32_t count, count_max;
} contacts;

/* The place is written down, since the bullet flies on while another job draws it. Who shot it
 * and its damage never change: they are read from the bullet, which may be dead by then. */
typedef struct draw {
    const bullet *of;    /* NULL: an explosion */
    const char *picture; /* of the explosion */
    fixed x, y;
} draw;

TARN_FRAME_POOL_DEFINE(draws, draw);

/* How much of it there was, over all frames. */
typedef struct transients {
    uint64_t contacts;
    uint64_t draws, pictures; /* written */
    uint64_t retired;         /* bullets that died in a frame that may be drawn */
} transients;

#endif
