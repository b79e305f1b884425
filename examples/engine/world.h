/* The world: a strip that closes into a ring, cut into sectors, two per worker, so that who is done
 * early takes over from others.
 *
 * A frame's jobs work on one sector each, on any worker. All that the world becomes is kept by
 * sector and nothing by worker, so the outcome does not depend on who did what when. Bullets that
 * fly out, and plans that the neighbour will carry out, go into a mailbox in one job and are taken
 * over in another, which starts after it.
 *
 *   step       of its sector it changes                        and else it touches
 *   simulate   bullets, outbox, contacts, random numbers
 *   collide    targets, new particles, random numbers          the contacts
 *   think      plans, squad, bullets, outbox, random numbers   the targets
 *   animate    particles
 *   build      bullets, plans                                  the neighbours' outboxes for it
 *   draw       nothing: it works on a shelf                    what workers wrote a frame ago
 *
 * Memory goes by worker: each step allocates from the caches and the lane of the worker that runs
 * it. So objects are often freed by another worker than the one that allocated them. */
#ifndef ENGINE_WORLD_H
#define ENGINE_WORLD_H

#include "hooks.h"
#include "kinds.h"
#include "options.h"
#include "random.h"
#include "tarn/tarn.h"
#include "transient.h"

#include <stdbool.h>
#include <stdint.h>

#define SECTOR_WIDTH  METRES(1024)
#define SECTOR_HEIGHT METRES(512)
#define TARGETS       32 /* per sector, one per column */
#define COLUMN_WIDTH  (SECTOR_WIDTH / TARGETS)
#define EMITTERS      64
#define MEMBERS       64 /* of a sector's squad */

#define SECTORS_PER_WORKER 2
#define SECTORS_MAX        (THREADS_MAX * SECTORS_PER_WORKER)

#define WARM_UP_FRAMES 300

enum { LEFT, RIGHT, SIDES };

typedef struct target {
    fixed y;
    int32_t health;
} target;

typedef struct place {
    fixed x, y;
} place;

/* Pointers to the live objects of one kind in one sector, without gaps. */
typedef struct roster {
    void **objects;
    uint32_t count, count_max;
} roster;

/* What a sector sends to one neighbour in one frame: chains through the objects. */
typedef struct mail {
    bullet *bullets;
    node *plans;
} mail;

/* What the malloc backend must free when a frame goes. */
typedef struct leftover leftover;
typedef struct leftovers {
    leftover *pieces, *draws;
    bullet *bullets;
} leftovers;

typedef struct sector {
    /* 128: no line that one worker writes is fetched beside another's */
    _Alignas(128) struct world *world;
    uint32_t index;
    uint64_t random;
    roster rosters[KIND_COUNT]; /* for AI nodes: the roots of plans */
    mail outbox[SIDES];
    contacts found; /* in this frame */
    target targets[TARGETS];
    place emitters[EMITTERS];
    place squad[MEMBERS];
    uint64_t born[KIND_COUNT], died[KIND_COUNT]; /* by this sector's jobs */
    uint64_t refused;                            /* allocations that answered NULL */
    transients transients;
} sector;

/* What one worker wrote in the last frames, and what became of it. */
typedef struct shelf {
    _Alignas(128) struct world *world;
    uint32_t index;                            /* the worker's */
    leftovers leftovers[FRAMES_IN_FLIGHT + 1]; /* the malloc backend's */
    uint64_t drawn, drawn_sum;
    uint64_t refused;
} shelf;

typedef struct world {
    const options *options;
    sector *sectors;
    uint32_t sectors_count;
    uint32_t power;               /* of this frame */
    shelf *shelves;               /* one per worker */
    hooks hooks;                  /* the scheduler's memory, and all of the tarn backend's */
    tarn_pool *pools[KIND_COUNT]; /* the tarn backend's, like frame and draws */
    tarn_frame *frame;
    tarn_frame_pool *draws;
    uint64_t frames_ended; /* the malloc backend's */
    void **roster_memory;  /* one block for all rosters */
} world;

static inline sector *world_left_of(const sector *s)
{
    uint32_t count = s->world->sectors_count;
    return &s->world->sectors[(s->index + count - 1) % count];
}

static inline sector *world_right_of(const sector *s)
{
    return &s->world->sectors[(s->index + 1) % s->world->sectors_count];
}

/* What is found by walking over everything alive. */
typedef struct census {
    uint64_t live[KIND_COUNT];
    uint64_t checksum; /* of all objects, targets, squads and random states */
} census;

/* How many objects of a kind a sector may hold. */
uint32_t world_sector_objects_max(kind which);

/* An empty world with its targets, emitters and squads in place. Touches all its own memory, so
 * that what grows afterwards is the objects' memory. False when there is no memory. */
bool world_create(world *created, const options *settings);
void world_destroy(world *created);

/* How hard a frame is: what is fired and planned in it grows with its power. */
uint32_t world_storm_power(const options *settings, uint32_t frame);

/* Objects born minus objects died. Threads: between two frames. */
uint64_t world_live(const world *counted, kind which);

/* Threads: between two frames. */
census world_take_census(const world *counted);

#endif
