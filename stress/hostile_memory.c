/* For MAP_ANONYMOUS and MAP_NORESERVE. */
#define _GNU_SOURCE

#include "hostile_memory.h"

#include "dice.h"

#include <sys/mman.h>

#define PAGE_BYTES        4096u
#define FAILS_ONE_CALL_IN 3u

static bool fails_now(hostile_memory *memory)
{
    uint64_t call = atomic_fetch_add_explicit(&memory->calls, 1, memory_order_relaxed);
    if (atomic_load_explicit(&memory->friendly, memory_order_relaxed))
        return false;
    bool fails = dice_mix(memory->seed + call) % FAILS_ONE_CALL_IN == 0;
    if (fails)
        atomic_fetch_add_explicit(&memory->failures, 1, memory_order_relaxed);
    return fails;
}

static void trim_to(unsigned char *mapped, size_t mapped_bytes, unsigned char *kept, size_t bytes)
{
    size_t before = (size_t)(kept - mapped), after = mapped_bytes - before - bytes;
    if (before)
        munmap(mapped, before);
    if (after)
        munmap(kept + bytes, after);
}

static void *reserve(void *context, size_t bytes, size_t alignment)
{
    hostile_memory *memory = context;
    if (fails_now(memory))
        return NULL;
    size_t mapped_bytes = bytes + alignment;
    unsigned char *mapped =
        mmap(NULL, mapped_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED)
        return NULL;
    size_t over = (uintptr_t)mapped % alignment;
    unsigned char *kept = mapped + (over ? alignment - over : 0);
    trim_to(mapped, mapped_bytes, kept, bytes);
    atomic_fetch_add_explicit(&memory->reserved_bytes, (int64_t)bytes, memory_order_relaxed);
    return kept;
}

static bool commit(void *context, void *address, size_t bytes)
{
    hostile_memory *memory = context;
    if (atomic_fetch_add_explicit(&memory->committing, 1, memory_order_relaxed) != 0)
        atomic_store_explicit(&memory->overlapped, true, memory_order_relaxed);
    bool done = !fails_now(memory) && mprotect(address, bytes, PROT_READ | PROT_WRITE) == 0;
    atomic_fetch_sub_explicit(&memory->committing, 1, memory_order_relaxed);
    return done;
}

static void decommit(void *context, void *address, size_t bytes)
{
    (void)context;
    madvise(address, bytes, MADV_DONTNEED);
    mprotect(address, bytes, PROT_NONE);
}

static void release(void *context, void *address, size_t bytes)
{
    hostile_memory *memory = context;
    munmap(address, bytes);
    atomic_fetch_sub_explicit(&memory->reserved_bytes, (int64_t)bytes, memory_order_relaxed);
}

void hostile_memory_init(hostile_memory *memory, uint64_t seed)
{
    *memory = (hostile_memory){.functions = {.context = memory,
                                             .page_bytes = PAGE_BYTES,
                                             .reserve = reserve,
                                             .commit = commit,
                                             .decommit = decommit,
                                             .release = release},
                               .seed = seed};
}
