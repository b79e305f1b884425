/* Where a pool's memory comes from. The default asks the operating system. */
#ifndef TARN_MEMORY_H
#define TARN_MEMORY_H

#include "tarn/config.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A host's own memory functions. All four are required. A pool calls them at creation, when it
 * grows and at destruction, never in between. Sizes and addresses are multiples of page_bytes,
 * except that reserve's bytes and alignment are multiples of it.
 *
 * Threads: growth may call commit from any thread that allocates, one call at a time per pool. */
typedef struct tarn_memory {
    void *context;     /* passed back as the first argument */
    size_t page_bytes; /* granularity, a power of two from 4096 to 2 MiB (4096) */
    /* Takes address space that need not be usable yet. NULL when there is none. */
    void *(*reserve)(void *context, size_t bytes, size_t alignment);
    /* Makes a part of it readable, writable and zero where never used before. False when it
     * cannot; the range is then as it was. */
    bool (*commit)(void *context, void *address, size_t bytes);
    /* Gives the content of a committed part back; the part may be committed again. */
    void (*decommit)(void *context, void *address, size_t bytes);
    /* Gives a whole reservation back. */
    void (*release)(void *context, void *address, size_t bytes);
} tarn_memory;

#ifdef __cplusplus
}
#endif
#endif
