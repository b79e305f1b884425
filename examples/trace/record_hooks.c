/* The functions that take the place of the C library's in the recorded program. */
#include "record_log.h"
#include "record_real.h"

#include <errno.h>
#include <unistd.h>

#define HOOK __attribute__((visibility("default")))

HOOK void *malloc(size_t bytes);
HOOK void *calloc(size_t count, size_t bytes);
HOOK void *realloc(void *block, size_t bytes);
HOOK void *reallocarray(void *block, size_t count, size_t bytes);
HOOK void free(void *block);
HOOK int posix_memalign(void **block, size_t alignment, size_t bytes);
HOOK void *aligned_alloc(size_t alignment, size_t bytes);
HOOK void *memalign(size_t alignment, size_t bytes);
HOOK void *valloc(size_t bytes);
HOOK void *pvalloc(size_t bytes);

static void *given(bool recorded, trace_call call, void *block, size_t bytes, size_t alignment)
{
    if (!recorded)
        return block;
    if (block)
        record_given(call, block, bytes, alignment);
    record_leave();
    return block;
}

void *malloc(size_t bytes)
{
    bool recorded = record_enter();
    return given(recorded, TRACE_MALLOC, real_malloc(bytes), bytes, 0);
}

/* Where the product overflows there is no block, and so no record of it. */
void *calloc(size_t count, size_t bytes)
{
    bool recorded = record_enter();
    return given(recorded, TRACE_CALLOC, real_calloc(count, bytes), count * bytes, 0);
}

/* Recorded before the memory can be given to another thread. */
void free(void *block)
{
    if (!block)
        return;
    bool recorded = record_enter();
    if (recorded)
        record_taken(record_order(), block);
    real_free(block);
    if (recorded)
        record_leave();
}

/* A failure leaves the old block as it was, except that 0 bytes and NULL is a free. */
static void record_realloc(uint64_t order, const void *old, const void *block, size_t bytes)
{
    if (block)
        record_moved(order, old, block, bytes);
    else if (bytes == 0)
        record_taken(order, old);
    record_leave();
}

void *realloc(void *old, size_t bytes)
{
    bool recorded = record_enter();
    if (!old)
        return given(recorded, TRACE_MALLOC, real_malloc(bytes), bytes, 0);
    uint64_t order = recorded ? record_order() : 0;
    void *block = real_realloc(old, bytes);
    if (recorded)
        record_realloc(order, old, block, bytes);
    return block;
}

void *reallocarray(void *block, size_t count, size_t bytes)
{
    if (bytes && count > SIZE_MAX / bytes) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, count * bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    bool recorded = record_enter();
    int status = real_posix_memalign(block, alignment, bytes);
    given(recorded, TRACE_ALIGNED, status == 0 ? *block : NULL, bytes, alignment);
    return status;
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    bool recorded = record_enter();
    void *block = real_aligned_alloc(alignment, bytes);
    return given(recorded, TRACE_ALIGNED, block, bytes, alignment);
}

void *memalign(size_t alignment, size_t bytes)
{
    bool recorded = record_enter();
    return given(recorded, TRACE_ALIGNED, real_memalign(alignment, bytes), bytes, alignment);
}

void *valloc(size_t bytes)
{
    bool recorded = record_enter();
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    return given(recorded, TRACE_ALIGNED, real_valloc(bytes), bytes, page_bytes);
}

void *pvalloc(size_t bytes)
{
    bool recorded = record_enter();
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    return given(recorded, TRACE_ALIGNED, real_pvalloc(bytes), bytes, page_bytes);
}
