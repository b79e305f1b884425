/* What a call can answer. One list yields number, name and sentence. */
#ifndef TARN_STATUS_H
#define TARN_STATUS_H

#include "tarn/config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, number, sentence). Numbers are stable: a release never reuses one. */
#define TARN_STATUS_LIST(X)                                                        \
    X(TARN_OK, 0, "success")                                                       \
    X(TARN_ERROR_INVALID, 1, "an argument or an option is out of its range")       \
    X(TARN_ERROR_TOO_LARGE, 2, "the sizes asked for do not fit the address space") \
    X(TARN_ERROR_NO_MEMORY, 3, "the memory functions could not supply memory")     \
    X(TARN_ERROR_BUDGET, 4, "the pool's memory budget does not allow it")          \
    X(TARN_ERROR_FULL, 5, "the pool has too few free objects")                     \
    X(TARN_ERROR_NO_CACHE, 6, "every cache of the pool is attached already")       \
    X(TARN_ERROR_NOT_ATTACHED, 7, "the cache is not attached")                     \
    X(TARN_ERROR_LIVE_OBJECTS, 8, "objects of the pool are still live")            \
    X(TARN_ERROR_STALE, 9, "the handle's object is not live any more")             \
    X(TARN_ERROR_FOREIGN, 10, "the handle belongs to another pool")                \
    X(TARN_ERROR_PINNED, 11, "the pool is full, and nothing in it may be evicted") \
    X(TARN_ERROR_CONSTRUCT, 12, "the pool's construct hook failed")                \
    X(TARN_ERROR_BUSY, 13, "another thread is at it already")                      \
    X(TARN_ERROR_LATE, 14, "a lane is still inside the frame")                     \
    X(TARN_ERROR_IN_FLIGHT, 15, "the frame to be dropped is not complete")         \
    X(TARN_ERROR_CLOSED, 16, "the frame is closed for writing")                    \
    X(TARN_ERROR_OUTSIDE, 17, "the lane is not inside the frame")                  \
    X(TARN_ERROR_NO_LANE, 18, "every lane of the frame is attached already")       \
    X(TARN_ERROR_NO_THREAD, 19, "the system refused a thread")                     \
    X(TARN_ERROR_NO_WORKER, 20, "as many threads are attached as may be")

typedef enum tarn_status {
#define TARN_STATUS_ENUM_(name, number, sentence) name = number,
    TARN_STATUS_LIST(TARN_STATUS_ENUM_)
#undef TARN_STATUS_ENUM_
        TARN_STATUS_COUNT
} tarn_status;

/* The constant's own name, "TARN_ERROR_FULL"; "TARN_STATUS_UNKNOWN" for any other number.
 * Returns a static string. Threads: any. */
TARN_API const char *tarn_status_name(tarn_status status);

/* A sentence for people; "unknown status" for any other number.
 * Returns a static string. Threads: any. */
TARN_API const char *tarn_status_text(tarn_status status);

#ifdef __cplusplus
}
#endif
#endif
