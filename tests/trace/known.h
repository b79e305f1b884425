/* The calls that known_calls makes and check_known finds again in the trace. No other code asks
 * for these sizes. */
#ifndef TARN_KNOWN_H
#define TARN_KNOWN_H

#define KNOWN_THREADS 4
#define KNOWN_ROUNDS  250 /* each thread makes each call so many times */

/* X(name, bytes, alignment). REALLOC and REALLOCARRAY move a MALLOC block. */
#define KNOWN_LIST(X)              \
    X(KNOWN_MALLOC, 5003, 1)       \
    X(KNOWN_CALLOC, 5033, 1)       \
    X(KNOWN_POSIX, 5039, 256)      \
    X(KNOWN_ALIGNED, 5056, 64)     \
    X(KNOWN_MEMALIGN, 5059, 128)   \
    X(KNOWN_VALLOC, 5077, 4096)    \
    X(KNOWN_PVALLOC, 5081, 4096)   \
    X(KNOWN_NULL_REALLOC, 5099, 1) \
    X(KNOWN_REALLOC, 5087, 1)      \
    X(KNOWN_REALLOCARRAY, 5091, 1)

enum {
#define KNOWN_ENUM(name, bytes, alignment) name,
    KNOWN_LIST(KNOWN_ENUM)
#undef KNOWN_ENUM
        KNOWN_CALLS
};

#define KNOWN_CHILD_BYTES 5101 /* a forked child asks for it: never in its parent's trace */

#define KNOWN_SLOT_BYTES 5113 /* slow_allocator has a single block of it */

#endif
