/* The world: a strip that closes into a ring, cut into one sector per worker.
 *
 * A worker owns what is in its sector and alone touches it. Bullets that fly out, and plans that
 * the neighbour will carry out, go into a mailbox in one phase of the frame and are taken over in
 * the next; a barrier lies between. So the outcome does not depend on timing, and the objects that
 * travelled are freed by another worker than the one that allocated them.
 *
 *   phase     a worker writes                               a worker reads
 *   step      its sector, its mail                          its sector; what its neighbour wrote
 *                                                           in the frame before, to draw it
 *   receive   its sector, mail that neighbours sent to it   the same */
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

/* What a worker sends to one neighbour in one frame: chains through the objects. */
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

typedef struct worker {
    /* 128: no line that one worker writes is fetched beside another's */
    _Alignas(128) struct world *world;
    uint32_t index;
    uint64_t random;
    tarn_cache *caches[KIND_COUNT]; /* the tarn backend's, like the lane; NULL on malloc */
    tarn_lane *lane;
    leftovers leftovers[FRAMES_IN_FLIGHT]; /* the malloc backend's */
    roster rosters[KIND_COUNT];            /* for AI nodes: the roots of plans */
    mail outbox[SIDES];
    target targets[TARGETS];
    place emitters[EMITTERS];
    place squad[MEMBERS];
    uint64_t born[KIND_COUNT], died[KIND_COUNT]; /* in this sector */
    uint64_t refused;                            /* allocations that answered NULL */
    transients transients;
} worker;

typedef struct world {
    const options *options;
    worker *workers;
    tarn_pool *pools[KIND_COUNT]; /* the tarn backend's, like frame, draws and hooks */
    tarn_frame *frame;
    tarn_frame_pool *draws;
    hooks hooks;
    uint64_t frames_ended; /* the malloc backend's */
    void **roster_memory;  /* one block for all rosters */
} world;

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

/* Objects born minus objects died. Threads: none may be stepping. */
uint64_t world_live(const world *counted, kind which);

/* Threads: none may be stepping. */
census world_take_census(const world *counted);

#endif
