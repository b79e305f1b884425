/* Magazines: descriptors that list free objects, and chains of them.
 *
 * The memory of one magazine is magazine_objects pointers, nothing more; it is named by an index,
 * 1..count_max. A magazine that lies on a stack is full or empty, never in between, so it needs no
 * count. Objects are listed here, not linked through their own memory: a free object keeps its
 * content, and nobody reads it.
 *
 *                links      chains                        objects
 *   magazine 1   [next]     [1, 5, 2, -, ...]  leads a    [*, *, ... *]
 *   magazine 2   [next]     [unused]           chain of   [*, *, ... *]
 *   ...                                        three
 *
 * A chain is up to TARN_CHAIN_MAGAZINES_MAX magazines that travel through the depot as one
 * element, so that one CAS moves 1024 objects. Its leader's line names them all: a taker reads one
 * line instead of following sixteen links.
 *
 * Ownership: the thread that holds an index may use its memory; a stack hands it over (E1). */
#ifndef TARN_DEPOT_MAGAZINE_H
#define TARN_DEPOT_MAGAZINE_H

#include "base/atomic.h"
#include "depot/stack.h"

#include <stddef.h>
#include <stdint.h>

#define TARN_MAGAZINE_OBJECTS_MAX 64u
#define TARN_CHAIN_MAGAZINES_MAX  16u

typedef struct tarn_chain {
    uint32_t magazines[TARN_CHAIN_MAGAZINES_MAX]; /* ends at TARN_INDEX_NONE, or with the array */
} tarn_chain;

typedef struct tarn_magazines {
    tarn_links links;
    tarn_chain *chains; /* [0] is unused, as in objects */
    void **objects;
    uint32_t magazine_objects;
    tarn_u32 carved; /* indices 1..carved have been used */
} tarn_magazines;

/* The arrays are zero and hold index_max + 1 entries each. */
void tarn_magazines_init(tarn_magazines *magazines, tarn_u32 *next, tarn_chain *chains,
                         void **objects, uint32_t magazine_objects, uint32_t index_max);

/* A magazine never used before, empty. TARN_INDEX_NONE when there is none left. */
uint32_t tarn_magazine_carve(tarn_magazines *magazines);

static inline void **tarn_magazine_objects(const tarn_magazines *magazines, uint32_t index)
{
    return magazines->objects + (size_t)index * magazines->magazine_objects;
}

/* Writes a chain of the caller's magazines, 1..TARN_CHAIN_MAGAZINES_MAX. Returns its leader. */
uint32_t tarn_chain_write(const tarn_magazines *magazines, const uint32_t *indices, uint32_t count);

/* Copies the members of a chain that the caller holds. Returns how many. */
uint32_t tarn_chain_read(const tarn_magazines *magazines, uint32_t leader, uint32_t *indices);

#endif
