#define _GNU_SOURCE /* MADV_WIPEONFORK, environ */
#include "record_log.h"
#include "record_file.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#define BUFFER_RECORDS 2047u

/* The owner appends, then publishes the count; it empties the buffer under the lock. Whoever holds
 * the lock may read the records below count. */
typedef struct buffer {
    struct buffer *next; /* every buffer ever made */
    bool taken;          /* under the lock */
    _Atomic uint32_t count;
    trace_record records[BUFFER_RECORDS];
} buffer;

/* On a page that fork clears in the child, and vfork, which shares memory, does not. */
typedef struct record_switch {
    _Atomic uint32_t on;
} record_switch;

/* A slot in the static part of thread-local memory: reading it never allocates. */
#define THREAD_LOCAL static _Thread_local __attribute__((tls_model("initial-exec")))

THREAD_LOCAL buffer *own;
THREAD_LOCAL uint32_t thread_number; /* from 1 on */
THREAD_LOCAL bool inside, ending;

static record_switch never;
static record_switch *_Atomic current = &never;
static _Atomic int settled;
static _Atomic uint64_t orders;
static _Atomic uint32_t threads;
static atomic_flag locked = ATOMIC_FLAG_INIT;
static pthread_key_t thread_end;
static pid_t process;
static buffer late; /* for threads whose own buffer is given back already; under the lock */
static buffer *buffers = &late;

static void lock(void)
{
    while (atomic_flag_test_and_set_explicit(&locked, memory_order_acquire))
        sched_yield();
}

/* For one that may have been interrupted by a signal with the lock in its hands. */
static bool lock_patiently(void)
{
    for (unsigned tries = 0; tries < 100000; tries++) {
        if (!atomic_flag_test_and_set_explicit(&locked, memory_order_acquire))
            return true;
        sched_yield();
    }
    return false;
}

static void unlock(void)
{
    atomic_flag_clear_explicit(&locked, memory_order_release);
}

static bool is_on(void)
{
    record_switch *at = atomic_load_explicit(&current, memory_order_acquire);
    return atomic_load_explicit(&at->on, memory_order_relaxed) != 0;
}

static void turn(uint32_t on)
{
    atomic_store(&atomic_load(&current)->on, on);
}

/* Under the lock. */
static void empty(buffer *full)
{
    uint32_t count = atomic_load_explicit(&full->count, memory_order_acquire);
    if (count && is_on() && !record_file_append(full->records, count))
        turn(0);
    atomic_store_explicit(&full->count, 0, memory_order_relaxed);
}

/* The next thread goes on in it. */
static void on_thread_end(void *buffer_of_thread)
{
    buffer *mine = buffer_of_thread;
    own = NULL;
    ending = true;
    if (!is_on())
        return;
    lock();
    mine->taken = false;
    unlock();
}

static buffer *map_buffer(void)
{
    void *memory =
        mmap(NULL, sizeof(buffer), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    buffer *fresh = memory;
    fresh->next = buffers;
    buffers = fresh;
    return fresh;
}

/* NULL when there is no memory. */
static buffer *claim_buffer(void)
{
    lock();
    buffer *found = buffers;
    while (found && (found->taken || found == &late))
        found = found->next;
    if (!found)
        found = map_buffer();
    if (found)
        found->taken = true;
    unlock();
    if (found)
        pthread_setspecific(thread_end, found);
    return found;
}

static void append(buffer *to, const trace_record *records, uint32_t count)
{
    uint32_t at = atomic_load_explicit(&to->count, memory_order_relaxed);
    for (uint32_t i = 0; i < count; i++)
        to->records[at + i] = records[i];
    atomic_store_explicit(&to->count, at + count, memory_order_release);
}

static bool has_room(buffer *of, uint32_t count)
{
    return BUFFER_RECORDS - atomic_load_explicit(&of->count, memory_order_relaxed) >= count;
}

static void emit_late(const trace_record *records, uint32_t count)
{
    lock();
    if (!has_room(&late, count))
        empty(&late);
    append(&late, records, count);
    unlock();
}

static void emit_slow(const trace_record *records, uint32_t count)
{
    int error = errno;
    if (ending) {
        emit_late(records, count);
    } else if (own || (own = claim_buffer())) {
        lock();
        empty(own);
        unlock();
        append(own, records, count);
    } else {
        record_complain("no memory for a buffer, recording ends", ENOMEM);
        turn(0);
    }
    errno = error;
}

/* The records of one call stay together. */
static void emit(trace_record *records, uint32_t count)
{
    if (!thread_number)
        thread_number = atomic_fetch_add(&threads, 1) + 1;
    for (uint32_t i = 0; i < count; i++)
        records[i].thread = thread_number - 1;
    if (own && has_room(own, count))
        append(own, records, count);
    else
        emit_slow(records, count);
}

static record_switch *make_switch(void)
{
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return NULL;
    if (madvise(page, page_bytes, MADV_WIPEONFORK) == 0)
        return page;
    munmap(page, page_bytes);
    return NULL;
}

/* At the first call after the C library has set the environment up. */
static void start(void)
{
    int expected = 0;
    if (!environ || !atomic_compare_exchange_strong(&settled, &expected, 1))
        return;
    int error = errno;
    process = getpid();
    record_switch *made = make_switch();
    if (!made)
        record_complain("cannot tell a forked child from its parent", errno);
    else if (pthread_key_create(&thread_end, on_thread_end) == 0 && record_file_create()) {
        atomic_store(&current, made);
        turn(1);
    }
    errno = error;
}

bool record_enter(void)
{
    if (inside)
        return false;
    inside = true;
    if (atomic_load_explicit(&settled, memory_order_relaxed) == 0)
        start();
    if (is_on())
        return true;
    inside = false;
    return false;
}

void record_leave(void)
{
    inside = false;
}

/* Relaxed: one call that happens before another adds to the counter before it. */
uint64_t record_order(void)
{
    return atomic_fetch_add_explicit(&orders, 1, memory_order_relaxed);
}

static uint8_t log2_of(size_t alignment)
{
    uint8_t log = 0;
    while (alignment >>= 1)
        log++;
    return log;
}

void record_given(trace_call call, const void *block, size_t bytes, size_t alignment)
{
    trace_record record = {.address = (uintptr_t)block,
                           .bytes = bytes,
                           .call = (uint8_t)call,
                           .alignment_log2 = log2_of(alignment)};
    record.order = record_order();
    emit(&record, 1);
}

void record_taken(uint64_t order, const void *block)
{
    trace_record record = {.order = order, .address = (uintptr_t)block, .call = TRACE_FREE};
    emit(&record, 1);
}

void record_moved(uint64_t order, const void *from, const void *to, size_t bytes)
{
    trace_record records[2] = {
        {.order = order, .address = (uintptr_t)from, .call = TRACE_REALLOC_FROM},
        {.address = (uintptr_t)to, .bytes = bytes, .call = TRACE_REALLOC_TO},
    };
    records[1].order = record_order();
    emit(records, 2);
}

void record_finish(void)
{
    if (!is_on() || getpid() != process || !lock_patiently())
        return;
    if (is_on()) {
        for (buffer *each = buffers; each; each = each->next)
            empty(each);
    }
    if (is_on()) {
        turn(0);
        record_file_close(atomic_load(&orders), atomic_load(&threads));
    }
    unlock();
}
