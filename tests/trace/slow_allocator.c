/* Goes between the recorder and the C library. Blocks of one size come from a single slot: whoever
 * asks while it is taken waits for it. Giving it back takes long after it can be taken again. So
 * the address is given to the waiting thread in the middle of the call that takes it back, each
 * time, which with a real allocator needs luck. */
#define _GNU_SOURCE /* usleep */
#include "known.h"

#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#define SLOW_US 50000

void *__libc_malloc(size_t bytes);
void *__libc_realloc(void *block, size_t bytes);
void __libc_free(void *block);
void *malloc(size_t bytes);
void *realloc(void *block, size_t bytes);
void free(void *block);

static _Alignas(16) char slot[KNOWN_SLOT_BYTES];
static _Atomic int is_taken;

static void give_back_slowly(void)
{
    atomic_store(&is_taken, 0);
    usleep(SLOW_US);
}

void *malloc(size_t bytes)
{
    if (bytes != KNOWN_SLOT_BYTES)
        return __libc_malloc(bytes);
    while (atomic_exchange(&is_taken, 1))
        sched_yield();
    return slot;
}

void free(void *block)
{
    if (block == slot)
        give_back_slowly();
    else
        __libc_free(block);
}

/* Its own malloc is the recorder's: a call within a call. */
void *realloc(void *block, size_t bytes)
{
    if (block != slot)
        return __libc_realloc(block, bytes);
    give_back_slowly();
    return malloc(bytes);
}
