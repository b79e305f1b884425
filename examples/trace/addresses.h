/* Which block lives at an address: a hash table with linear probing. */
#ifndef TARN_TRACE_ADDRESSES_H
#define TARN_TRACE_ADDRESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ADDRESS_FREE UINT32_MAX

typedef struct address_cell {
    uint64_t address;
    uint32_t block; /* ADDRESS_FREE: the cell is empty */
} address_cell;

/* Zero it first. */
typedef struct addresses {
    address_cell *cells;
    size_t cells_count; /* a power of two, or 0 */
    size_t used;
} addresses;

/* False when there is no memory. *before is the block that lived there, or ADDRESS_FREE. */
bool addresses_put(addresses *map, uint64_t address, uint32_t block, uint32_t *before);

/* The block that lived there, which is forgotten, or ADDRESS_FREE. */
uint32_t addresses_take(addresses *map, uint64_t address);

void addresses_release(addresses *map);

#endif
