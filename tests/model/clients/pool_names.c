#include "clients/pool_names.h"

#include "engine/trace.h"
#include "pool/slots.h"
#include "pool/state.h"

#include <stdio.h>

typedef struct field {
    size_t offset_bytes;
    const char *name;
} field;

#define POOL_FIELD(member)                   \
    {                                        \
        offsetof(tarn_pool, member), #member \
    }
#define CACHE_FIELD(member)                         \
    {                                               \
        offsetof(tarn_cache_state, member), #member \
    }

static const field pool_fields[] = {
    POOL_FIELD(slots_carved),
    POOL_FIELD(growth.capacity),
    POOL_FIELD(growth.grower),
    POOL_FIELD(growth.growths),
    POOL_FIELD(caches_used),
    POOL_FIELD(direct.allocs),
    POOL_FIELD(direct.frees),
    POOL_FIELD(direct.carves),
    POOL_FIELD(direct.splits),
    POOL_FIELD(direct.steals),
    POOL_FIELD(refusals),
    POOL_FIELD(drain_requests),
    POOL_FIELD(depot.shards[0].full.head),
    POOL_FIELD(depot.shards[0].empty.head),
    POOL_FIELD(depot.loose.head),
    POOL_FIELD(depot.magazines.carved),
};

static const field cache_fields[] = {
    CACHE_FIELD(hot.top),
    CACHE_FIELD(hot.alloc_floor),
    CACHE_FIELD(hot.free_ceiling),
    CACHE_FIELD(hot.allocs),
    CACHE_FIELD(pool),
    CACHE_FIELD(shelf.head),
    CACHE_FIELD(shelf_stolen),
    CACHE_FIELD(owner),
    CACHE_FIELD(drain_requested),
    CACHE_FIELD(counters.shelf_put),
    CACHE_FIELD(counters.shelf_taken),
    CACHE_FIELD(counters.reserved),
};

static const tarn_pool *named;

static void write_field(const field *fields, size_t count, size_t offset, const char *prefix,
                        char *text, uint32_t bytes)
{
    snprintf(text, bytes, "%s+%zu", prefix, offset);
    for (size_t i = 0; i < count; i++)
        if (fields[i].offset_bytes == offset)
            snprintf(text, bytes, "%s%s", prefix, fields[i].name);
}

/* What lies in the caches: their objects by place, everything else by name. */
static void write_cache(size_t offset, char *text, uint32_t bytes)
{
    char prefix[24];
    snprintf(prefix, sizeof prefix, "cache %zu ", offset / sizeof(tarn_cache_state));
    offset %= sizeof(tarn_cache_state);
    size_t first = offsetof(tarn_cache_state, hot.objects);
    if (offset >= first && offset - first < sizeof named->caches->hot.objects)
        snprintf(text, bytes, "%sobjects[%zu]", prefix, (offset - first) / sizeof(void *));
    else
        write_field(cache_fields, sizeof cache_fields / sizeof cache_fields[0], offset, prefix,
                    text, bytes);
}

static void write_name(const void *address, char *text, uint32_t bytes)
{
    const tarn_plan *plan = &named->plan;
    size_t offset = (size_t)((uintptr_t)address - (uintptr_t)named);
    size_t caches = (size_t)((const char *)named->caches - (const char *)named);
    if (offset >= plan->reserved_bytes)
        return;
    if (offset < caches)
        write_field(pool_fields, sizeof pool_fields / sizeof pool_fields[0], offset, "pool ", text,
                    bytes);
    else if (offset < plan->magazine_headers.offset_bytes)
        write_cache(offset - caches, text, bytes);
    else if (offset < plan->magazine_lists.offset_bytes)
        snprintf(text, bytes, "magazine %zu header+%zu",
                 (offset - plan->magazine_headers.offset_bytes) / sizeof(tarn_magazine),
                 (offset - plan->magazine_headers.offset_bytes) % sizeof(tarn_magazine));
    else if (offset < plan->slot_links.offset_bytes)
        snprintf(text, bytes, "magazine list entry %zu",
                 (offset - plan->magazine_lists.offset_bytes) / sizeof(void *));
    else if (offset < plan->slots.offset_bytes)
        snprintf(text, bytes, "slot link %zu",
                 (offset - plan->slot_links.offset_bytes) / sizeof(tarn_u32));
    else
        snprintf(text, bytes, "object %zu",
                 (offset - plan->slots.offset_bytes) / plan->stride_bytes);
}

void pool_names_use(const tarn_pool *pool)
{
    named = pool;
    model_trace_set_namer(write_name);
}
