/* What a pool does when an allocation finds no free object and it may not grow.
 *
 *   neither function   the allocation is refused
 *   evict              the host names a live object whose life ends, and the allocation gets it
 *   full               the host makes room its own way, or says that it will not
 *
 * The functions are called on the allocating thread, outside every lock, and return on it (no fiber
 * is moved inside). They may call into the same pool; an allocation from it in there calls neither
 * of them. Bulk calls and reservations do not call them: they are refused.
 *
 * A victim can be any live object, also one that another thread has just taken and is still setting
 * up. Give it a pinned score until it is ready: hooks do so best, as in examples/voices. One that
 * is looked at may be freed or taken anew at that moment: its memory stays readable. */
#ifndef TARN_FULL_H
#define TARN_FULL_H

#include "tarn/config.h"
#include "tarn/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An object that tarn_evict_lowest never names. */
#define TARN_SCORE_PINNED INT64_MAX

/* How much a live object is worth keeping. Called while others take and free: what it reads of the
 * object is the host's to order. */
typedef int64_t tarn_score_fn(void *context, const void *object);

/* The live object with the lowest score, and of those the one with the lowest slot; none when all
 * are pinned or none is live. For evict functions. O(slots in use). Threads: any. */
TARN_API tarn_handle tarn_evict_lowest(const tarn_pool *pool, tarn_score_fn *score, void *context);

#ifdef __cplusplus
}
#endif
#endif
