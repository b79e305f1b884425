#include "plan.h"
#include "addresses.h"
#include "plan_swing.h"

#include <stdlib.h>
#include <string.h>

#define NO_BLOCK ADDRESS_FREE

typedef struct block_state {
    plan_operation *last;
    uint64_t bytes;
    uint32_t last_thread, given_by; /* recorded threads */
    uint8_t size_class;
} block_state;

typedef struct thread_state {
    plan_operation *first;
    uint32_t count;
    uint32_t moving; /* the block between the two records of a realloc */
} thread_state;

typedef struct maker {
    plan *into;
    addresses map;
    block_state *blocks;
    thread_state *threads;
    uint32_t ranks;
    swings swings;
} maker;

static uint32_t larger(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static plan_operation *add(maker *make, const trace_record *record, plan_kind kind, uint32_t block)
{
    thread_state *thread = &make->threads[record->thread];
    block_state *state = &make->blocks[block];
    plan_operation *added = &thread->first[thread->count++];
    *added = (plan_operation){.bytes = record->bytes,
                              .block = block,
                              .rank = make->ranks++,
                              .step = state->last ? state->last->step + 1 : 0,
                              .kind = (uint8_t)kind,
                              .size_class = state->size_class,
                              .alignment_log2 = record->alignment_log2};
    if (state->last && state->last_thread != record->thread) {
        state->last->flags |= PLAN_ANNOUNCES;
        added->flags |= PLAN_WAITS;
    }
    state->last = added;
    state->last_thread = record->thread;
    return added;
}

static void enter_class(maker *make, uint32_t block, const trace_record *record)
{
    block_state *state = &make->blocks[block];
    size_t alignment = (size_t)1 << record->alignment_log2;
    state->size_class = (uint8_t)class_of(record->bytes, alignment);
    state->given_by = record->thread;
    plan_class *class = &make->into->classes[state->size_class];
    class->allocs++;
    class->bytes += record->bytes;
    class->live++;
    class->peak = larger(class->peak, class->live);
    if (state->size_class < CLASS_LARGE)
        class->alignment = larger(class->alignment, (uint32_t)alignment);
    swings_note(&make->swings, record->thread, state->size_class, -1);
}

static void leave_class(maker *make, uint32_t block, uint32_t thread)
{
    unsigned size_class = make->blocks[block].size_class;
    make->into->classes[size_class].live--;
    swings_note(&make->swings, thread, size_class, 1);
}

static void count_bytes(maker *make, uint32_t block, uint64_t bytes)
{
    plan_totals *totals = &make->into->totals;
    totals->bytes += bytes;
    totals->live_bytes += bytes - make->blocks[block].bytes;
    if (totals->live_bytes > totals->peak_bytes)
        totals->peak_bytes = totals->live_bytes;
    totals->large += make->blocks[block].size_class == CLASS_LARGE;
    make->blocks[block].bytes = bytes;
}

/* False when there is no memory. */
static bool place(maker *make, const trace_record *record, uint32_t block)
{
    uint32_t before;
    if (!addresses_put(&make->map, record->address, block, &before))
        return false;
    make->into->totals.vanished += before != NO_BLOCK;
    return true;
}

static bool give(maker *make, const trace_record *record)
{
    uint32_t block = make->into->blocks++;
    enter_class(make, block, record);
    add(make, record, PLAN_ALLOC, block);
    count_bytes(make, block, record->bytes);
    make->into->totals.given++;
    return place(make, record, block);
}

static void take(maker *make, const trace_record *record)
{
    plan_totals *totals = &make->into->totals;
    uint32_t block = addresses_take(&make->map, record->address);
    if (block == NO_BLOCK) {
        totals->unmatched++;
        return;
    }
    add(make, record, PLAN_FREE, block);
    leave_class(make, block, record->thread);
    totals->live_bytes -= make->blocks[block].bytes;
    totals->taken++;
    totals->remote += make->blocks[block].given_by != record->thread;
}

/* The second record of a realloc. One of a block from before the recording gives a new block. */
static bool resize(maker *make, const trace_record *record)
{
    uint32_t block = make->threads[record->thread].moving;
    make->threads[record->thread].moving = NO_BLOCK;
    if (block == NO_BLOCK)
        return give(make, record);
    block_state *state = &make->blocks[block];
    if (class_of(record->bytes, 1) != state->size_class) {
        leave_class(make, block, record->thread);
        enter_class(make, block, record);
    }
    add(make, record, PLAN_RESIZE, block);
    count_bytes(make, block, record->bytes);
    make->into->totals.resized++;
    return place(make, record, block);
}

static bool follow(maker *make, const trace_record *record)
{
    switch ((trace_call)record->call) {
    case TRACE_FREE:
        take(make, record);
        return true;
    case TRACE_REALLOC_FROM:
        make->threads[record->thread].moving = addresses_take(&make->map, record->address);
        make->into->totals.unmatched += make->threads[record->thread].moving == NO_BLOCK;
        return true;
    case TRACE_REALLOC_TO:
        return resize(make, record);
    default:
        return give(make, record);
    }
}

/* Each thread's operations get as much room as it has records. */
static void lay_out(maker *make, const trace *from)
{
    for (size_t i = 0; i < from->count; i++)
        make->threads[from->records[i].thread].count++;
    plan_operation *at = make->into->operations;
    for (uint32_t i = 0; i < from->threads; i++) {
        make->threads[i].first = at;
        make->threads[i].moving = NO_BLOCK;
        at += make->threads[i].count;
        make->threads[i].count = 0;
    }
}

static int by_first_rank(const void *left, const void *right)
{
    uint32_t a = ((const plan_thread *)left)->operations->rank;
    uint32_t b = ((const plan_thread *)right)->operations->rank;
    return (a > b) - (a < b);
}

static void list_threads(maker *make, const trace *from)
{
    plan *into = make->into;
    for (uint32_t i = 0; i < from->threads; i++) {
        const thread_state *thread = &make->threads[i];
        if (thread->count > 0)
            into->threads[into->threads_count++] =
                (plan_thread){thread->first, thread->count, PLAN_NO_THREAD};
    }
    qsort(into->threads, into->threads_count, sizeof *into->threads, by_first_rank);
}

static uint32_t last_rank(const plan_thread *thread)
{
    return thread->operations[thread->count - 1].rank;
}

/* tail has room for one thread per lane. */
static void assign_lanes(plan *into, uint32_t *tail)
{
    for (uint32_t i = 0; i < into->threads_count; i++) {
        plan_thread *thread = &into->threads[i];
        uint32_t lane = 0;
        while (lane < into->lanes &&
               last_rank(&into->threads[tail[lane]]) > thread->operations->rank)
            lane++;
        if (lane == into->lanes)
            into->lanes++;
        else
            thread->before = tail[lane];
        tail[lane] = i;
    }
}

static bool make_all(maker *make, const trace *from)
{
    plan *into = make->into;
    uint32_t *tail = calloc(from->threads + 1, sizeof *tail);
    bool made = tail != NULL;
    lay_out(make, from);
    for (size_t i = 0; made && i < from->count; i++)
        made = follow(make, &from->records[i]);
    if (made) {
        list_threads(make, from);
        assign_lanes(into, tail);
        for (unsigned i = 0; i < CLASS_COUNT; i++)
            into->classes[i].swing = swings_largest(&make->swings, i);
        into->totals.never_freed = into->blocks - into->totals.taken;
    }
    free(tail);
    return made;
}

bool plan_make(const trace *from, plan *result)
{
    *result = (plan){0};
    for (unsigned i = 0; i < CLASS_COUNT; i++)
        result->classes[i].alignment = CLASS_ALIGNMENT_MIN;
    maker make = {.into = result};
    result->operations = calloc(from->count + 1, sizeof *result->operations);
    result->threads = calloc(from->threads + 1, sizeof *result->threads);
    make.blocks = calloc(from->count + 1, sizeof *make.blocks);
    make.threads = calloc(from->threads + 1, sizeof *make.threads);
    bool made = swings_make(&make.swings, from->threads) && result->operations && result->threads &&
                make.blocks && make.threads && make_all(&make, from);
    addresses_release(&make.map);
    swings_release(&make.swings);
    free(make.blocks);
    free(make.threads);
    if (!made)
        plan_release(result);
    return made;
}

void plan_release(plan *done)
{
    free(done->operations);
    free(done->threads);
    *done = (plan){0};
}
