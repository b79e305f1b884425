/* The lives of a pool's objects: what the host's functions do at their ends.
 *
 *            construct          [reset]                 release, free, evict, clear
 *   memory ------------> free ----------> live ------------------------------------> free
 *                          ^                            [reset_on_return]             |
 *                          +----------------------------------------------------------+
 *            destroy
 *   memory <------------ free, when its pages are returned, its slot is retired or the pool ends
 *
 * An object is constructed once, when its memory is handed out first or by tarn_pool_prepare, and
 * keeps its content while it is free: a list keeps its capacity, a buffer its allocation. */
#ifndef TARN_LIFE_H
#define TARN_LIFE_H

#include "tarn/config.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Any of them may be null. Each is called outside every lock, exactly once per event, on the thread
 * whose call causes it, and returns on that thread (no fiber is moved inside). It may call into the
 * same pool, though not clear or destroy it. */
typedef struct tarn_hooks {
    void *context; /* passed back as the first argument */
    /* Makes an object of zero memory. False when it cannot: it leaves nothing behind, the slot goes
     * back, and the allocation fails with TARN_ERROR_CONSTRUCT. */
    bool (*construct)(void *context, void *object);
    /* Makes a used object ready for its next life. Not called before its first. */
    void (*reset)(void *context, void *object);
    /* Takes back what construct and the object's lives left in it. At the pool's end, once for each
     * object that was constructed, in the order of their slots; allocations are refused then. */
    void (*destroy)(void *context, void *object);
    bool reset_on_return; /* reset when the object is freed (when it is taken again, so that what is
                             never taken again costs nothing) */
} tarn_hooks;

#ifdef __cplusplus
}
#endif
#endif
