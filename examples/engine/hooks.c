#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, madvise */

#include "hooks.h"

#include <sys/mman.h>

/* relaxed: a statistic; the wait for a frame's jobs orders the reader after them */
static void count_call(void *context)
{
    hooks *counted = context;
    atomic_fetch_add_explicit(&counted->calls, 1, memory_order_relaxed);
}

/* mmap aligns to a page; for more, takes too much and gives both ends back. */
static void *reserve(void *context, size_t bytes, size_t alignment)
{
    count_call(context);
    if (bytes > SIZE_MAX - alignment)
        return NULL;
    char *start = mmap(NULL, bytes + alignment, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    size_t before = (size_t)(-(uintptr_t)start & (alignment - 1));
    if (before > 0)
        munmap(start, before);
    munmap(start + before + bytes, alignment - before);
    return start + before;
}

static bool commit(void *context, void *address, size_t bytes)
{
    count_call(context);
    return mprotect(address, bytes, PROT_READ | PROT_WRITE) == 0;
}

static void decommit(void *context, void *address, size_t bytes)
{
    count_call(context);
    madvise(address, bytes, MADV_DONTNEED);
}

static void release(void *context, void *address, size_t bytes)
{
    count_call(context);
    munmap(address, bytes);
}

void hooks_init(hooks *counted)
{
    atomic_init(&counted->calls, 0);
    counted->memory = (tarn_memory){
        .context = counted,
        .page_bytes = 65536, /* a multiple of every common system's page */
        .reserve = reserve,
        .commit = commit,
        .decommit = decommit,
        .release = release,
    };
}

uint64_t hooks_calls(const hooks *counted)
{
    return atomic_load_explicit(&counted->calls, memory_order_relaxed); /* relaxed: as count_call */
}
