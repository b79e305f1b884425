/* In a checked pool, a cache's present user: the thread whose call on it is under way.
 *
 * It is a word that each call sets and clears, so it sees two calls that overlap in time, whatever
 * the threads' reasons. It orders nothing, so that a race detector still sees a hand-over that the
 * host forgot to order. */
#ifndef TARN_POOL_USER_H
#define TARN_POOL_USER_H

#include "pool/state.h"

typedef enum tarn_user_entry {
    TARN_USER_REFUSED, /* another thread is inside, which was reported */
    TARN_USER_ENTERED,
    TARN_USER_NESTED, /* a call from inside a callback of this thread's own call */
} tarn_user_entry;

tarn_user_entry tarn_user_enter_(tarn_cache_state *cache, const char *site);
void tarn_user_leave_(tarn_cache_state *cache, tarn_user_entry entry);

#endif
