#define _GNU_SOURCE /* RTLD_NEXT */
#include "record_real.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void (*free)(void *);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
} next;

enum { UNKNOWN, SEARCHING, KNOWN };
static _Atomic int search;

/* Copies the bits of the pointer: C has no conversion from an object's to a function's. */
static void find(void *function, const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    memcpy(function, &symbol, sizeof symbol);
}

static void find_all(void)
{
    find(&next.malloc, "malloc");
    find(&next.calloc, "calloc");
    find(&next.realloc, "realloc");
    find(&next.free, "free");
    find(&next.posix_memalign, "posix_memalign");
    find(&next.aligned_alloc, "aligned_alloc");
    find(&next.memalign, "memalign");
    find(&next.valloc, "valloc");
    find(&next.pvalloc, "pvalloc");
}

/* False while a thread, perhaps this one, is looking the functions up. */
static bool known(void)
{
    int state = atomic_load_explicit(&search, memory_order_acquire);
    if (state == KNOWN)
        return true;
    if (state == SEARCHING || !atomic_compare_exchange_strong(&search, &state, SEARCHING))
        return false;
    find_all();
    atomic_store_explicit(&search, KNOWN, memory_order_release);
    return true;
}

/* The static buffer only grows; each block has its size in front. */
#define BOOT_BYTES 65536u
static _Alignas(4096) unsigned char boot[BOOT_BYTES];
static _Atomic size_t boot_used;

static void *boot_alloc(size_t alignment, size_t bytes)
{
    if (alignment < 16)
        alignment = 16;
    if (bytes > BOOT_BYTES || alignment > 4096)
        return NULL;
    size_t span = (bytes + 15) / 16 * 16 + 16 + alignment;
    size_t start = atomic_load(&boot_used);
    do {
        if (span > BOOT_BYTES - start) {
            errno = ENOMEM;
            return NULL;
        }
    } while (!atomic_compare_exchange_weak(&boot_used, &start, start + span));
    size_t at = (start + 16 + alignment - 1) / alignment * alignment;
    memcpy(boot + at - sizeof bytes, &bytes, sizeof bytes);
    return boot + at;
}

static bool boot_owns(const void *block)
{
    uintptr_t at = (uintptr_t)block;
    return at >= (uintptr_t)boot && at < (uintptr_t)boot + BOOT_BYTES;
}

static void *boot_realloc(void *block, size_t bytes)
{
    void *moved = real_malloc(bytes);
    if (!moved)
        return NULL;
    size_t old;
    memcpy(&old, (unsigned char *)block - sizeof old, sizeof old);
    memcpy(moved, block, old < bytes ? old : bytes);
    return moved;
}

void *real_malloc(size_t bytes)
{
    return known() ? next.malloc(bytes) : boot_alloc(16, bytes);
}

/* The static buffer is zero where it was never used. */
void *real_calloc(size_t count, size_t bytes)
{
    if (known())
        return next.calloc(count, bytes);
    return bytes && count > SIZE_MAX / bytes ? NULL : boot_alloc(16, count * bytes);
}

void *real_realloc(void *block, size_t bytes)
{
    if (boot_owns(block))
        return boot_realloc(block, bytes);
    return known() ? next.realloc(block, bytes) : NULL;
}

/* What is freed while the functions are being looked up is kept: the safe answer. */
void real_free(void *block)
{
    if (!boot_owns(block) && known())
        next.free(block);
}

int real_posix_memalign(void **block, size_t alignment, size_t bytes)
{
    if (known())
        return next.posix_memalign(block, alignment, bytes);
    *block = boot_alloc(alignment, bytes);
    return *block ? 0 : ENOMEM;
}

void *real_aligned_alloc(size_t alignment, size_t bytes)
{
    return known() ? next.aligned_alloc(alignment, bytes) : boot_alloc(alignment, bytes);
}

void *real_memalign(size_t alignment, size_t bytes)
{
    return known() ? next.memalign(alignment, bytes) : boot_alloc(alignment, bytes);
}

void *real_valloc(size_t bytes)
{
    return known() ? next.valloc(bytes) : boot_alloc(4096, bytes);
}

void *real_pvalloc(size_t bytes)
{
    return known() ? next.pvalloc(bytes) : boot_alloc(4096, (bytes + 4095) / 4096 * 4096);
}
