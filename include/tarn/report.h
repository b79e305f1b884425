/* How a checked pool tells the host that it was misused. */
#ifndef TARN_REPORT_H
#define TARN_REPORT_H

#include "tarn/config.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, number, sentence). Numbers are stable: a release never reuses one. */
#define TARN_MISUSE_LIST(X)                                                               \
    X(TARN_MISUSE_NULL, 1, "a null pointer was freed")                                    \
    X(TARN_MISUSE_FOREIGN, 2, "a pointer from outside the pool was freed")                \
    X(TARN_MISUSE_INTERIOR, 3, "a pointer into the middle of an object was freed")        \
    X(TARN_MISUSE_NEVER_ALLOCATED, 4, "an object that was never handed out was freed")    \
    X(TARN_MISUSE_DETACHED, 5, "a cache was used after it was detached")                  \
    X(TARN_MISUSE_DOUBLE_FREE, 6, "an object was freed that is free already")             \
    X(TARN_MISUSE_SHARED_CACHE, 7, "a cache was used by two threads at once")             \
    X(TARN_MISUSE_WRITE_AFTER_FREE, 8, "an object was written to after it was freed")     \
    X(TARN_MISUSE_OVERRUN, 9, "the bytes behind an object were written to")               \
    X(TARN_MISUSE_LEAK, 10, "objects were not freed before the pool was to be destroyed") \
    X(TARN_MISUSE_OUTSIDE, 11, "frame memory was asked for outside the frame")            \
    X(TARN_MISUSE_SHARED_LANE, 12, "a lane was used by two threads at once")              \
    X(TARN_MISUSE_STALE_FRAME, 13, "frame memory was written to after it was dropped")

typedef enum tarn_misuse {
#define TARN_MISUSE_ENUM_(name, number, sentence) name = number,
    TARN_MISUSE_LIST(TARN_MISUSE_ENUM_)
#undef TARN_MISUSE_ENUM_
        TARN_MISUSE_NONE_ = 0
} tarn_misuse;

typedef struct tarn_report {
    tarn_misuse misuse;
    const char *text;      /* a sentence, static */
    const char *pool_name; /* of the pool or the frame, and lives as long */
    const void *object;    /* the pointer that was passed, or what was damaged; one of the leak's */
    uint64_t slot;         /* index of the slot it points into; UINT64_MAX if none */
    uint64_t offset;       /* damage: its first byte, from the object's start */
    uint64_t count;        /* leak: objects from one alloc_site; 0 otherwise */

    /* "file.c:12", or NULL where it is not known: see tarn/sites.h. */
    const char *call_site;  /* of the call that is reported, or that found the damage */
    const char *alloc_site; /* of the object's last allocation */
    const char *free_site;  /* of its last free */

    uint32_t thread;       /* the calling one, as the system numbers it */
    uint32_t other_thread; /* shared cache: the one whose call is under way; 0 otherwise */
} tarn_report;

/* Called once per misuse, on the thread that did it, before the call returns; the offending call
 * then changes nothing, and answers NULL or TARN_ERROR_NOT_ATTACHED. Damage is reported by the call
 * that finds it, which goes on. Leaks are reported once for each alloc_site, by
 * tarn_pool_destroy, which then answers TARN_ERROR_LIVE_OBJECTS. The function may call into the
 * same pool, though not destroy it.
 *
 * Where there is none, the report is printed to stderr and, but for leaks, the process aborts. */
typedef void tarn_report_fn(void *context, const tarn_report *report);

#ifdef __cplusplus
}
#endif
#endif
