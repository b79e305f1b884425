/* Frames: stretches of time whose transient memory is dropped at once.
 *
 *   may overlap               lanes' calls  attach/detach  sample  end, close  complete  destroy
 *   lanes' calls (lane.h)     yes           yes            yes     yes: end    yes       no
 *                                                                  refuses
 *   attach/detach, sample     yes           yes            yes     yes         yes       no
 *   end, close                yes           yes            yes     one at a    yes       no
 *                                                                  time
 *
 * One frame is open at a time; they are numbered from 1. What is allocated in frame n stays until
 * frame n + frames_in_flight begins: with 1 it goes when n ends, with 2 the frame after n can still
 * read it, and so on. With `gated` that also waits until the host says that n is complete, as when
 * a GPU reads it.
 *
 *   frame            1      2      3      4        frames_in_flight 2
 *   memory of 1      write  read   gone            end of 2 drops 1
 *   memory of 2             write  read   gone
 *
 * Each worker has a lane and is inside the frame between tarn_lane_enter and tarn_lane_leave: only
 * there it allocates and reads. A frame does not end while a lane is inside: tarn_frame_end refuses
 * or waits, and names the lane. Ending costs the same for any number of objects and lanes: it
 * advances the frame's number, and each lane rewinds its own memory when it enters next.
 *
 * Fork: the child has a copy. Attached lanes that other threads were inside stay so, until
 * tarn_lane_detach takes them out; other guests' lanes are free again. */
#ifndef TARN_FRAME_H
#define TARN_FRAME_H

#include "tarn/config.h"
#include "tarn/memory.h"
#include "tarn/report.h"
#include "tarn/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TARN_FRAMES_IN_FLIGHT_MAX  8u
#define TARN_LANES_MAX             4096u
#define TARN_LANE_LABEL_BYTES_MAX  24u /* with the closing zero */
#define TARN_FRAME_NAME_BYTES_MAX  32u
#define TARN_FRAME_BLOCK_BYTES_MIN ((size_t)4096)
#define TARN_FRAME_BLOCK_BYTES_MAX ((size_t)1 << 20)

typedef struct tarn_frame tarn_frame;
typedef struct tarn_lane tarn_lane;

/* What a lane keeps of the memory that its frames do not use at the moment. */
typedef enum tarn_retention {
    TARN_RETAIN_DECAY, /* what it needed at most lately: that figure falls by 1/16 per frame */
    TARN_RETAIN_ALL,
    TARN_RETAIN_LIMIT, /* no more than retain_bytes, used memory included */
} tarn_retention;

/* Makes room when a lane gets no memory. True: try again; false: refuse. `attempt` counts from 0
 * within one allocation. Called on the allocating thread, outside every lock; it may trim, end the
 * lives of pool objects, or leave other lanes' blocks alone; it does not use the lane. */
typedef bool tarn_frame_full_fn(void *context, tarn_frame *frame, size_t bytes, uint32_t attempt);

/* Asked before the frame takes more memory from the system than ever before: bytes_next in all.
 * False refuses. */
typedef bool tarn_frame_grow_fn(void *context, tarn_frame *frame, size_t bytes_now,
                                size_t bytes_next);

/* An allocation that got nothing. */
typedef struct tarn_frame_overflow {
    uint64_t frame;
    uint32_t lane;
    const char *label; /* of the lane */
    size_t bytes;      /* asked for */
    bool is_too_large; /* no frame of this budget could ever hold it; else there is no room now */
} tarn_frame_overflow;

/* Told of the first overflow in each frame, at once, on the thread that it happens to. The others
 * are counted: see tarn_lane_sample. */
typedef void tarn_frame_overflow_fn(void *context, const tarn_frame_overflow *overflow);

/* Zero in any field means its default, in parentheses. Zero the whole struct first. */
typedef struct tarn_frame_options {
    const char *name;          /* for reports, copied and cut to 31 bytes ("frame") */
    uint32_t frames_in_flight; /* 1 to TARN_FRAMES_IN_FLIGHT_MAX (1) */
    bool gated;                /* a frame's memory is used again only after tarn_frame_complete */
    uint32_t lanes_max;        /* attached at once, guests included, at most TARN_LANES_MAX (64) */
    size_t block_bytes;        /* what lanes take at a time, a multiple of 4096 within
                                  TARN_FRAME_BLOCK_BYTES_MIN and _MAX (64 KiB) */
    size_t memory_bytes_max;   /* budget over the memory that lanes hold (1 GiB; 64 MiB where
                                  pointers have 32 bits) */
    size_t memory_bytes;       /* taken from the system at creation (one block) */
    tarn_frame_grow_fn *grow;  /* asked before it takes more (none) */
    void *grow_context;
    tarn_frame_full_fn *full; /* makes room (none: the allocation is refused) */
    void *full_context;
    tarn_frame_overflow_fn *overflow; /* told of overflows (none) */
    void *overflow_context;
    tarn_retention retention; /* (TARN_RETAIN_DECAY) */
    size_t retain_bytes;    /* per lane, and of each frame pool per lane, with TARN_RETAIN_LIMIT */
    size_t deferred_max;    /* deferred frees under way at once (2^20) */
    bool checked;           /* look for misuse and report it: calls outside, lanes used by two
                               threads at once, writes behind the lane's last allocation, writes to
                               dropped memory: that is overwritten, and looked at when it is used
                               again. `end` then walks over all that it drops (false; true in a
                               library built with TARN_CHECKED, and where TARN_CHECK asks for
                               checks: see tarn/check.h) */
    tarn_report_fn *report; /* told of each misuse (print to stderr and abort) */
    void *report_context;
    const tarn_memory *memory; /* copied (the operating system) */
} tarn_frame_options;

/* Opens frame 1. On success *frame is the caller's until tarn_frame_destroy; on failure it is NULL
 * and nothing is held. Returns TARN_OK; TARN_ERROR_INVALID (a null argument, a field out of range,
 * incomplete memory functions); TARN_ERROR_TOO_LARGE; TARN_ERROR_NO_MEMORY.
 * Threads: any; publishing *frame to other threads is the caller's to order. */
TARN_API tarn_status tarn_frame_create(const tarn_frame_options *options, tarn_frame **frame);

/* Drops every frame in flight, newest first: finalizers run, deferred frees are done, frame pools
 * end, all memory goes back. NULL is accepted.
 * Returns TARN_OK; TARN_ERROR_LATE (a lane is inside) or TARN_ERROR_BUSY (a frame is being ended,
 * as when a finalizer calls this), and nothing was done.
 * Threads: after every other use of the frame and of what it holds. */
TARN_API tarn_status tarn_frame_destroy(tarn_frame *frame);

/* The lane that a call was refused for. */
typedef struct tarn_late {
    uint32_t
        lanes;     /* how many are inside; 0: none, the frame that is to be dropped is incomplete */
    uint32_t lane; /* one of them */
    char label[TARN_LANE_LABEL_BYTES_MAX];
} tarn_late;

/* Ends the open frame and opens the next, which drops the frame that was opened frames_in_flight
 * before it: its finalizers run in here, and what was freed in it becomes free (deferred frees are
 * done by the lanes that enter next, and by tarn_frame_reclaim). Waits up to wait_ns nanoseconds
 * for lanes to leave, while none can enter, and for completion. *late, unless NULL, names who is in
 * the way; all zero on success. Returns TARN_OK; TARN_ERROR_INVALID (null); TARN_ERROR_LATE (a lane
 * is inside); TARN_ERROR_IN_FLIGHT (`gated`, and the frame to be dropped is not complete);
 * TARN_ERROR_BUSY (another end or close is under way, an outer one of this thread included). On
 * failure the open frame stays as it was. Threads: any. */
TARN_API tarn_status tarn_frame_end(tarn_frame *frame, uint64_t wait_ns, tarn_late *late);

/* Closes the open frame for writing, so that what it holds can be read while it is the open one:
 * from then on until its end, lanes cannot enter. Answers and waits as tarn_frame_end does, but
 * for completion; closing a closed frame is fine. Threads: any. */
TARN_API tarn_status tarn_frame_close(tarn_frame *frame, uint64_t wait_ns, tarn_late *late);

/* Says that nobody reads frames up to `number` any more, by a number that only grows; a smaller one
 * changes nothing. With one frame in flight that is the open frame, once it is closed.
 * Returns TARN_OK; TARN_ERROR_INVALID (null, or a frame that is still written).
 * Threads: any; what the caller read of the frames is read before their memory is used again. */
TARN_API tarn_status tarn_frame_complete(tarn_frame *frame, uint64_t number);

/* What a frame was resolved to. */
typedef struct tarn_frame_info {
    const char *name; /* lives as long as the frame */
    uint32_t frames_in_flight, lanes_max;
    size_t block_bytes, memory_bytes_max, memory_bytes, deferred_max;
    tarn_retention retention;
    size_t retain_bytes;
    bool gated, checked;
    bool inspected; /* a memory checker watches: see tarn/check.h */
} tarn_frame_info;

/* Returns TARN_OK or TARN_ERROR_INVALID (null). Threads: any. */
TARN_API tarn_status tarn_frame_describe(const tarn_frame *frame, tarn_frame_info *info);

/* The open frame's number; 0 for NULL. Threads: any. */
TARN_API uint64_t tarn_frame_number(const tarn_frame *frame);

/* Does deferred frees that are due, as lanes do when they enter a frame first, until `objects_max`
 * are done or none is left: for a host whose lanes may stay away. *done, unless NULL, is how many.
 * Returns TARN_OK or TARN_ERROR_INVALID (null). Threads: any, one at a time, but not beside
 * tarn_frame_end. */
TARN_API tarn_status tarn_frame_reclaim(tarn_frame *frame, size_t objects_max, size_t *done);

/* Gives memory that no lane holds back to the system, and what detached lanes keep: destroy hooks
 * of frame pools then run. *bytes, unless NULL, is how much. An attached lane gives back what
 * retention lets go when it enters. Returns as tarn_pool_trim does. Threads: any, but one creation
 * or destruction of a frame pool at a time. */
TARN_API tarn_status tarn_frame_trim(tarn_frame *frame, size_t *bytes);

/* The same in bounded bites, as tarn_pool_maintain: call it once per frame, say. Threads: any. */
TARN_API tarn_status tarn_frame_maintain(tarn_frame *frame, size_t budget_bytes, size_t *bytes);

/* A pointer into a frame's memory that knows its frame. Zero is never valid. */
typedef struct tarn_frame_ref {
    void *address;
    uint64_t frame;
} tarn_frame_ref;

/* Of memory of the open frame. None for NULL. Threads: inside a lane. */
TARN_API tarn_frame_ref tarn_frame_ref_of(const tarn_frame *frame, void *address);

/* The address, or NULL when the memory's frame was dropped. Numbers do not repeat: they have 43
 * bits, at 1000 frames a second 270 years. Threads: any; who uses the memory makes sure that the
 * frame is not dropped meanwhile: by being inside a lane, or, with `gated`, before it is complete.
 */
TARN_API void *tarn_frame_resolve(const tarn_frame *frame, tarn_frame_ref ref);

/* A sample. While others work, each figure is near the truth. */
typedef struct tarn_frame_statistics {
    uint64_t frame;     /* the open one */
    uint64_t completed; /* with `gated`: as the host said last; else the last one dropped */
    uint32_t lanes;     /* attached, guests included */
    uint32_t lanes_inside;
    size_t held_bytes;      /* by lanes, in use or kept; what memory_bytes_max bounds */
    size_t committed_bytes; /* of the system's memory */
    uint64_t overflows_full, overflows_too_large;
    uint64_t late_refusals; /* of end and close */
    uint64_t deferred;      /* frees that are not done yet */
    uint64_t
        deferred_stale; /* handles that somebody else had released when their frame was dropped */
} tarn_frame_statistics;

/* Returns TARN_OK or TARN_ERROR_INVALID (null). Threads: any, also while others allocate. */
TARN_API tarn_status tarn_frame_sample(const tarn_frame *frame, tarn_frame_statistics *statistics);

#ifdef __cplusplus
}
#endif
#endif
