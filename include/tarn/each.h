/* Iteration over the live objects of a pool with tarn_pool_options.handles.
 *
 *   may overlap   alloc, take, free, release  each, each_batch  clear, destroy
 *   each          yes                         yes               no
 *   each_batch    yes                         yes               no
 *
 * In the order of their slots. An object that is live throughout is visited exactly once; one whose
 * life begins or ends meanwhile once or not at all. What is read of an object that others write is
 * the host's to order.
 *
 * By a visitor, which is called for each object that is live at that moment: it may free the
 * visited object and any other, and allocate. Or by batches, into the host's arrays, for loops that
 * the compiler is to see whole: an object was live when the batch was filled, and who reads it
 * makes sure that nobody has freed it since, or resolves its handle again.
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

/* Fills objects with the next of those that are live in *range, their handles with their names
 * unless that is NULL, and moves the range on to where the next call continues. All of them:
 *
 *   tarn_range rest = tarn_each_part(slots, job, jobs);
 *   void *objects[256];
 *   for (size_t count; (count = tarn_each_batch(pool, &rest, 256, objects, NULL)) > 0;)
 *       for (size_t i = 0; i < count; i++)
 *           update(objects[i]);
 *
 * Their memory has been asked for, so batches of one to a few hundred are best: a first-level cache
 * holds them. Returns how many there are, count_max at most; 0 when none is left, the range being
 * empty then, and for a null argument, a count_max of 0 or a pool without handles, the range being
 * left alone. Threads: any; each with a range of its own. */
TARN_API size_t tarn_each_batch(const tarn_pool *pool, tarn_range *range, size_t count_max,
                                void **objects, tarn_handle *handles);

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
