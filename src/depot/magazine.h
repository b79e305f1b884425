/* Magazines: lists of free objects, and chains of magazines.
 *
 * A magazine is named by an index, 1..index_max. It lists magazine_objects pointers, and has a
 * header on a line of its own, since neighbours are in different hands. A magazine that lies on a
 * stack is full or empty, never in between, so it needs no count. Objects are listed here, not
 * linked through their own memory: a free object keeps its content, and nobody reads it.
 *
 *                headers                                   objects
 *   magazine 1   [next | 5, 2, -, ...]  leads a chain      [*, *, ... *]
 *   magazine 2   [next | unused]        of three: 1, 5, 2  [*, *, ... *]
 *   ...
 *
 * A chain is up to TARN_CHAIN_MAGAZINES_MAX magazines that travel through the depot as one
 * element, so that one CAS moves 1024 objects. Its leader's line names them all: a taker reads one
 * line instead of following fifteen links. Its followers are also linked, each to the next, so
 * that the taker can push them on its shelf as they are.
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

#define TARN_CHAIN_FOLLOWERS_MAX (TARN_CHAIN_MAGAZINES_MAX - 1)

typedef struct tarn_magazine {
    tarn_u32 next; /* link of the stack that it lies on, or of the chain that it follows in */
    uint32_t followers[TARN_CHAIN_FOLLOWERS_MAX]; /* ends at TARN_INDEX_NONE, or with the array */
} tarn_magazine;

typedef struct tarn_magazines {
    tarn_links links;
    tarn_magazine *headers; /* [0] is unused, as in objects */
    void **objects;
    uint32_t magazine_objects;
    tarn_u32 carved; /* indices 1..carved have been used */
} tarn_magazines;

/* The arrays are zero and hold index_max + 1 entries each. */
void tarn_magazines_init(tarn_magazines *magazines, tarn_magazine *headers, void **objects,
                         uint32_t magazine_objects, uint32_t index_max);

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
