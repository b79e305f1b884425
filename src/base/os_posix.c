#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, syscall */

#include "base/os.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

/* Over-reserves by the alignment and gives the ends back; page alignment needs no extra. */
static void *posix_reserve(void *context, size_t bytes, size_t alignment)
{
    (void)context;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t extra = alignment > page ? alignment - page : 0;
    if (bytes > SIZE_MAX - extra)
        return NULL;
    char *start =
        mmap(NULL, bytes + extra, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    size_t before = (size_t)(-(uintptr_t)start & (alignment - 1));
    if (before)
        munmap(start, before);
    if (extra > before)
        munmap(start + before + bytes, extra - before);
    return start + before;
}

static bool posix_commit(void *context, void *address, size_t bytes)
{
    (void)context;
    return mprotect(address, bytes, PROT_READ | PROT_WRITE) == 0;
}

/* What is committed again must be zero, which only Linux promises of MADV_DONTNEED; elsewhere new
 * pages take the place of the old. */
static void posix_decommit(void *context, void *address, size_t bytes)
{
    (void)context;
#ifdef __linux__
    madvise(address, bytes, MADV_DONTNEED);
#else
    mmap(address, bytes, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
#endif
}

static void posix_release(void *context, void *address, size_t bytes)
{
    (void)context;
    munmap(address, bytes);
}

tarn_memory tarn_os_memory(void)
{
    return (tarn_memory){
        .page_bytes = (size_t)sysconf(_SC_PAGESIZE),
        .reserve = posix_reserve,
        .commit = posix_commit,
        .decommit = posix_decommit,
        .release = posix_release,
    };
}

uint64_t tarn_os_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint32_t tarn_os_thread_id(void)
{
#ifdef __linux__
    return (uint32_t)syscall(SYS_gettid);
#else
    static atomic_uint last;
    static _Thread_local uint32_t id;
    if (!id)
        id = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    return id;
#endif
}

/* Refused only where there is no memory for a few words more. That is no reason to refuse a pool to
 * a program that never forks. */
void tarn_os_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
    pthread_atfork(before, in_parent, in_child);
}
