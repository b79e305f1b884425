/* The objects freed last, kept from being handed out again, oldest first out.
 *
 *   put, release  any thread, under the quarantine's own lock: it is for checked pools only
 *   count         any thread, a sample          clear, slot  no other use of the pool may overlap
 *
 *   E5 unlocking stores lock = 0 (release) -> locking's exchange (acquire): the ring. */
#ifndef TARN_POOL_QUARANTINE_H
#define TARN_POOL_QUARANTINE_H

#include "pool/state.h"

/* Keeps the object; where there is no room, the oldest goes on to the pool, by the cache or, where
 * that is NULL, directly. Without a quarantine, the object itself does. */
void tarn_quarantine_put_(tarn_pool *pool, tarn_cache_state *cache, void *object);

/* Lets the oldest go on. False when there is none, and none went on since `releases` were read. */
bool tarn_quarantine_release_(tarn_pool *pool, tarn_cache_state *cache, uint64_t releases);

uint64_t tarn_quarantine_releases_(const tarn_pool *pool);
uint64_t tarn_quarantine_count_(const tarn_pool *pool);

/* The slot of the i-th oldest. */
uint64_t tarn_quarantine_slot_(const tarn_pool *pool, uint64_t i);

/* In a forked child: if a thread that vanished was at it, forgets what is in it. */
void tarn_quarantine_repair_(tarn_pool *pool);

/* Forgets what is in it. */
void tarn_quarantine_clear_(tarn_pool *pool);

#endif
