/* handoff: objects are allocated and written by one thread and freed by its partner, in
 * batches of 64 through a ring. One way: even threads allocate, odd ones free. Both ways: each
 * thread does both. An operation is one object allocated and handed over, so that one-way time is
 * per object of a pair of threads, and both-ways time per object of each thread. */
#ifndef TARN_BENCH_HANDOFF_H
#define TARN_BENCH_HANDOFF_H

#include "worker/take.h"
#include "workloads/ring.h"

#define HANDOFF_LIVE_MAX RING_OBJECTS_MAX

static ring *handoff_outboxes; /* one per thread, emptied by its partner */

static bool handoff_reads;

static void handoff_open(unsigned threads, bool reads)
{
    handoff_reads = reads;
    handoff_outboxes = bench_pages(threads * sizeof(ring));
}

static void handoff_prepare(unsigned thread)
{
    (void)thread;
}

static inline void handoff_fill(subject_handle subject, subject_ref *batch)
{
    for (uint32_t i = 0; i < RING_BATCH_OBJECTS; i++)
        batch[i] = bench_take(subject, i);
}

/* What --read asks for: the consumer looks at what it is handed, so the objects' own lines change
 * cores as well, which no allocator can spare. */
static void handoff_read(subject_handle subject, const subject_ref *batch)
{
    for (uint32_t i = 0; i < RING_BATCH_OBJECTS; i++)
        if (*(uint64_t *)subject_object(subject, batch[i]) != i)
            bench_fail("an object was handed over with another's content");
}

static inline void handoff_empty(subject_handle subject, subject_ref *batch)
{
    if (handoff_reads)
        handoff_read(subject, batch);
    for (uint32_t i = 0; i < RING_BATCH_OBJECTS; i++)
        subject_drop(subject, batch[i]);
}

static void handoff_produce(subject_handle subject, ring *out, uint64_t batches)
{
    unsigned waits = 0;
    while (batches > 0) {
        subject_ref *slot = ring_empty_slot(out);
        if (!slot) {
            ring_wait(&waits);
            continue;
        }
        handoff_fill(subject, slot);
        ring_put(out);
        batches--;
    }
}

static void handoff_consume(subject_handle subject, ring *in, uint64_t batches)
{
    unsigned waits = 0;
    while (batches > 0) {
        subject_ref *slot = ring_full_slot(in);
        if (!slot) {
            ring_wait(&waits);
            continue;
        }
        handoff_empty(subject, slot);
        ring_drop(in);
        batches--;
    }
}

static void handoff_work_oneway(unsigned thread, uint64_t operations)
{
    ring *between = &handoff_outboxes[thread & ~1u];
    if (thread % 2 == 0)
        handoff_produce(handles[thread], between, operations / RING_BATCH_OBJECTS);
    else
        handoff_consume(handles[thread], between, operations / RING_BATCH_OBJECTS);
}

static void handoff_work_bothways(unsigned thread, uint64_t operations)
{
    subject_handle subject = handles[thread];
    ring *out = &handoff_outboxes[thread], *in = &handoff_outboxes[thread ^ 1u];
    uint64_t to_fill = operations / RING_BATCH_OBJECTS, to_empty = to_fill;
    unsigned waits = 0;
    while (to_fill + to_empty > 0) {
        subject_ref *outgoing = to_fill > 0 ? ring_empty_slot(out) : NULL;
        if (outgoing) {
            handoff_fill(subject, outgoing);
            ring_put(out);
            to_fill--;
        }
        subject_ref *incoming = ring_full_slot(in);
        if (incoming) {
            handoff_empty(subject, incoming);
            ring_drop(in);
            to_empty--;
        }
        if (!outgoing && !incoming)
            ring_wait(&waits);
    }
}

#endif
