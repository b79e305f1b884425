/* What a pool's options come to: every size, bound and offset, computed once, before any memory is
 * taken. Pure arithmetic; all of it checked. */
#ifndef TARN_POOL_PLAN_H
#define TARN_POOL_PLAN_H

#include "tarn/pool.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Threads without a cache that may be inside an allocation at the same moment before one of them
 * can be refused while an object is free: each holds a chain of magazines for an instant. */
#define TARN_DIRECT_THREADS_COUNTED 16u

/* A part of the reservation that is committed on its own. It holds entries of one size; a pool of
 * k slots needs base_bytes + k * slot_bytes of it, rounded up. */
typedef struct tarn_region {
    size_t offset_bytes;
    size_t bytes_max;
} tarn_region;

/* How a handle's bits are split: see tarn/handle.h. */
typedef struct tarn_handle_layout {
    uint32_t index_bits, lives_bits, pool_bits;
    uint32_t pool_shift;
} tarn_handle_layout;

typedef struct tarn_plan {
    size_t object_bytes, object_alignment, stride_bytes;
    size_t capacity, capacity_max, grow_objects;
    size_t slack_slots; /* beyond the capacity, for what caches can strand */
    size_t slots_max;   /* capacity_max + slack_slots */
    uint32_t quarantine_objects;
    uint32_t caches_max;
    uint32_t group_shift; /* 2^group_shift slots give their memory back together */
    bool has_groups;
    uint32_t index_bits_chosen; /* of a handle; 0: what the slots need */
    tarn_handle_layout layout;  /* lives_bits is 0 without handles */
    bool exact;

    /* How one cache's bound is split; 0 in an exact pool, but for the magazines. */
    uint32_t cache_objects_max;
    uint32_t array_objects;    /* in the cache's array */
    uint32_t magazine_objects; /* moved between array and shelf at once */
    uint32_t shelf_magazines;
    uint32_t chain_magazines; /* moved between shelf and depot at once */
    uint32_t magazines_max;

    /* In the order in which they lie. */
    tarn_region head; /* the pool itself and its caches */
    tarn_region magazine_headers, magazine_lists, slot_links;
    tarn_region loans, quarantine; /* empty unless the pool is watched */
    tarn_region lives;             /* empty without handles */
    tarn_region groups;            /* empty in an exact pool */
    tarn_region slots;
    size_t reserved_bytes;
} tarn_plan;

/* Fills *plan from *options. There, checked means watched, check is as checks.h resolved it, and
 * handles is true where anything needs them. Returns TARN_OK, TARN_ERROR_INVALID or
 * TARN_ERROR_TOO_LARGE; *plan is unspecified on failure. */
tarn_status tarn_plan_make(const tarn_pool_options *options, size_t page_bytes,
                           size_t head_bytes_per_pool, size_t head_bytes_per_cache,
                           tarn_plan *plan);

/* Groups that a pool of that many slots has. */
size_t tarn_plan_groups(const tarn_plan *plan, size_t slots);

/* Magazines that a pool of that many slots can fill and keep empty. */
size_t tarn_plan_magazines(const tarn_plan *plan, size_t slots);

#endif
