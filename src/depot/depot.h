/* The global part of a pool: full magazines, empty magazines, and loose slots.
 *
 *   full    chains of full magazines, by leader     one stack of each per shard
 *   empty   chains of empty magazines, by leader
 *   loose   single slots: what threads without a cache free, and the rests of caches that end.
 *           In an exact pool this is all there is
 *
 * Every operation may overlap every other. Each stack has a line of its own. A user puts into its
 * own shard and takes from it first, then from the others: what a core has freed comes back to it
 * rather than to another, and no head is everybody's. */
#ifndef TARN_DEPOT_DEPOT_H
#define TARN_DEPOT_DEPOT_H

#include "base/line.h"
#include "depot/magazine.h"
#include "depot/stack.h"

#include <stdbool.h>
#include <stdint.h>

#define TARN_DEPOT_SHARDS_MAX 8u

typedef struct tarn_depot_shard {
    TARN_ALIGNED_LINE tarn_stack full;
    TARN_ALIGNED_LINE tarn_stack empty;
} tarn_depot_shard;

typedef struct tarn_depot {
    tarn_magazines magazines; /* changes only by carving, rarely */
    tarn_links slots;         /* loose slot s has index s + 1 */
    uint32_t shard_count;     /* 1..TARN_DEPOT_SHARDS_MAX; constant */
    TARN_ALIGNED_LINE tarn_stack loose;
    tarn_depot_shard shards[TARN_DEPOT_SHARDS_MAX];
} tarn_depot;

/* Puts count magazines, 1..TARN_CHAIN_MAGAZINES_MAX, as one chain. */
void tarn_depot_put_full(tarn_depot *depot, uint32_t shard, const uint32_t *magazines,
                         uint32_t count);
void tarn_depot_put_empty(tarn_depot *depot, uint32_t shard, const uint32_t *magazines,
                          uint32_t count);

/* Takes one chain into an array of TARN_CHAIN_MAGAZINES_MAX, from the shard or another one.
 * Returns how many magazines, 0 when no shard had any. */
uint32_t tarn_depot_take_full(tarn_depot *depot, uint32_t shard, uint32_t *magazines);

/* Takes a chain of empty magazines, or one never used before. Returns how many, at least 1: the
 * pool has magazines for all its slots and for every hand that can hold an empty one. */
uint32_t tarn_depot_take_empty(tarn_depot *depot, uint32_t shard, uint32_t *magazines);

/* Whether no full magazine and no loose slot was there, at one and the same instant. */
bool tarn_depot_is_dry(const tarn_depot *depot);

/* Empties all stacks and forgets all magazines; tags go on. No other call may overlap. */
void tarn_depot_clear(tarn_depot *depot);

#endif
