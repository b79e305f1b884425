/* Object pools: creation, growth, inspection, collective clear and destruction.
 *
 *   may overlap     alloc/free  attach/detach  sample  describe  clear  destroy
 *   alloc/free      yes         yes            yes     yes       no     no
 *   attach/detach   yes         yes            yes     yes       no     no
 *   sample          yes         yes            yes     yes       yes    no
 *   describe        yes         yes            yes     yes       yes    no
 *   clear, destroy  no: the caller orders them after every other use of the pool
 *
 * Fork: the child has a copy of every pool, and of the threads only the one that forked, whose
 * caches and guest calls go on. It may use, create, clear and destroy pools. Objects that were live
 * are live in it too. What other guest threads' caches held is lost to it, as is what any other
 * thread's call had in hand, and figures may be off by that; the slack makes up for it, so that the
 * capacity can still be reached. Such caches count as attached until tarn_pool_clear, which makes
 * the pool whole again. A cache attached by a thread that was not inside a call on it may be used
 * in the child, and detached. Memory functions must give memory that is private to the process.
 *
 * Objects move in magazines between per-worker caches and one lock-free depot: Bonwick, "The Slab
 * Allocator" (USENIX 1994), and Bonwick and Adams, "Magazines and Vmem" (USENIX 2001); the depot
 * is a tagged stack after Treiber, "Systems Programming: Coping with Parallelism" (IBM, 1986). */
#ifndef TARN_POOL_H
#define TARN_POOL_H

#include "tarn/check.h"
#include "tarn/config.h"
#include "tarn/life.h"
#include "tarn/memory.h"
#include "tarn/report.h"
#include "tarn/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TARN_OBJECT_BYTES_MAX     ((size_t)1 << 20)
#define TARN_OBJECT_ALIGNMENT_MAX ((size_t)4096)
#define TARN_CAPACITY_MAX         ((size_t)0xFFFFFFFE)
#define TARN_CACHES_MAX           4096u
#define TARN_POOL_NAME_BYTES_MAX  32u /* with the closing zero */

#define TARN_HANDLE_POOL_BITS 12u /* of 64-bit handles */

typedef struct tarn_pool tarn_pool;

/* The name of an object: see tarn/handle.h. Zero is never valid. */
typedef struct tarn_handle {
    uint64_t bits;
} tarn_handle;
typedef struct tarn_compact_handle {
    uint32_t bits;
} tarn_compact_handle;

/* Asked before a growing pool takes more memory: objects_now can live already, objects_next could
 * afterwards. False refuses, and the allocation that asked answers NULL. Called once per growth,
 * outside any loop; an allocation from the same pool inside the callback never grows the pool. */
typedef bool tarn_grow_fn(void *context, tarn_pool *pool, size_t objects_now, size_t objects_next);

/* Names a live object of the full pool that is to make room: see tarn/full.h. A handle that is none
 * says that there is no such object, and the allocation fails with TARN_ERROR_PINNED. When the life
 * it names has ended meanwhile, the allocation looks again for a free object, then asks again, up
 * to TARN_EVICTIONS_TRIED_MAX times. */
typedef tarn_handle tarn_evict_fn(void *context, tarn_pool *pool);

#define TARN_EVICTIONS_TRIED_MAX 64u

/* Makes room in the full pool. True: look again for a free object; false: refuse. `attempt` counts
 * from 0 within one allocation. */
typedef bool tarn_full_fn(void *context, tarn_pool *pool, uint32_t attempt);

/* Told of each object that is still live when its pool is to be destroyed. alloc_site as in
 * tarn_report; the handle is none in a pool without handles. */
typedef void tarn_live_fn(void *context, const char *pool_name, void *object, tarn_handle handle,
                          const char *alloc_site);

/* How tarn_pool_maintain shrinks the pool. */
typedef struct tarn_shrink_options {
    uint32_t window_calls; /* calls of tarn_pool_maintain that a figure must hold for (64) */
    size_t keep_objects;   /* free objects that keep their memory in any case (0) */
} tarn_shrink_options;

/* Zero in any field means its default, in parentheses. Zero the whole struct first. */
typedef struct tarn_pool_options {
    const char *name;        /* for reports, copied and cut to 31 bytes ("pool") */
    size_t object_bytes;     /* 1 to TARN_OBJECT_BYTES_MAX; required */
    size_t object_alignment; /* a power of two, at most TARN_OBJECT_ALIGNMENT_MAX (the largest
                                power of two that divides object_bytes, at most 64) */
    size_t capacity;         /* objects that can live at once, 1 to TARN_CAPACITY_MAX; required.
                                For a growing pool, what it starts with */
    size_t capacity_max;     /* what a growing pool may reach (capacity: the pool is fixed) */
    size_t grow_objects;     /* how many objects one growth adds (what doubles the pool) */
    tarn_grow_fn *grow;      /* asked before each growth (none) */
    void *grow_context;
    size_t memory_bytes_max;    /* budget over all committed memory (none) */
    uint32_t caches_max;        /* caches attached at once, threads of the guest calls included,
                                   at most TARN_CACHES_MAX (64) */
    uint32_t cache_objects_max; /* free objects that one cache may hold (1/16 of the capacity,
                                   2 to 2176, at most 1 MiB) */
    bool exact;                 /* cache nothing: refuse the object after the capacity-th, exactly,
                                   at the price of one shared atomic operation per call (false) */
    bool handles;               /* count each slot's lives: for tarn/handle.h, tarn/each.h (false;
                                   true where hooks, zero_fill or evict is set) */
    uint32_t handle_bits;       /* 64, or 32 for tarn_compact_handle (64) */
    uint32_t handle_index_bits; /* with 32: for the slot (what the slots need). Caches shrink where
                                   their slack would not fit */
    uint32_t handle_pool_bits;  /* with 32: for the pool's number (0: not checked) */
    tarn_hooks hooks;           /* for the ends of objects' lives (none) */
    bool zero_fill;             /* hand out objects that are all zero (false); not with hooks */
    tarn_evict_fn *evict;       /* names what makes room when the pool is full (none) */
    void *evict_context;
    tarn_full_fn *full; /* makes room when the pool is full (none); not with evict */
    void *full_context;
    tarn_live_fn *live; /* told of what is live when the pool is to be destroyed (none); only in
                           pools with handles, and in checked ones */
    void *live_context;
    tarn_shrink_options shrink;
    bool checked;             /* look for misuse in every call, and report it
                                 (false; true in a library built with TARN_CHECKED) */
    tarn_check_options check; /* what a checked pool looks for besides */
    tarn_report_fn *report;   /* told of each misuse (print to stderr and abort) */
    void *report_context;
    const tarn_memory *memory; /* copied (the operating system) */
} tarn_pool_options;

/* What a pool was resolved to, and how large it is now. */
typedef struct tarn_pool_info {
    const char *name; /* lives as long as the pool */
    size_t object_bytes, object_alignment;
    size_t stride_bytes; /* from one slot to the next */
    size_t capacity;     /* objects that can live at once, now */
    size_t capacity_max; /* after every growth */
    size_t slots;        /* capacity_max and the slack for what caches can strand */
    size_t slots_carved; /* slots in use: ever handed out, but for those whose memory went back */
    uint32_t caches_max;
    uint32_t cache_objects_max; /* 0 for an exact pool */
    uint32_t magazine_objects;  /* objects moved at once; 0 for an exact pool */
    uint32_t tag_bits;          /* of the narrowest ABA tag in use, at least 32 */
    size_t reserved_bytes;      /* of address space */
    size_t committed_bytes;     /* of it usable; the system backs what is touched */
    uint32_t lives_max;         /* of one slot, before it is retired; 0 without handles */
    size_t group_bytes;         /* what is given back to the system at once; 0: never */
    bool exact, checked, handles;
    bool inspected; /* a memory checker watches: see tarn/check.h */
} tarn_pool_info;

/* A sample. While other threads work, each figure is near the truth, and none is negative or more
 * than the pool has; at quiescence, exactly,
 * allocs - frees = live = slots_carved - free_in_caches - free_in_depot - slots_retired. */
typedef struct tarn_pool_statistics {
    uint64_t allocs, frees; /* objects, since creation; clear counts as a free of what was live */
    uint64_t live;
    uint64_t free_in_caches, free_in_depot; /* shelves count as caches */
    uint64_t refusals;                      /* allocations that answered NULL or TARN_ERROR_FULL */
    uint64_t depot_takes, depot_puts;       /* chains of magazines that caches took and put */
    uint64_t steals;                        /* magazines taken from another cache's shelf */
    uint64_t drain_requests;                /* caches asked to give back what they hold */
    uint64_t growths;
    uint64_t evictions;
    uint64_t slots_retired;      /* their lives are used up */
    uint64_t slots_trimmed;      /* their memory has gone back to the system, now */
    uint64_t constructs_refused; /* by the construct hook */
    uint32_t caches_attached;    /* guest threads' caches included */
} tarn_pool_statistics;

/* Reserves the pool's largest size and touches only what it must, whatever the capacity.
 *
 * A pool of capacity N serves N live objects whatever its caches hold: it has slack slots for what
 * they can strand. They are touched only when no other free object can be found.
 *
 * On success *pool is the caller's until tarn_pool_destroy; on failure *pool is NULL and nothing
 * is held. Returns TARN_OK; TARN_ERROR_INVALID (a null argument, a required field that is zero, a
 * field out of range, capacity_max below capacity, incomplete memory functions, fields that exclude
 * each other, 32-bit handles without room for slots and lives);
 * TARN_ERROR_TOO_LARGE; TARN_ERROR_NO_MEMORY; TARN_ERROR_BUDGET (the start is over it).
 * Threads: any; publishing *pool to other threads is the caller's to order. */
TARN_API tarn_status tarn_pool_create(const tarn_pool_options *options, tarn_pool **pool);

/* Destroys what was constructed and gives all memory back. Caches still attached end with the pool.
 * NULL is accepted.
 * Returns TARN_OK, or TARN_ERROR_LIVE_OBJECTS: some objects were not freed, and nothing was done,
 * but the live function is told of each, and a checked pool reports them; tarn_pool_clear drops
 * them all. Threads: after every other use
 * of the pool. */
TARN_API tarn_status tarn_pool_destroy(tarn_pool *pool);

/* Makes every object free at once, in time that depends on the caches, not on the objects, unless
 * the pool is checked or has handles. What was live is dropped: its handles are stale, and where
 * hooks reset on return, it is reset; else its content is not looked at. Objects that a reset hook
 * allocates meanwhile stay live. Caches stay attached and empty; reservations end. Tags go on, so
 * that no operation that began before can succeed afterwards.
 * Returns TARN_OK or TARN_ERROR_INVALID (null). Threads: no other use of the pool at the time. */
TARN_API tarn_status tarn_pool_clear(tarn_pool *pool);

/* Returns TARN_OK or TARN_ERROR_INVALID (null). Threads: any. */
TARN_API tarn_status tarn_pool_describe(const tarn_pool *pool, tarn_pool_info *info);

/* Returns TARN_OK or TARN_ERROR_INVALID (null). Threads: any, also while others allocate. */
TARN_API tarn_status tarn_pool_sample(const tarn_pool *pool, tarn_pool_statistics *statistics);

/* Whether the pointer is the start of a slot that the pool has handed out at least once.
 * Threads: any. */
TARN_API bool tarn_pool_owns(const tarn_pool *pool, const void *object);

#ifdef __cplusplus
}
#endif
#endif
