/* Slots that tarn_pool_prepare has in hand while it makes them ready.
 *
 * A pool with slack makes up for them (plan.c). An exact pool has no slack: there, an allocation
 * that finds nothing waits for them, so that a refusal means that the capacity is live. Whoever has
 * some in hand itself, and allocates in the construct hook, does not wait, so that no two wait for
 * each other. Prepare counts itself among the preparers, then carves (E16 of slots.h).
 *
 *   E17 prepare puts the slots into the depot, then counts itself out (release) -> await_'s load
 *       of preparers (acquire): a look at the depot that follows finds them. */
#ifndef TARN_POOL_SPACE_PREPARE_H
#define TARN_POOL_SPACE_PREPARE_H

#include "pool/state.h"

/* For who found nothing left to carve, before it looks whether the pool is dry. True, after a
 * while: another thread had slots of this exact pool in hand, so all is to be looked at again. */
bool tarn_prepare_await_(tarn_pool *pool);

/* In a forked child: forgets the preparing threads that are not there. */
void tarn_prepare_repair_(tarn_pool *pool);

#endif
