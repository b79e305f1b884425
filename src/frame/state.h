/* A frame and its lanes.
 *
 * A lane belongs to its user, and while it is outside and a frame ends, to the thread that ends it.
 * What others may read of it at any time is in tarn_u32 and tarn_u64, or read relaxed.
 *
 *   frame n uses side n % frames_in_flight of each lane for its memory, and slot
 *   n % (frames_in_flight + 1) for its deferred frees: those of the frame dropped last are still
 *   being done while the open one collects its own. */
#ifndef TARN_FRAME_STATE_H
#define TARN_FRAME_STATE_H

#include "tarn/cache.h"
#include "tarn/frame.h"
#include "tarn/frame_pool.h"
#include "tarn/lane.h"
#include "tarn/pool.h"

#include "base/atomic.h"
#include "base/line.h"
#include "depot/stack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TARN_SIDES_MAX TARN_FRAMES_IN_FLIGHT_MAX
#define TARN_SLOTS_MAX (TARN_FRAMES_IN_FLIGHT_MAX + 1u)

#define TARN_FRAME_RED_ZONE_BYTES 16u

/* At the start of each block; what is allocated lies behind it. */
typedef struct tarn_block {
    struct tarn_block *next;
    size_t built_bytes; /* frame pools: from the header's end, constructed */
} tarn_block;

#define TARN_BLOCK_HEADER_BYTES ((size_t)64)

typedef struct tarn_chain {
    tarn_block *first, *last;
    uint32_t count;
} tarn_chain;

/* The blocks of one lane, for scratch memory or for one frame pool. */
typedef struct tarn_stock {
    tarn_chain kept; /* free, in the order of their last use */
    tarn_chain sides[TARN_SIDES_MAX];
    tarn_u32 held;       /* all of them; the owner writes */
    tarn_u32 kept_count; /* kept.count for samples */
    uint64_t peak_16ths; /* blocks in use lately, in 1/16 blocks */
} tarn_stock;

/* Behind the memory of a large request. */
typedef struct tarn_span {
    struct tarn_span *next;
    char *start;
    size_t bytes; /* reserved and committed, this struct included */
    size_t used_bytes;
    uint64_t frame; /* of its last use */
} tarn_span;

/* In frame memory, last first. */
typedef struct tarn_finalizer {
    struct tarn_finalizer *next;
    tarn_finalizer_fn *function;
    void *object;
} tarn_finalizer;

/* What a lane holds for one frame in flight, besides its blocks. */
typedef struct tarn_side {
    tarn_u64 frame; /* that it is of; 0: none yet. The owner writes */
    tarn_span *spans;
    tarn_finalizer *finalizers;
    bool is_finalizing; /* on the list of the side's lanes */
} tarn_side;

/* Deferred frees of one lane and frame. */
typedef struct tarn_batch tarn_batch;

typedef struct tarn_lane_state {
    TARN_ALIGNED_LINE tarn_lane hot;
    tarn_frame *frame;
    char *block_end; /* the limit while inside */
    /* Checked: what lies between the allocation before and the cursor; NULL: none. */
    char *red_zone, *red_zone_owner;
    uint32_t depth;      /* of enters */
    uint64_t begun;      /* the frame that side and cursor are of */
    uint64_t frame_peak; /* the most that frame had, so far */
    tarn_side sides[TARN_SIDES_MAX];
    tarn_batch *deferred[TARN_SLOTS_MAX];
    tarn_stock stock;
    tarn_span *spans_kept;

    /* For other threads. */
    tarn_u64 label[TARN_LANE_LABEL_BYTES_MAX / 8];
    tarn_u64 owner; /* TARN_LANE_FREE, ... */
    tarn_u32 is_inside;
    tarn_u32 user;        /* checked: the thread whose call is under way */
    tarn_u64 begun_seen;  /* begun */
    tarn_u64 full_bytes;  /* of that frame: spans, and blocks before the present one */
    tarn_u64 block_start; /* of what is allocated in the present one */
    tarn_u64 bytes_peak;
    tarn_u32 spans_count, spans_kept_count;
    tarn_u64 span_bytes;
    tarn_u64 overflows_full, overflows_too_large;
    tarn_u64 frames_by_size[TARN_LANE_SIZES];
} tarn_lane_state;

#define TARN_LANE_FREE     0u
#define TARN_LANE_BUSY     1u
#define TARN_LANE_ATTACHED 2u
#define TARN_LANE_GUEST    ((uint64_t)1 << 32) /* and the thread's number below it */

/* A frame pool's part for one lane, behind what the inline call touches. */
typedef struct tarn_objects_lane {
    TARN_ALIGNED_LINE tarn_stock stock;
    tarn_u64 frames[TARN_SIDES_MAX]; /* that the sides are of, for readers */
    char *block_end;                 /* of the present block's objects */
} tarn_objects_lane;

typedef struct tarn_objects {
    tarn_frame_pool hot; /* first: what the host holds */
    tarn_frame *frame;
    struct tarn_objects *next, *previous;
    tarn_hooks hooks;
    bool has_hooks;
    size_t object_bytes, first_bytes; /* from a block's start to its first object */
    size_t objects_per_block;
    tarn_objects_lane *lanes;
    size_t reserved_bytes;
    char name[TARN_FRAME_NAME_BYTES_MAX];
} tarn_objects;

struct tarn_frame {
    /* Constant after creation. */
    char name[TARN_FRAME_NAME_BYTES_MAX];
    uint64_t id;
    uint32_t lanes_max;
    bool is_checked, is_inspected;
    size_t block_bytes, memory_bytes_max;
    tarn_frame_options options;
    tarn_memory memory;
    tarn_pool *blocks, *batches;
    tarn_cache *cache; /* of blocks: the only one, so that all calls go to the shared part */
    tarn_lane_state *lanes;
    tarn_lane_state *host; /* one more, nobody's: for what is deferred outside of lanes */
    tarn_links links;      /* of lane and slot, for the two lists below */
    size_t reserved_bytes;
    tarn_frame *registry_next, *registry_previous;

    /* See gate.h. What entering and ending read besides is on its line: constant after creation. */
    TARN_ALIGNED_LINE tarn_u64 gate;
    tarn_u64 completed;
    tarn_u64 late_refusals;
    tarn_u32 listed; /* see links.h */
    uint32_t sides, slots;
    bool gated, is_watched;

    TARN_ALIGNED_LINE tarn_u64 held_bytes; /* by lanes */
    tarn_u64 span_bytes;
    tarn_u64 overflow_frame; /* the last that had its overflow told */
    tarn_u64 deferred, deferred_stale;
    tarn_objects *objects;  /* the frame's pools */
    tarn_u64 objects_bytes; /* of their books */

    /* Lanes with finalizers, by side, and with deferred frees, by slot. */
    TARN_ALIGNED_LINE tarn_stack finalizing[TARN_SIDES_MAX];
    tarn_stack deferring[TARN_SLOTS_MAX];
};

static inline tarn_lane_state *tarn_lane_state_of_(const tarn_lane *lane)
{
    return (tarn_lane_state *)(void *)lane;
}

static inline uint32_t tarn_frame_side_(const tarn_frame *frame, uint64_t number)
{
    return (uint32_t)(number % frame->sides);
}

static inline uint32_t tarn_frame_slot_(const tarn_frame *frame, uint64_t number)
{
    return (uint32_t)(number % frame->slots);
}

/* The last frame that is dropped while `number` is open; 0: none. */
static inline uint64_t tarn_frame_dropped_(const tarn_frame *frame, uint64_t number)
{
    return number > frame->sides ? number - frame->sides : 0;
}

#endif
