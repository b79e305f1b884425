#define _POSIX_C_SOURCE 200809L /* posix_memalign */
#include "worker.h"
#include "pattern.h"
#include "worker_wait.h"

#include <stdlib.h>
#include <string.h>

#define RANK_PUBLISHED_EVERY 16u

/* The play loop is compiled four times, with these two as constants, so that what is timed does
 * not test them. */
#define PLAYED static inline __attribute__((always_inline))

typedef struct mode {
    replay_memory memory;
    bool check;
} mode;

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* NULL when all caches are taken: more threads at once than a pool has caches for. */
static __attribute__((noinline)) tarn_cache *attach(worker *me, unsigned size_class)
{
    tarn_cache_attach(me->run->pools[size_class], &me->caches[size_class]);
    return me->caches[size_class];
}

PLAYED tarn_cache *cache_of(worker *me, unsigned size_class)
{
    tarn_cache *cache = me->caches[size_class];
    return cache ? cache : attach(me, size_class);
}

static void *heap_get(size_t bytes, unsigned alignment_log2)
{
    size_t alignment = (size_t)1 << alignment_log2;
    void *memory = NULL;
    if (alignment <= CLASS_ALIGNMENT_MIN)
        return malloc(bytes);
    return posix_memalign(&memory, alignment, bytes) == 0 ? memory : NULL;
}

PLAYED bool is_pooled(mode how, unsigned size_class)
{
    return how.memory == REPLAY_TARN && size_class < CLASS_LARGE;
}

PLAYED void *get(worker *me, mode how, const plan_operation *operation)
{
    if (!is_pooled(how, operation->size_class))
        return heap_get(operation->bytes, operation->alignment_log2);
    tarn_cache *cache = cache_of(me, operation->size_class);
    return cache ? tarn_alloc(cache) : tarn_guest_alloc(me->run->pools[operation->size_class]);
}

PLAYED void put(worker *me, mode how, unsigned size_class, void *memory)
{
    if (!is_pooled(how, size_class)) {
        free(memory);
        return;
    }
    tarn_cache *cache = cache_of(me, size_class);
    if (cache)
        tarn_free(cache, memory);
    else
        tarn_guest_free(me->run->pools[size_class], memory);
}

static void note_refusal(worker *me, size_t bytes)
{
    if (me->result.refusals++ == 0)
        me->result.refused_bytes = bytes;
}

static size_t checked_bytes(const replay_block *block)
{
    return smaller(block->bytes, REPLAY_CHECKED_BYTES_MAX);
}

static void check(worker *me, uint32_t number)
{
    const replay_block *block = &me->run->blocks[number];
    size_t bytes = checked_bytes(block);
    size_t right = pattern_check(block->address, number, bytes);
    me->result.checked_bytes += bytes;
    if (right == bytes)
        return;
    if (me->result.mismatches++ == 0) {
        me->result.bad_block = number;
        me->result.bad_offset = right;
    }
}

/* The first word, as a program would at the least; as much of it as was asked for. */
PLAYED void touch(void *memory, uint32_t number, size_t bytes)
{
    uint64_t word = number;
    if (bytes >= sizeof word)
        memcpy(memory, &word, sizeof word);
    else if (bytes > 0)
        *(unsigned char *)memory = (unsigned char)word;
}

PLAYED void play_alloc(worker *me, mode how, const plan_operation *operation)
{
    replay_block *block = &me->run->blocks[operation->block];
    void *memory = get(me, how, operation);
    block->address = memory;
    block->bytes = operation->bytes;
    block->size_class = operation->size_class;
    if (!memory)
        note_refusal(me, operation->bytes);
    else if (how.check)
        pattern_fill(memory, operation->block, 0, checked_bytes(block));
    else
        touch(memory, operation->block, operation->bytes);
}

PLAYED void play_free(worker *me, mode how, const plan_operation *operation)
{
    replay_block *block = &me->run->blocks[operation->block];
    if (!block->address)
        return;
    if (how.check)
        check(me, operation->block);
    put(me, how, block->size_class, block->address);
    block->address = NULL;
}

/* As realloc where malloc serves both sizes, nothing where one slot does, else by a copy. */
PLAYED void *resized(worker *me, mode how, const replay_block *block,
                     const plan_operation *operation)
{
    bool was_pooled = is_pooled(how, block->size_class);
    if (!was_pooled && !is_pooled(how, operation->size_class))
        return realloc(block->address, operation->bytes ? operation->bytes : 1);
    if (block->size_class == operation->size_class)
        return block->address;
    void *memory = get(me, how, operation);
    if (!memory)
        return NULL;
    memcpy(memory, block->address, smaller(block->bytes, operation->bytes));
    put(me, how, block->size_class, block->address);
    return memory;
}

PLAYED void play_resize(worker *me, mode how, const plan_operation *operation)
{
    replay_block *block = &me->run->blocks[operation->block];
    if (!block->address)
        return;
    if (how.check)
        check(me, operation->block);
    void *memory = resized(me, how, block, operation);
    if (!memory) {
        note_refusal(me, operation->bytes);
        return;
    }
    size_t kept = smaller(checked_bytes(block), operation->bytes);
    block->address = memory;
    block->bytes = operation->bytes;
    block->size_class = operation->size_class;
    if (!how.check)
        return;
    size_t bytes = block->bytes;
    block->bytes = kept;
    check(me, operation->block);
    block->bytes = bytes;
    pattern_fill(memory, operation->block, kept / 8 * 8, checked_bytes(block));
}

PLAYED void play_operation(worker *me, mode how, const plan_operation *operation)
{
    if (operation->kind == PLAN_ALLOC)
        play_alloc(me, how, operation);
    else if (operation->kind == PLAN_FREE)
        play_free(me, how, operation);
    else
        play_resize(me, how, operation);
    if (operation->flags & PLAN_ANNOUNCES)
        atomic_store_explicit(&me->run->blocks[operation->block].step, operation->step + 1,
                              memory_order_release);
}

PLAYED void play(worker *me, mode how)
{
    const plan_operation *operations = me->thread->operations;
    uint64_t limit = 0;
    for (uint32_t i = 0; i < me->thread->count; i++) {
        const plan_operation *operation = &operations[i];
        if (operation->rank >= limit && !(limit = wait_for_window(me, operation->rank)))
            return;
        if (operation->flags & PLAN_WAITS && !wait_for_step(me, operation))
            return;
        play_operation(me, how, operation);
        if (i % RANK_PUBLISHED_EVERY == 0)
            atomic_store_explicit(&me->next_rank, operation->rank, memory_order_relaxed);
    }
}

static void play_as_asked(worker *me)
{
    if (me->memory == REPLAY_TARN && me->check)
        play(me, (mode){REPLAY_TARN, true});
    else if (me->memory == REPLAY_TARN)
        play(me, (mode){REPLAY_TARN, false});
    else if (me->check)
        play(me, (mode){REPLAY_MALLOC, true});
    else
        play(me, (mode){REPLAY_MALLOC, false});
}

int worker_main(void *argument)
{
    worker *me = argument;
    uint64_t start_ns = thread_time_ns();
    play_as_asked(me);
    me->result.busy_ns = thread_time_ns() - start_ns - me->waited_ns;
    atomic_store_explicit(&me->next_rank, WORKER_DONE, memory_order_relaxed);
    worker_detach(me);
    return 0;
}

void worker_sweep(worker *by, uint32_t number)
{
    replay_block *block = &by->run->blocks[number];
    if (!block->address)
        return;
    if (by->check)
        check(by, number);
    put(by, (mode){by->memory, by->check}, block->size_class, block->address);
    block->address = NULL;
}

void worker_detach(worker *done)
{
    for (unsigned i = 0; i < CLASS_COUNT; i++) {
        if (done->caches[i])
            tarn_cache_detach(done->caches[i]);
        done->caches[i] = NULL;
    }
}
