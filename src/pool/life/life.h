/* The calls of a pool whose objects have lives: around what they do in any other pool they run the
 * host's hooks and count the slot's lives. */
#ifndef TARN_POOL_LIFE_LIFE_H
#define TARN_POOL_LIFE_LIFE_H

#include "pool/state.h"

/* Begins the life of an object that was just taken and that nobody else knows of: constructs,
 * resets or zeroes it. False when the construct hook failed: it was counted, and the caller gives
 * the object back. Does nothing, successfully, in a pool without lives. *word is the slot's word in
 * that life; an eviction may end it at once, and another life begin. */
bool tarn_life_begin_(tarn_pool *pool, void *object, uint32_t *word);

/* How a life ended. */
typedef enum tarn_life_end {
    TARN_LIFE_ENDED,    /* the caller gives the object back */
    TARN_LIFE_SPENT,    /* its slot is retired: the caller forgets the object */
    TARN_LIFE_NOT_LIVE, /* nothing was done; never in a pool without lives */
} tarn_life_end;

/* Ends the life of an object that is the caller's to free. */
tarn_life_end tarn_life_end_(tarn_pool *pool, void *object);

/* The same where others may try it at the same time: one of them succeeds. */
tarn_life_end tarn_life_end_exactly_(tarn_pool *pool, void *object);

/* Ends one life of a slot, the one that word was read in, if nobody else has: of several that try,
 * one does. Only the word changes: the caller goes on with tarn_life_finish_. */
bool tarn_life_try_end_(tarn_pool *pool, uint64_t slot, uint32_t word);

/* Runs what belongs to an end after the word has changed. */
tarn_life_end tarn_life_finish_(tarn_pool *pool, void *object);

/* Gives an object back whose life has ended to the cache, or directly where that is NULL. */
void tarn_life_return_(tarn_pool *pool, tarn_cache_state *cache, void *object, tarn_life_end end);

/* Forgets an object whose slot is retired, as the last that is done with it: counts its free. */
void tarn_life_forget_(tarn_pool *pool, tarn_cache_state *cache, const void *object);

/* Takes back what construct made in a free slot, once, and makes its word that of memory never
 * used. */
void tarn_life_unbuild_(tarn_pool *pool, uint64_t slot);

/* Constructs the object of a free slot ahead of its first life. False when the hook failed. */
bool tarn_life_build_(tarn_pool *pool, uint64_t slot);

/* The same for objects that were just taken: when it fails, no life has begun that others could
 * have come across, and the caller takes all back. Those that are built stay so. Does nothing,
 * successfully, in a pool without lives. */
bool tarn_life_build_all_(tarn_pool *pool, size_t count, void *const *objects);

#endif
