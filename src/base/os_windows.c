#include "base/os.h"

#define WIN32_LEAN_AND_MEAN
#include <windows.h>

static size_t page_bytes(void)
{
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    return system.dwPageSize;
}

/* Windows gives back whole reservations only. So where its own alignment, 64 KiB, is too little,
 * a larger reservation shows where there is room, and the right part of that is taken instead:
 * unless another thread is faster, which is worth another look. */
static void *reserve_aligned(size_t bytes, size_t alignment)
{
    for (int attempt = 0; attempt < 16; attempt++) {
        char *room = VirtualAlloc(NULL, bytes + alignment, MEM_RESERVE, PAGE_NOACCESS);
        if (!room)
            return NULL;
        char *start = room + (size_t)(-(uintptr_t)room & (alignment - 1));
        VirtualFree(room, 0, MEM_RELEASE);
        start = VirtualAlloc(start, bytes, MEM_RESERVE, PAGE_NOACCESS);
        if (start)
            return start;
    }
    return NULL;
}

static void *windows_reserve(void *context, size_t bytes, size_t alignment)
{
    (void)context;
    SYSTEM_INFO system;
    GetSystemInfo(&system);
    if (alignment <= system.dwAllocationGranularity)
        return VirtualAlloc(NULL, bytes, MEM_RESERVE, PAGE_NOACCESS);
    return bytes <= SIZE_MAX - alignment ? reserve_aligned(bytes, alignment) : NULL;
}

static bool windows_commit(void *context, void *address, size_t bytes)
{
    (void)context;
    return VirtualAlloc(address, bytes, MEM_COMMIT, PAGE_READWRITE) != NULL;
}

static void windows_decommit(void *context, void *address, size_t bytes)
{
    (void)context;
    VirtualFree(address, bytes, MEM_DECOMMIT);
}

static void windows_release(void *context, void *address, size_t bytes)
{
    (void)context;
    (void)bytes;
    VirtualFree(address, 0, MEM_RELEASE);
}

tarn_memory tarn_os_memory(void)
{
    return (tarn_memory){
        .page_bytes = page_bytes(),
        .reserve = windows_reserve,
        .commit = windows_commit,
        .decommit = windows_decommit,
        .release = windows_release,
    };
}

uint32_t tarn_os_thread_id(void)
{
    return GetCurrentThreadId();
}

void tarn_os_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
    (void)before;
    (void)in_parent;
    (void)in_child;
}

uint64_t tarn_os_time_ns(void)
{
    LARGE_INTEGER ticks, per_second;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&per_second);
    uint64_t whole = (uint64_t)(ticks.QuadPart / per_second.QuadPart);
    uint64_t rest = (uint64_t)(ticks.QuadPart % per_second.QuadPart);
    return whole * 1000000000u + rest * 1000000000u / (uint64_t)per_second.QuadPart;
}

uint32_t tarn_os_processors(void)
{
    DWORD_PTR allowed = 0, all = 0;
    if (!GetProcessAffinityMask(GetCurrentProcess(), &allowed, &all) || allowed == 0)
        return 1;
    uint32_t count = 0;
    for (; allowed; allowed &= allowed - 1)
        count++;
    return count;
}

void tarn_os_sleep(const uint32_t *word, uint32_t value, uint64_t timeout_ns)
{
    DWORD ms = INFINITE;
    if (timeout_ns < (uint64_t)1000000 * (INFINITE - 1))
        ms = (DWORD)((timeout_ns + 999999) / 1000000);
    WaitOnAddress((volatile void *)(uintptr_t)word, &value, sizeof value, ms);
}

void tarn_os_wake(const uint32_t *word)
{
    WakeByAddressAll((void *)(uintptr_t)word);
}

bool tarn_os_process_barrier_init(void)
{
    return true;
}

void tarn_os_process_barrier(void)
{
    FlushProcessWriteBuffers();
}
