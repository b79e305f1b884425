/* Lanes: a worker's private part of a frame. See tarn/frame.h for what a frame is.
 *
 *   tarn_lane_enter(lane);
 *   contact *contacts = tarn_frame_array(lane, contact, 200);
 *   char *path = tarn_frame_printf(lane, "save/%s.bin", name);
 *   tarn_lane_leave(lane);              what was allocated stays for its frame's time
 *
 * A lane has one user at a time. It may change threads when the hand-over is ordered, also while it
 * is inside, as fibers do.
 *
 *        block                      block
 *   [hdr|aaaabbccccc|ccc      ]  [hdr|ddddd|             ]    a bump pointer per lane; blocks come
 *                                           ^cursor      ^limit   from one pool and stay with the
 *                                                                 lane; what is larger than half a
 *                                                                 block gets a span of its own */
#ifndef TARN_LANE_H
#define TARN_LANE_H

#include "tarn/config.h"
#include "tarn/frame.h"
#include "tarn/pool.h"
#include "tarn/status.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TARN_FRAME_ALIGNMENT     ((size_t)16)      /* of all frame memory */
#define TARN_FRAME_ALIGNMENT_MAX ((size_t)1 << 20) /* that can be asked for */

/* Only the part that the inline calls touch. All fields are the library's. */
struct tarn_lane {
    char *cursor;   /* what comes next */
    char *limit;    /* where the inline calls end; the cursor itself while the lane is outside */
    uint64_t frame; /* that the lane is inside of; 0: outside */
    uint32_t index;
    uint32_t part; /* where frame pools keep what is the lane's in that frame */
};

/* Takes a lane for the caller; `label` is copied and cut to 23 bytes ("lane"). What the lane's
 * earlier user allocated stays as long as its frame.
 * *lane is the caller's until tarn_lane_detach or the end of the frame; NULL on failure.
 * Returns TARN_OK; TARN_ERROR_INVALID (null); TARN_ERROR_NO_LANE. Threads: any. */
TARN_API tarn_status tarn_lane_attach(tarn_frame *frame, const char *label, tarn_lane **lane);

/* Leaves the frame if the lane is inside, and gives the lane back. What was allocated and deferred
 * in it goes its way.
 * Returns TARN_OK; TARN_ERROR_INVALID (null); TARN_ERROR_NOT_ATTACHED (a second detach, or a
 * guest's lane). Threads: the lane's user. */
TARN_API tarn_status tarn_lane_detach(tarn_lane *lane);

/* The calling thread's own lane, which it gets at its first call and gives back when it ends, also
 * from inside. NULL when all are taken, or frame is NULL. Not for fibers that may resume on another
 * thread. Threads: any. */
TARN_API tarn_lane *tarn_guest_lane(tarn_frame *frame);

/* Goes inside the open frame. Calls nest: the outermost leave counts. The first time in a frame, it
 * rewinds the lane's memory of the frame dropped last, gives back what retention lets go, and does
 * its share of the deferred frees that are due.
 * Returns TARN_OK; TARN_ERROR_INVALID (null); TARN_ERROR_NOT_ATTACHED; TARN_ERROR_CLOSED (the frame
 * is closed for writing); TARN_ERROR_BUSY (it is being ended). On failure the lane is outside.
 * Threads: the lane's user. */
TARN_API tarn_status tarn_lane_enter(tarn_lane *lane);

/* Returns TARN_OK; TARN_ERROR_INVALID (null); TARN_ERROR_OUTSIDE. Threads: the lane's user. */
TARN_API tarn_status tarn_lane_leave(tarn_lane *lane);

/* What the inline calls fall back to; not for direct use. */
TARN_API void *tarn_frame_alloc_slow_(tarn_lane *lane, size_t bytes, size_t alignment);

/* Memory of the open frame, aligned to TARN_FRAME_ALIGNMENT; 0 bytes count as 1. Its content is
 * whatever was there. It is never freed: it goes with its frame, or by tarn_lane_rewind.
 * Returns NULL when the lane is outside (a checked frame reports that), when the budget is used up
 * or the system has no memory. Threads: the lane's user. */
static inline void *tarn_frame_alloc(tarn_lane *lane, size_t bytes)
{
    char *start = TARN_LOAD_RELAXED(&lane->cursor);
    size_t room = (size_t)(TARN_LOAD_RELAXED(&lane->limit) - start);
    if (TARN_LIKELY(bytes - 1 < room)) { /* room is a multiple of the alignment */
        size_t step = (bytes + TARN_FRAME_ALIGNMENT - 1) & ~(TARN_FRAME_ALIGNMENT - 1);
        TARN_STORE_RELAXED(&lane->cursor, start + step);
        return start;
    }
    return tarn_frame_alloc_slow_(lane, bytes, TARN_FRAME_ALIGNMENT);
}

/* The same, aligned to a power of two up to TARN_FRAME_ALIGNMENT_MAX; NULL for any other. */
static inline void *tarn_frame_alloc_aligned(tarn_lane *lane, size_t bytes, size_t alignment)
{
    if (alignment <= TARN_FRAME_ALIGNMENT && alignment && !(alignment & (alignment - 1)))
        return tarn_frame_alloc(lane, bytes);
    return tarn_frame_alloc_slow_(lane, bytes, alignment);
}

/* Memory for `count` elements; not for direct use. NULL too when count * bytes overflows. */
TARN_API void *tarn_frame_array_(tarn_lane *lane, size_t count, size_t bytes, size_t alignment);

/* An array of `count` elements of a type, not initialised; NULL as above, and on overflow. */
#ifdef __cplusplus
#define tarn_frame_array(lane, type, count) \
    (static_cast<type *>(tarn_frame_array_((lane), (count), sizeof(type), alignof(type))))
#else
#define tarn_frame_array(lane, type, count) \
    ((type *)tarn_frame_array_((lane), (count), sizeof(type), _Alignof(type)))
#endif

/* A string of the open frame, formatted as by printf. NULL as above, and for a null or faulty
 * format. Threads: the lane's user. */
#if defined(__MINGW32__)
#define TARN_PRINTF_(text, first) __attribute__((format(gnu_printf, text, first)))
#else
#define TARN_PRINTF_(text, first) __attribute__((format(printf, text, first)))
#endif
TARN_API char *tarn_frame_printf(tarn_lane *lane, const char *format, ...) TARN_PRINTF_(2, 3);
TARN_API char *tarn_frame_vprintf(tarn_lane *lane, const char *format, va_list arguments)
    TARN_PRINTF_(2, 0);

/* A place in a lane's memory that it can be rewound to. */
typedef struct tarn_mark {
    const tarn_lane *lane;
    uint64_t frame;
    void *block, *span, *finalizer;
    char *cursor;
    uint64_t bytes;
} tarn_mark;

/* Marks nest. All zero, which rewinds nothing, outside of frames. Threads: the lane's user. */
TARN_API tarn_mark tarn_lane_mark(tarn_lane *lane);

/* Gives back what the lane allocated since the mark, after running the finalizers registered since,
 * last first. Objects of frame pools and deferred frees stay.
 * Returns TARN_OK; TARN_ERROR_INVALID (null, or another lane's mark); TARN_ERROR_OUTSIDE;
 * TARN_ERROR_STALE (of another frame, or rewound past already, which is noticed until the lane has
 * allocated over that place again). Threads: the lane's user. */
TARN_API tarn_status tarn_lane_rewind(tarn_lane *lane, tarn_mark mark);

typedef void tarn_finalizer_fn(void *object);

/* Has function(object) called when the open frame is dropped, before its memory goes: by the thread
 * that ends a frame, rewinds the lane or destroys the frame; of one lane, last first. It must not
 * use lanes of the frame, nor end it. The record is frame memory.
 * Returns TARN_OK; TARN_ERROR_INVALID (null); TARN_ERROR_OUTSIDE; TARN_ERROR_FULL.
 * Threads: the lane's user. */
TARN_API tarn_status tarn_frame_finalize(tarn_lane *lane, tarn_finalizer_fn *function,
                                         void *object);

/* Frees an object of any pool when the open frame is dropped, so that every frame in flight may
 * still read it: until then it is live. Who defers it may not free it in another way. In a pool
 * with handles as by TARN_STALE_AT_DROP, below. Returns TARN_OK; TARN_ERROR_INVALID (null);
 * TARN_ERROR_OUTSIDE; TARN_ERROR_FOREIGN (not an object of the pool; a checked pool also reports
 * it); TARN_ERROR_FULL (deferred_max are under way: the object is still the caller's). Threads: the
 * lane's user. */
TARN_API tarn_status tarn_frame_defer_free(tarn_lane *lane, tarn_pool *pool, void *object);

/* When the handle of a deferred object goes stale. */
typedef enum tarn_stale_when {
    TARN_STALE_AT_ONCE, /* of several threads that defer or release it, one succeeds */
    TARN_STALE_AT_DROP, /* when the frame is dropped and a lane enters the next. Who looked it up
                           until then may use the object to the end of its own frame: it becomes
                           free when that is dropped, too. Who releases it before is first */
} tarn_stale_when;

/* The same by handle. Returns the above and TARN_ERROR_STALE (that life has ended already). */
TARN_API tarn_status tarn_frame_defer_release(tarn_lane *lane, tarn_pool *pool, tarn_handle handle,
                                              tarn_stale_when when);

#define TARN_LANE_SIZES 40u

/* A sample. While others work, each figure is near the truth. */
typedef struct tarn_lane_statistics {
    char label[TARN_LANE_LABEL_BYTES_MAX];
    bool attached, inside;
    size_t bytes;      /* allocated in the open frame, padding included */
    size_t bytes_peak; /* in any frame */
    /* How many frames had how many bytes: [0] none, [i] 2^(i-1) to 2^i - 1, the last one more. The
     * open frame is not in it. */
    uint64_t frames_by_size[TARN_LANE_SIZES];
    uint32_t blocks, blocks_kept; /* held, and of those not in use */
    uint32_t spans, spans_kept;
    size_t span_bytes;
    uint64_t overflows_full, overflows_too_large;
} tarn_lane_statistics;

/* Of lane `index`, 0 to lanes_max - 1, attached or not.
 * Returns TARN_OK or TARN_ERROR_INVALID (null, or no such lane). Threads: any. */
TARN_API tarn_status tarn_lane_sample(const tarn_frame *frame, uint32_t index,
                                      tarn_lane_statistics *statistics);

#ifdef __cplusplus
}
#endif
#endif
