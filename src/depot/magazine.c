#include "depot/magazine.h"

#include "base/assert.h"

_Static_assert(sizeof(tarn_magazine) == 64, "a header is one cache line");

void tarn_magazines_init(tarn_magazines *magazines, tarn_magazine *headers, void **objects,
                         uint32_t magazine_objects, uint32_t index_max)
{
    tarn_links_init(&magazines->links, &headers[0].next, sizeof headers[0], index_max);
    magazines->headers = headers;
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

/* Magazines that were taken off a stack together are linked already: their lines stay unwritten. */
static void link_in_order(const tarn_links *links, uint32_t index, uint32_t next)
{
    if (tarn_links_get(links, index) != next)
        tarn_links_set(links, index, next);
}

uint32_t tarn_chain_write(const tarn_magazines *magazines, const uint32_t *indices, uint32_t count)
{
    TARN_ASSERT(count > 0 && count <= TARN_CHAIN_MAGAZINES_MAX);
    uint32_t *followers = magazines->headers[indices[0]].followers;
    for (uint32_t i = 1; i < count; i++) {
        followers[i - 1] = indices[i];
        if (i > 1)
            link_in_order(&magazines->links, indices[i - 1], indices[i]);
    }
    if (count < TARN_CHAIN_MAGAZINES_MAX)
        followers[count - 1] = TARN_INDEX_NONE;
    return indices[0];
}

uint32_t tarn_chain_read(const tarn_magazines *magazines, uint32_t leader, uint32_t *indices)
{
    const uint32_t *followers = magazines->headers[leader].followers;
    uint32_t count = 0;
    indices[count++] = leader;
    while (count < TARN_CHAIN_MAGAZINES_MAX && followers[count - 1] != TARN_INDEX_NONE) {
        indices[count] = followers[count - 1];
        count++;
    }
    return count;
}
