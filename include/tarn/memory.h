/* Where a pool's memory comes from. The default asks the operating system. */
#ifndef TARN_MEMORY_H
#define TARN_MEMORY_H

#include "tarn/config.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A host's own memory functions. All four are required. Sizes, addresses and alignments are
 * multiples of page_bytes. A pool reserves once, commits at creation, when it grows and when it
 * needs again what was trimmed, decommits when it is trimmed, and releases at destruction; in
 * between it calls nothing.
 *
 * Threads: any thread that allocates or prepares may call commit, and any that trims decommit; each
 * is called by one thread at a time per pool, but one may be called beside the other. Lanes of a
 * frame call reserve, commit and release for large requests, several at a time. */
typedef struct tarn_memory {
    void *context;     /* passed back as the first argument */
    size_t page_bytes; /* granularity, a power of two from 4096 to 2 MiB (4096) */
    /* Takes address space that need not be usable yet. NULL when there is none. */
    void *(*reserve)(void *context, size_t bytes, size_t alignment);
    /* Makes a part of it readable and writable, and zero where it was not used since it was
     * reserved or decommitted last. False when it cannot; the range is then as it was. */
    bool (*commit)(void *context, void *address, size_t bytes);
    /* Gives the content of committed memory back, whichever calls committed it; it may be committed
     * again. */
    void (*decommit)(void *context, void *address, size_t bytes);
    /* Gives a whole reservation back. */
    void (*release)(void *context, void *address, size_t bytes);
} tarn_memory;

#ifdef __cplusplus
}
#endif
#endif
