/* What lives in the world: three kinds of objects that are born and die all the time.
 *
 * Positions and speeds are fixed-point, as in games that run in lockstep over a network: the same
 * seed gives the same world to the last bit, whatever compiler and optimisation. */
#ifndef ENGINE_KINDS_H
#define ENGINE_KINDS_H

#include <stddef.h>
#include <stdint.h>

typedef enum kind { KIND_BULLET, KIND_PARTICLE, KIND_NODE, KIND_COUNT } kind;

typedef int32_t fixed; /* in 1/256 of a metre */

#define METRES(count) ((fixed)((count)*256))

#define TRAIL_POINTS 4
#define THREATS      20

/* Flies until it is too old or hits a target. */
typedef struct bullet {
    struct bullet *next_in_mail; /* only while it travels to another worker */
    fixed x, y, speed_x, speed_y;
    uint16_t age_frames, damage;
    uint32_t shooter;
    fixed trail[TRAIL_POINTS][2]; /* where it was, for the renderer that we do not have */
} bullet;

/* A spark: falls and fades. */
typedef struct particle {
    fixed x, y, speed_x, speed_y;
    uint16_t age_frames, life_frames;
    uint32_t colour; /* alpha in the high byte */
} particle;

/* A node of a search tree: where a squad member could stand, and what that place is worth. */
typedef struct node {
    struct node *first_child;
    struct node *next_sibling; /* of a root: the next plan in the mail */
    struct node *best_child;
    uint64_t member; /* whom the plan is for */
    fixed x, y;
    int32_t own_score, best_score;
    int32_t threats[THREATS];
} node;

_Static_assert(sizeof(bullet) == 64 || sizeof(void *) != 8, "a bullet is a cache line");
_Static_assert(sizeof(particle) == 24, "a particle is small");
_Static_assert(sizeof(node) == 128 || sizeof(void *) != 8, "a node is two cache lines");

/* A table that the compiler folds away where the kind is a constant, as it is in all hot calls. */
static inline size_t kind_bytes(kind which)
{
    static const size_t bytes[KIND_COUNT] = {sizeof(bullet), sizeof(particle), sizeof(node)};
    return bytes[which];
}

static inline const char *kind_name(kind which)
{
    static const char *const names[KIND_COUNT] = {"bullets", "particles", "AI nodes"};
    return names[which];
}

#endif
