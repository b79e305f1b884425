#include "depot/magazine.h"

#include "base/assert.h"

_Static_assert(sizeof(tarn_chain) == 64, "a chain is one cache line");

void tarn_magazines_init(tarn_magazines *magazines, tarn_u32 *next, tarn_chain *chains,
                         void **objects, uint32_t magazine_objects, uint32_t index_max)
{
    tarn_links_init(&magazines->links, next, index_max);
    magazines->chains = chains;
    magazines->objects = objects;
    magazines->magazine_objects = magazine_objects;
    /* relaxed: nobody else knows the magazines yet. */
    tarn_u32_store_relaxed(&magazines->carved, 0);
}

uint32_t tarn_magazine_carve(tarn_magazines *magazines)
{
    /* relaxed: the number alone matters, the memory behind it was never used. */
    uint32_t carved = tarn_u32_load_relaxed(&magazines->carved);
    while (carved < magazines->links.index_max)
        if (tarn_u32_cas_weak_relaxed(&magazines->carved, &carved, carved + 1))
            return carved + 1;
    return TARN_INDEX_NONE;
}

uint32_t tarn_chain_write(const tarn_magazines *magazines, const uint32_t *indices, uint32_t count)
{
    TARN_ASSERT(count > 0 && count <= TARN_CHAIN_MAGAZINES_MAX);
    uint32_t *members = magazines->chains[indices[0]].magazines;
    for (uint32_t i = 0; i < count; i++)
        members[i] = indices[i];
    if (count < TARN_CHAIN_MAGAZINES_MAX)
        members[count] = TARN_INDEX_NONE;
    return indices[0];
}

uint32_t tarn_chain_read(const tarn_magazines *magazines, uint32_t leader, uint32_t *indices)
{
    const uint32_t *members = magazines->chains[leader].magazines;
    uint32_t count = 0;
    while (count < TARN_CHAIN_MAGAZINES_MAX && members[count] != TARN_INDEX_NONE) {
        indices[count] = members[count];
        count++;
    }
    TARN_ASSERT(count > 0 && indices[0] == leader);
    return count;
}
