/* The live pools of this copy of the library, so that a thread that ends can leave its caches
 * without touching a pool that is gone, and that a forked child can repair them. Locked; used at
 * creation, destruction, a thread's first guest call on a pool, a thread's end and a fork. */
#ifndef TARN_POOL_REGISTRY_H
#define TARN_POOL_REGISTRY_H

#include "pool/state.h"

/* A number that no other pool has, in this copy of the library or another one. */
uint64_t tarn_registry_new_id_(void);

void tarn_registry_add_(tarn_pool *pool);
void tarn_registry_remove_(tarn_pool *pool);

/* Makes sure that tarn_guest_thread_ends_ runs when the calling thread ends. False when the system
 * has no more thread-specific keys. */
bool tarn_registry_watch_thread_(void);

/* Leaves the caches that `owner` holds, in all pools. */
void tarn_registry_leave_all_(uint64_t owner);

#endif
