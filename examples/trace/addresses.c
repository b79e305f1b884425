#include "addresses.h"

#include <stdlib.h>

#define CELLS_MIN ((size_t)1024)

static size_t home_of(const addresses *map, uint64_t address)
{
    uint64_t mixed = address * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(mixed >> 20) & (map->cells_count - 1);
}

/* The cell that has the address, or the empty one where it belongs. */
static size_t find(const addresses *map, uint64_t address)
{
    size_t at = home_of(map, address);
    while (map->cells[at].block != ADDRESS_FREE && map->cells[at].address != address)
        at = (at + 1) & (map->cells_count - 1);
    return at;
}

static bool grow(addresses *map)
{
    size_t count = map->cells_count ? map->cells_count * 2 : CELLS_MIN;
    addresses larger = {.cells = malloc(count * sizeof(address_cell)), .cells_count = count};
    if (!larger.cells)
        return false;
    for (size_t i = 0; i < count; i++)
        larger.cells[i] = (address_cell){0, ADDRESS_FREE};
    for (size_t i = 0; i < map->cells_count; i++) {
        if (map->cells[i].block != ADDRESS_FREE)
            larger.cells[find(&larger, map->cells[i].address)] = map->cells[i];
    }
    larger.used = map->used;
    free(map->cells);
    *map = larger;
    return true;
}

bool addresses_put(addresses *map, uint64_t address, uint32_t block, uint32_t *before)
{
    if (map->used * 2 >= map->cells_count && !grow(map))
        return false;
    address_cell *cell = &map->cells[find(map, address)];
    *before = cell->block;
    map->used += cell->block == ADDRESS_FREE;
    *cell = (address_cell){address, block};
    return true;
}

/* Moves later cells of the run up into the hole, so that no search ends at it too early. */
static void close_hole(addresses *map, size_t hole)
{
    size_t mask = map->cells_count - 1;
    for (size_t at = (hole + 1) & mask; map->cells[at].block != ADDRESS_FREE;
         at = (at + 1) & mask) {
        size_t home = home_of(map, map->cells[at].address);
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            map->cells[hole] = map->cells[at];
            hole = at;
        }
    }
    map->cells[hole].block = ADDRESS_FREE;
}

uint32_t addresses_take(addresses *map, uint64_t address)
{
    if (map->cells_count == 0)
        return ADDRESS_FREE;
    size_t at = find(map, address);
    uint32_t block = map->cells[at].block;
    if (block == ADDRESS_FREE)
        return ADDRESS_FREE;
    map->used--;
    close_hole(map, at);
    return block;
}

void addresses_release(addresses *map)
{
    free(map->cells);
    *map = (addresses){0};
}
