/* Frame pools: objects of one type that live for a frame. They are constructed once, reset when
 * their memory is used again, and dropped all at once with their frame.
 *
 * Each lane takes its objects from blocks of its own: an allocation is a bump, whatever the number
 * of threads. Objects are not freed one by one. */
#ifndef TARN_FRAME_POOL_H
#define TARN_FRAME_POOL_H

#include "tarn/config.h"
#include "tarn/frame.h"
#include "tarn/lane.h"
#include "tarn/life.h"
#include "tarn/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a lane has in one pool for one frame in flight: what the inline call touches. All fields are
 * the library's. */
typedef struct tarn_frame_pool_part_ {
    char *cursor, *limit;
    uint64_t frame; /* that the cursor is of */
    char unused_[128 - 2 * sizeof(char *) - sizeof(uint64_t)];
} tarn_frame_pool_part_;

typedef struct tarn_frame_pool {
    tarn_frame_pool_part_ *
        *parts; /* pointers: a store is then forwarded to the next load (clang) */
    size_t stride_bytes;
} tarn_frame_pool;

/* Zero in any field means its default, in parentheses. */
typedef struct tarn_frame_pool_options {
    const char *name;        /* for reports ("frame pool") */
    size_t object_bytes;     /* at least 1, at most what fits a block; required */
    size_t object_alignment; /* as in tarn_pool_options */
    tarn_hooks hooks;        /* reset runs when an object is handed out again: reset_on_return is
                                refused. They may use pools, not lanes of the frame (none) */
} tarn_frame_pool_options;

/* On success *pool is the caller's until tarn_frame_pool_destroy or the end of the frame; on
 * failure it is NULL and nothing is held. Returns TARN_OK; TARN_ERROR_INVALID (null, a field out of
 * range); TARN_ERROR_TOO_LARGE (the object does not fit a block); TARN_ERROR_NO_MEMORY. Threads:
 * one creation or destruction at a time per frame, not beside tarn_frame_end. */
TARN_API tarn_status tarn_frame_pool_create(tarn_frame *frame,
                                            const tarn_frame_pool_options *options,
                                            tarn_frame_pool **pool);

/* Destroys what was constructed and gives the blocks back. NULL is accepted.
 * Returns TARN_OK. Threads: after every other use of the pool, else as above. */
TARN_API tarn_status tarn_frame_pool_destroy(tarn_frame_pool *pool);

/* What the inline call falls back to; not for direct use. */
TARN_API void *tarn_frame_pool_alloc_slow_(tarn_frame_pool *pool, tarn_lane *lane);

/* An object of the open frame: zero and constructed when its memory is new, else as its last user
 * left it, and reset. The lane is one of the pool's frame.
 * Returns NULL when the lane is outside, when there is no memory, as in tarn_frame_alloc, or the
 * construct hook fails. Threads: the lane's user. */
static inline void *tarn_frame_pool_alloc(tarn_frame_pool *pool, tarn_lane *lane)
{
    tarn_frame_pool_part_ *own = pool->parts[lane->part];
    char *object = TARN_LOAD_RELAXED(&own->cursor);
    if (TARN_LIKELY(object < own->limit && own->frame == lane->frame)) {
        TARN_STORE_RELAXED(&own->cursor, object + pool->stride_bytes);
        return object;
    }
    return tarn_frame_pool_alloc_slow_(pool, lane);
}

/* False ends the iteration. */
typedef bool tarn_frame_visit_fn(void *context, void *object);

/* Visits the objects of a frame that is closed for writing, or has ended and is not dropped: lane
 * by lane, each in the order of allocation. Returns how many were visited, the one that ended it
 * included; 0 for null arguments and for any other frame. Threads: any, while the frame is not
 * dropped. */
TARN_API size_t tarn_frame_pool_each(const tarn_frame_pool *pool, uint64_t frame,
                                     tarn_frame_visit_fn *visit, void *context);

/* The same for one lane, 0 to lanes_max - 1: for a parallel-for. */
TARN_API size_t tarn_frame_pool_each_in(const tarn_frame_pool *pool, uint64_t frame, uint32_t lane,
                                        tarn_frame_visit_fn *visit, void *context);

/* How many there are. Threads: as above. */
TARN_API size_t tarn_frame_pool_count(const tarn_frame_pool *pool, uint64_t frame);

/* Typed static inline calls without casts: prefix_create, prefix_alloc, prefix_each,
 * prefix_each_in. To be followed by a semicolon. */
#define TARN_FRAME_POOL_DEFINE(prefix, type)                                                     \
    typedef bool prefix##_visit_fn(void *context_, type *object_);                               \
    typedef struct prefix##_visitor_ {                                                           \
        prefix##_visit_fn *visit_;                                                               \
        void *context_;                                                                          \
    } prefix##_visitor_;                                                                         \
    TARN_FRAME_POOL_CALL_ bool prefix##_visit_(void *visitor_, void *object_)                    \
    {                                                                                            \
        const prefix##_visitor_ *host_ = (const prefix##_visitor_ *)visitor_;                    \
        return host_->visit_(host_->context_, (type *)object_);                                  \
    }                                                                                            \
    TARN_FRAME_POOL_CALL_ tarn_status prefix##_create(                                           \
        tarn_frame *frame_, tarn_frame_pool_options options_, tarn_frame_pool **pool_)           \
    {                                                                                            \
        options_.object_bytes = sizeof(type);                                                    \
        if (options_.object_alignment == 0)                                                      \
            options_.object_alignment = __alignof__(type);                                       \
        return tarn_frame_pool_create(frame_, &options_, pool_);                                 \
    }                                                                                            \
    TARN_FRAME_POOL_CALL_ type *prefix##_alloc(tarn_frame_pool *pool_, tarn_lane *lane_)         \
    {                                                                                            \
        return (type *)tarn_frame_pool_alloc(pool_, lane_);                                      \
    }                                                                                            \
    TARN_FRAME_POOL_CALL_ size_t prefix##_each(const tarn_frame_pool *pool_, uint64_t frame_,    \
                                               prefix##_visit_fn *visit_, void *context_)        \
    {                                                                                            \
        prefix##_visitor_ host_;                                                                 \
        host_.visit_ = visit_;                                                                   \
        host_.context_ = context_;                                                               \
        return visit_ ? tarn_frame_pool_each(pool_, frame_, prefix##_visit_, &host_) : 0;        \
    }                                                                                            \
    TARN_FRAME_POOL_CALL_ size_t prefix##_each_in(const tarn_frame_pool *pool_, uint64_t frame_, \
                                                  uint32_t lane_, prefix##_visit_fn *visit_,     \
                                                  void *context_)                                \
    {                                                                                            \
        prefix##_visitor_ host_;                                                                 \
        host_.visit_ = visit_;                                                                   \
        host_.context_ = context_;                                                               \
        return visit_ ? tarn_frame_pool_each_in(pool_, frame_, lane_, prefix##_visit_, &host_)   \
                      : 0;                                                                       \
    }                                                                                            \
    struct tarn_semicolon_expected_

#define TARN_FRAME_POOL_CALL_ __attribute__((unused)) static inline

#ifdef __cplusplus
}
#endif
#endif
