#include "engine/region.h"

#include <stdbool.h>
#include <string.h>

#define ARENA_BYTES   ((size_t)1 << 20)
#define BLOCK_BYTES   ((size_t)256) /* what is restored at once */
#define REGION_BYTES  (ARENA_BYTES + ((size_t)1 << 17))
#define REGION_BLOCKS (REGION_BYTES / BLOCK_BYTES)

extern char __start_model_state[];
extern char __stop_model_state[];

static _Alignas(4096) char arena[ARENA_BYTES] MODEL_STATE;

static struct {
    char copy[REGION_BYTES];
    bool is_changed[REGION_BLOCKS];
    uint32_t changed[REGION_BLOCKS];
    uint32_t changed_count;
    size_t arena_used;
} region;

static size_t region_bytes(void)
{
    size_t bytes = (size_t)(__stop_model_state - __start_model_state);
    return bytes < REGION_BYTES ? bytes : REGION_BYTES;
}

static void forget_changes(void)
{
    for (uint32_t i = 0; i < region.changed_count; i++)
        region.is_changed[region.changed[i]] = false;
    region.changed_count = 0;
}

void region_clear(void)
{
    memset(__start_model_state, 0, region_bytes());
    region.arena_used = 0;
    forget_changes();
}

void region_keep(void)
{
    memcpy(region.copy, __start_model_state, region_bytes());
    forget_changes();
}

void region_restore(void)
{
    for (uint32_t i = 0; i < region.changed_count; i++) {
        size_t offset = region.changed[i] * BLOCK_BYTES;
        size_t rest = region_bytes() - offset;
        memcpy(__start_model_state + offset, region.copy + offset,
               rest < BLOCK_BYTES ? rest : BLOCK_BYTES);
    }
    forget_changes();
}

void region_mark(const void *address, size_t bytes)
{
    size_t offset = (size_t)((uintptr_t)address - (uintptr_t)__start_model_state);
    if (offset >= region_bytes() || bytes == 0)
        return;
    size_t last = (offset + bytes - 1) / BLOCK_BYTES;
    for (size_t block = offset / BLOCK_BYTES; block <= last && block < REGION_BLOCKS; block++) {
        if (region.is_changed[block])
            continue;
        region.is_changed[block] = true;
        region.changed[region.changed_count++] = (uint32_t)block;
    }
}

uint64_t region_read(const void *address, uint32_t bytes)
{
    switch (bytes) {
    case 1:
        return *(const volatile uint8_t *)address;
    case 2:
        return *(const volatile uint16_t *)address;
    case 4:
        return *(const volatile uint32_t *)address;
    default:
        return *(const volatile uint64_t *)address;
    }
}

void region_write(void *address, uint32_t bytes, uint64_t value)
{
    region_mark(address, bytes);
    switch (bytes) {
    case 1:
        *(volatile uint8_t *)address = (uint8_t)value;
        return;
    case 2:
        *(volatile uint16_t *)address = (uint16_t)value;
        return;
    case 4:
        *(volatile uint32_t *)address = (uint32_t)value;
        return;
    default:
        *(volatile uint64_t *)address = value;
        return;
    }
}

void *region_take_pages(size_t bytes, size_t alignment)
{
    size_t base = (size_t)(uintptr_t)arena;
    size_t start = ((base + region.arena_used + alignment - 1) & ~(alignment - 1)) - base;
    if (bytes > ARENA_BYTES || start > ARENA_BYTES - bytes)
        return NULL;
    region.arena_used = start + bytes;
    return arena + start;
}

const char *region_arena(void)
{
    return arena;
}

size_t region_arena_bytes(void)
{
    return ARENA_BYTES;
}
