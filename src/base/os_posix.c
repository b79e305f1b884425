#define _GNU_SOURCE /* MAP_ANONYMOUS, MAP_NORESERVE, syscall, sched_getaffinity */

#include "base/os.h"

#include "base/os_quota.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/futex.h>
#include <linux/membarrier.h>
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

uint64_t tarn_os_time_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint32_t processors_allowed(void)
{
#ifdef __linux__
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0 && CPU_COUNT(&allowed) > 0)
        return (uint32_t)CPU_COUNT(&allowed);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN); /* also where there are more than a set holds */
    return online > 0 ? (uint32_t)online : 1;
}

uint32_t tarn_os_processors(void)
{
    uint32_t allowed = processors_allowed();
    uint32_t quota = tarn_os_quota_processors("");
    return quota < allowed ? quota : allowed;
}

static struct timespec duration(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / 1000000000u),
                             .tv_nsec = (long)(ns % 1000000000u)};
}

#ifdef __linux__
void tarn_os_sleep(const uint32_t *word, uint32_t value, uint64_t timeout_ns)
{
    struct timespec timeout = duration(timeout_ns);
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, timeout_ns == UINT64_MAX ? NULL : &timeout,
            NULL, 0);
}

void tarn_os_wake(const uint32_t *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

bool tarn_os_process_barrier_init(void)
{
    return syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void tarn_os_process_barrier(void)
{
    syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}
#else
/* One condition for all words: who wakes looks at its own. */
static pthread_mutex_t sleep_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t sleep_changed = PTHREAD_COND_INITIALIZER;

void tarn_os_sleep(const uint32_t *word, uint32_t value, uint64_t timeout_ns)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t start = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    struct timespec end = duration(start + timeout_ns);
    pthread_mutex_lock(&sleep_mutex);
    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != value)
        ;
    else if (timeout_ns == UINT64_MAX)
        pthread_cond_wait(&sleep_changed, &sleep_mutex);
    else
        pthread_cond_timedwait(&sleep_changed, &sleep_mutex, &end);
    pthread_mutex_unlock(&sleep_mutex);
}

void tarn_os_wake(const uint32_t *word)
{
    (void)word;
    pthread_mutex_lock(&sleep_mutex);
    pthread_cond_broadcast(&sleep_changed);
    pthread_mutex_unlock(&sleep_mutex);
}

bool tarn_os_process_barrier_init(void)
{
    return false;
}

void tarn_os_process_barrier(void)
{
}
#endif
