/* The two structures behind the public pointers, and who may touch which part.
 *
 *   tarn_pool         configuration (constant), then lines that any thread changes, each alone
 *   tarn_cache_state  the cache's user alone, except for the shared line at its end
 *
 *   E3 a cache's leaver stores owner (release) -> whoever claims it reads owner (acquire): the
 *      whole private part of the cache, and what was written to the objects in it. */
#ifndef TARN_POOL_STATE_H
#define TARN_POOL_STATE_H

#include "base/atomic.h"
#include "base/line.h"
#include "depot/depot.h"
#include "pool/plan.h"
#include "tarn/cache.h"
#include "tarn/handle.h"
#include "tarn/memory.h"
#include "tarn/pool.h"

#include <stddef.h>
#include <stdint.h>

/* Values of tarn_cache_state.owner. A guest thread's is tarn_owner_guest_(its id). */
#define TARN_OWNER_FREE     0u /* nobody's, and empty; zero memory is a free cache */
#define TARN_OWNER_LEFT     1u /* its thread has ended, its content is still there */
#define TARN_OWNER_ATTACHED 2u /* attached by hand */
#define TARN_OWNER_BUSY     3u /* being emptied by another thread */
#define TARN_OWNER_GUEST    4u
#define TARN_OWNER_LOST     TARN_OWNER_GUEST /* its thread is not in this child: see fork.h */

static inline uint64_t tarn_owner_guest_(uint32_t thread_id)
{
    return TARN_OWNER_GUEST | (uint64_t)thread_id << 8;
}

#define TARN_CACHE_EMPTIES_MAX (2 * TARN_CHAIN_MAGAZINES_MAX)

/* Counted by the cache's user alone, read by whoever samples. Together they account for every
 * object that passes: see statistics.c. */
typedef struct tarn_cache_counters {
    tarn_u64 objects_in;  /* from depot, loose slots, carving, other caches' shelves */
    tarn_u64 objects_out; /* to depot and loose slots */
    tarn_u64 loose_taken, loose_put;
    tarn_u64 shelf_put, shelf_taken; /* magazines */
    tarn_u64 depot_magazines_taken, depot_magazines_put;
    tarn_u64 depot_takes, depot_puts; /* operations */
    tarn_u64 steals;
    tarn_u64 reserved; /* objects in the reserve */
} tarn_cache_counters;

/* A cache has a page to itself: the prefetcher that follows a walk over one cache's array does not
 * stop at its end, but it stops at a page's. With caches 1.7 KiB apart, two cores that did nothing
 * but refill and drain took 40 % longer than one (measured: Sapphire Rapids). */
#define TARN_CACHE_PAGE_BYTES 4096u

/* Pools begin their caches at different lines of the page, this many of them, so that a worker's
 * caches of many pools do not meet in one set of its first-level cache. */
#define TARN_CACHE_COLOURS 16u

typedef struct tarn_cache_state {
    union {
        char page[TARN_CACHE_PAGE_BYTES];
        struct {
            TARN_ALIGNED_LINE tarn_cache hot; /* first: the public pointer points here */

            tarn_pool *pool;
            uint32_t empty_count;
            uint32_t empties[TARN_CACHE_EMPTIES_MAX];
            uint32_t shard;             /* of the depot */
            uint32_t foreign_magazines; /* so many, lowest on the shelf, came from the depot */
            uint32_t reserve_first;     /* chain of reserved slots, through the slot links */
            size_t reserve_end;         /* the reservation lasts until this many allocs */
            tarn_cache_counters counters;

            TARN_ALIGNED_LINE tarn_stack shelf; /* popped by thieves too */
            tarn_u64 shelf_stolen; /* magazines; counted after the pop, so never too early */
            tarn_u64 owner;
            tarn_u32 drain_requested;
            tarn_u32 user; /* in a checked pool: see user.h */
        };
    };
} tarn_cache_state;

/* Parts of the reservation that grow with the pool, in the plan's order; the slots come last. */
#define TARN_POOL_REGIONS 8u

typedef struct tarn_pool_growth {
    tarn_u64 capacity; /* objects that can live now; slots below capacity + slack are committed */
    tarn_u64 grower;   /* id of the thread that grows the pool, or 0 */
    tarn_u64 growths;
    tarn_u64 committed_bytes;
    size_t region_bytes[TARN_POOL_REGIONS]; /* committed of each; the grower's alone */
} tarn_pool_growth;

/* What threads without a cache, and all users of an exact pool, did. */
typedef struct tarn_direct_counters {
    tarn_u64 allocs, frees;
    tarn_u64 carves;
    tarn_u64 splits; /* magazines from the depot broken up into loose slots */
    tarn_u64 steals; /* the same, from a cache's shelf */
} tarn_direct_counters;

typedef struct tarn_loan tarn_loan;

/* Objects freed last, in a ring over pool.quarantined: see quarantine.h. */
typedef struct tarn_quarantine {
    tarn_u32 lock;
    uint32_t first;
    tarn_u64 count;
    tarn_u64 releases; /* objects that went on to the pool, ever */
} tarn_quarantine;

/* 2^group_shift slots, whose memory goes back to the system together: see space/groups.h. */
typedef struct tarn_group {
    tarn_stack sorted; /* free slots of the group */
    tarn_u32 count;    /* of them */
    tarn_u32 next;     /* link among the trimmed groups */
    tarn_u32 retired;  /* slots of the group that are free for ever */
    tarn_u32 is_trimmed;
} tarn_group;

/* Of tarn_space.sorted. The rest is a signed number of slots. */
#define TARN_SORTED_TAG_BITS 30u

/* What trimming sorted out, and took: see space/groups.h. */
typedef struct tarn_space {
    tarn_u64 trimmer;       /* id of the thread that trims, or 0 */
    tarn_u64 sorted;        /* slots in all groups, and a tag that each change adds one to */
    tarn_u32 first;         /* no group below this index has sorted slots */
    tarn_u64 slots_trimmed; /* of the groups whose memory is gone */
    tarn_stack trimmed;     /* those groups, by index + 1 */
    tarn_links links;       /* constant */
    tarn_u32 preparers;     /* threads with slots of an exact pool in hand: see space/prepare.h */
} tarn_space;

/* The trimmer's own: see space/maintain.c. */
typedef struct tarn_window {
    uint32_t calls;   /* of the present window */
    uint64_t lowest;  /* number of free objects in it */
    uint64_t surplus; /* to be trimmed during it */
} tarn_window;

struct tarn_pool {
    tarn_handle_table_ table; /* first: the inline calls of tarn/handle.h read it */

    /* Constant after creation. */
    tarn_plan plan;
    tarn_memory memory;
    char name[TARN_POOL_NAME_BYTES_MAX];
    uint64_t id; /* never that of another pool, dead or alive */
    char *slots;
    tarn_cache_state *caches;
    uint64_t stride_inverse; /* see slots.h */
    uint32_t stride_shift;
    bool checked;      /* misuse is reported */
    bool is_inspected; /* a memory checker watches */
    bool hides_free;   /* and is told that nobody may touch what is free */
    bool is_watched;   /* one of the two: calls go by watch.h */
    bool always_slow;  /* the inline calls never serve from the array */
    tarn_check_options check;
    tarn_loan *loans;      /* one per slot, in a watched pool */
    uint32_t *quarantined; /* slots */
    bool has_lives;        /* see life/word.h */
    bool opens_to_lives;   /* caches' arrays serve the calls of life/fast.h */
    bool renews_on_take;   /* resets or zeroes what had a life before */
    bool is_featured;      /* watched, or with lives or a full function: calls go by life/calls.h */
    bool zero_fill;
    tarn_hooks hooks;
    tarn_u32 *lives; /* one per slot */
    tarn_group *groups;
    tarn_evict_fn *evict;
    void *evict_context;
    tarn_full_fn *full;
    void *full_context;
    tarn_live_fn *live;
    void *live_context;
    tarn_shrink_options shrink;
    tarn_grow_fn *grow;
    void *grow_context;
    size_t memory_bytes_max;
    tarn_report_fn *report;
    void *report_context;

    /* The registry's, under its lock. */
    uint32_t number; /* in handles */
    bool owns_number;
    tarn_pool *registry_next, *registry_previous;

    bool is_ending; /* its objects are being destroyed: allocations are refused */
    bool is_torn; /* in a forked child until clear: what vanished threads had in hand is missing */

    TARN_ALIGNED_LINE tarn_u64 slots_carved; /* moves only when it succeeds */
    TARN_ALIGNED_LINE tarn_pool_growth growth;
    TARN_ALIGNED_LINE tarn_u32 caches_used; /* caches below this index were attached once */
    TARN_ALIGNED_LINE tarn_direct_counters direct;
    TARN_ALIGNED_LINE tarn_u64 refusals;
    tarn_u64 drain_requests;
    uint64_t slots_cleared; /* the most that were carved at a clear; of a watched pool */
    tarn_u64 evictions, constructs_refused;
    tarn_u64 slots_retired, retired_directly; /* the latter by threads without a cache */
    TARN_ALIGNED_LINE tarn_space space;
    tarn_window window;
    TARN_ALIGNED_LINE tarn_quarantine quarantine;
    tarn_u64 randoms_drawn;
    tarn_depot depot;
};

static inline tarn_cache_state *tarn_cache_state_of_(tarn_cache *cache)
{
    return (tarn_cache_state *)cache;
}

/* A counter with one writer: no read-modify-write is needed. */
static inline void tarn_counter_add_(tarn_u64 *counter, uint64_t amount)
{
    /* relaxed: a figure for samples; it orders nothing. */
    tarn_u64_store_relaxed(counter, tarn_u64_load_relaxed(counter) + amount);
}

#endif
