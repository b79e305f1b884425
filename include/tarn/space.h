/* When a pool gets its memory, and when it gives memory back.
 *
 *   may overlap          alloc, free, ...  prepare  trim, maintain  clear, destroy
 *   prepare              yes               yes      yes             no
 *   trim, maintain       yes               yes      one at a time   no
 *
 * Each call does a bounded piece of work, so that a frame, an idle worker or a background thread
 * can afford it. */
#ifndef TARN_SPACE_H
#define TARN_SPACE_H

#include "tarn/config.h"
#include "tarn/pool.h"
#include "tarn/status.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes ready what `objects` coming allocations need, so that none of them grows the pool, touches
 * memory for the first time or calls the construct hook: at most budget_bytes of objects per call,
 * at least one object. *left, unless NULL, is how many objects are still to be made ready: 0 when
 * that many lie ready in the pool's shared part. Free objects there count, those in caches do not.
 *
 * A growing pool grows here in steps of the budget, whatever grow_objects says; its grow function
 * is asked as ever. Of an exact pool, an allocation that finds no other free object waits for
 * those that another thread has in hand here, so that none is refused below the capacity. The
 * construct hook's own allocations do not wait, and the hook must not wait for another thread that
 * allocates from the pool.
 * Returns TARN_OK; TARN_ERROR_INVALID (null); TARN_ERROR_FULL (the pool has no slots left, or may
 * not grow: *left says how many are missing); TARN_ERROR_CONSTRUCT. Threads: any. */
TARN_API tarn_status tarn_pool_prepare(tarn_pool *pool, size_t objects, size_t budget_bytes,
                                       size_t *left);

/* Gives the memory of free objects back to the system, as far as it lies in whole groups of pages
 * without a live object, until no more than keep_objects free objects keep their memory. What other
 * threads' caches hold keeps its pages; their owners are asked to give it back, for the next time.
 * Free objects whose memory goes are destroyed, and constructed anew when they are needed again;
 * until then they cost nothing but address space, and the capacity is what it was.
 *
 * *bytes, unless NULL, is what went back. An allocation beside it may be a little slower.
 * Returns TARN_OK; TARN_ERROR_INVALID (null, or an exact pool: those keep their memory);
 * TARN_ERROR_BUSY (another thread is at it). Threads: any. */
TARN_API tarn_status tarn_pool_trim(tarn_pool *pool, size_t keep_objects, size_t *bytes);

/* Trims by itself: call it at regular times, say once per frame. It notes how many free objects the
 * pool had at least, over a window of shrink.window_calls calls; what was free throughout, less
 * shrink.keep_objects and an eighth of what is live, goes back during the next window. Each call
 * handles at most budget_bytes of objects, or one group (group_bytes of tarn_pool_info) where that
 * is more. A pool whose demand swings within a window keeps what
 * the swing needs.
 * *bytes and status as in tarn_pool_trim. Threads: any. */
TARN_API tarn_status tarn_pool_maintain(tarn_pool *pool, size_t budget_bytes, size_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
