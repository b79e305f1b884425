/* What a checked pool looks for.
 *
 * Always: pointers that are not the pool's, objects freed twice (also by two threads at once), a
 * cache used by two threads at once or after it was detached, objects never freed (at the pool's
 * destruction). The options below add to that. Every call on a checked pool takes a slow path. In
 * a pool with hooks or an evict function, fill is off and keeps_content on: what hooks made
 * survives in free objects, and victims are looked for among objects that others free.
 *
 * The environment variable TARN_CHECK turns checks on without code. Each pool reads it when it is
 * created, in every build: words with commas between them, any of which makes the pool checked.
 *
 *   on             what is always looked for        random         random_order
 *   fill           fill                             fail=N         fail_one_in N
 *   redzone        red_zone_bytes 16                seed=N         seed N
 *   redzone=N      red_zone_bytes N                 quarantine=N   quarantine_objects N
 *
 * A word that it does not know is named on stderr and left out.
 *
 * Memory checkers see single objects, in every pool, checked or not: AddressSanitizer and
 * MemorySanitizer when the library is built with them, and Valgrind's memcheck, if its headers were
 * there when the library was built. What is free cannot be read or written unseen, and each object
 * has a red zone. But in a pool with an evict function they take free objects for live ones: what a
 * score function looks at may be freed at that moment. AddressSanitizer's leak detector looks for
 * pointers in live objects only. */
#ifndef TARN_CHECK_H
#define TARN_CHECK_H

#include "tarn/config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TARN_RED_ZONE_BYTES_MAX 4096u
#define TARN_QUARANTINE_MAX     0x1000000u

/* What the checks write: into free objects, and behind objects. */
#define TARN_BYTE_FREE     0xDFu
#define TARN_BYTE_RED_ZONE 0xFDu

/* Zero in any field means its default, in parentheses. All of it is for checked pools; the pool's
 * other users need not know. */
typedef struct tarn_check_options {
    bool fill;               /* overwrite what is freed, and look at its next allocation and at
                                destruction whether anybody wrote to it since (false) */
    bool random_order;       /* hand out any object of a cache's array, not the one freed last; of
                                no effect in an exact pool (false) */
    bool keeps_content;      /* the host reads what an object's last user left, so memory checkers
                                must not take it for uninitialised (false) */
    uint32_t red_zone_bytes; /* at least so many bytes behind each object that nobody may write to,
                                looked at when it is freed, at most TARN_RED_ZONE_BYTES_MAX (0; 16
                                where a memory checker watches) */
    uint32_t quarantine_objects; /* the objects freed last, so many, are not handed out again while
                                    the pool has others, or can carve slack or grow; at most
                                    TARN_QUARANTINE_MAX (0) */
    uint32_t fail_one_in;        /* refuse about one in so many allocations, at random, as a full
                                    pool would; what is reserved is not refused (0: none) */
    uint64_t seed;               /* of all that is random (0) */
} tarn_check_options;

#ifdef __cplusplus
}
#endif
#endif
