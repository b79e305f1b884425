/* Iteration over the live objects of a pool with tarn_pool_options.handles.
 *
 *   may overlap   alloc, take, free, release  each  clear, destroy
 *   each          yes                         yes   no
 *
 * In the order of their slots. An object that is live throughout is visited exactly once; one whose
 * life begins or ends meanwhile once or not at all. What the visitor reads of an object that others
 * write is the host's to order. The visitor may free the visited object and any other, and
 * allocate.
 *
 * Objects that others still point to are best freed in two steps: mark them in one pass over all,
 * free what is marked in the next; in between, everybody sees the marks (examples/bullets). */
#ifndef TARN_EACH_H
#define TARN_EACH_H

#include "tarn/config.h"
#include "tarn/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* False ends the iteration. */
typedef bool tarn_visit_fn(void *context, void *object, tarn_handle handle);

/* Slots first to first + count - 1, by index. */
typedef struct tarn_range {
    size_t first, count;
} tarn_range;

/* Visits all live objects. Returns how many were visited, the one that ended it included; 0 for a
 * null argument or a pool without handles. Threads: any. */
TARN_API size_t tarn_each(const tarn_pool *pool, tarn_visit_fn *visit, void *context);

/* The same for those in a range of slots; what lies beyond the pool's slots is left out. */
TARN_API size_t tarn_each_in(const tarn_pool *pool, tarn_range range, tarn_visit_fn *visit,
                             void *context);

/* Part `index` of `count` parts of all slots in use, for a parallel-for: together they are all of
 * them, none twice, as long as no slot is used for the first time meanwhile; ask for all parts with
 * the same `slots`, from tarn_each_slots, to be sure of that. Parts meet between cache lines of
 * what iteration reads. An empty range for index >= count. Threads: any. */
TARN_API tarn_range tarn_each_part(size_t slots, size_t index, size_t count);

/* The number of slots in use: every live object's index is below it. Threads: any. */
TARN_API size_t tarn_each_slots(const tarn_pool *pool);

#ifdef __cplusplus
}
#endif
#endif
