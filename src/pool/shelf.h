/* A cache's shelf: its own stack of full magazines, which others may steal from.
 *
 *   put, take, flush  the cache's user          steal  any thread, at any time
 *
 * The user counts what it puts and takes, thieves count what they have taken; the difference is
 * never less than what lies there, so the shelf's bound holds at every instant. */
#ifndef TARN_POOL_SHELF_H
#define TARN_POOL_SHELF_H

#include "pool/state.h"

/* Magazines on the shelf; a sample where others steal. */
uint64_t tarn_shelf_count_(const tarn_cache_state *cache);

/* Puts a full magazine. Where there is no room, half the shelf goes to the depot first, its newest
 * magazines; where there is no shelf, the magazine itself does. */
void tarn_shelf_put_(tarn_cache_state *cache, uint32_t magazine);

/* Puts the followers of a chain that just came from the depot on the empty shelf. */
void tarn_shelf_put_foreign_(tarn_cache_state *cache, const uint32_t *magazines, uint32_t count);

/* Takes the newest magazine. *is_foreign: it came from the depot, so that its objects are far away.
 * Returns TARN_INDEX_NONE when empty. */
uint32_t tarn_shelf_take_(tarn_cache_state *cache, bool *is_foreign);

/* Sends everything to the depot. */
void tarn_shelf_flush_(tarn_cache_state *cache);

/* Touches nothing but the victim's shared line, since its user may be at work. */
uint32_t tarn_shelf_steal_(tarn_pool *pool, tarn_cache_state *victim);

/* Sends count full magazines, as one chain, straight to the depot. */
void tarn_shelf_bypass_(tarn_cache_state *cache, const uint32_t *magazines, uint32_t count);

#endif
