/* The judge: who owns which slot, what it contains, and how many objects may be owned.
 *
 * Claims that it checks, for every object that passes through a run:
 *   one owner   a slot's stamp goes 0 -> thread at alloc, thread -> 0 at free, or via IN_TRANSIT
 *               to another thread; an alloc that finds it set was handed a live object
 *   content     the object is as its last owner left it, zero the first time, or where the pool may
 *               give memory back, zero again. Object and mirror
 *               are plain memory: where the pool's free -> alloc edge is missing, TSan reports it
 *   capacity    a ticket is taken before an alloc and returned after a free. Tickets >= live
 *               objects, so an alloc whose ticket is within the limit must succeed
 *   exactness   an exact pool never has more than its capacity out at once
 *
 * Every atomic here is relaxed, so that the oracle itself orders nothing for TSan and cannot stand
 * in for an edge that the pool lacks. The hardware order that tickets need (a free is complete
 * before its ticket is back) comes from Concurrency Kit's fences, which TSan does not see. */
#ifndef STRESS_ORACLE_H
#define STRESS_ORACLE_H

#include "failure.h"
#include "tarn/tarn.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORACLE_IN_TRANSIT UINT32_MAX

typedef struct oracle {
    failure *failure;
    tarn_pool *pool;
    unsigned char *lowest; /* of slot 0 */
    size_t stride_bytes, object_bytes, slots, capacity;
    bool exact;
    bool forgets;             /* content may have become zero, before an alloc */
    _Atomic uint32_t *stamps; /* per slot: 0, a thread's number, or ORACLE_IN_TRANSIT */
    uint64_t *mirrors;        /* per slot: what the object should contain; the owner's */
    _Alignas(128) _Atomic uint64_t tickets;
    _Alignas(128) _Atomic uint64_t over; /* attempts ever made with a ticket beyond the limit */
    _Alignas(128) _Atomic uint64_t peak; /* most tickets ever out */
    _Alignas(128) _Atomic uint64_t out;  /* objects owned, of an exact pool */
} oracle;

/* A thread's own tickets. With batch > 1 it keeps a few, so that the counter is not shared on each
 * operation; runs that attempt more than the limit need batch 1 (see oracle_over). */
typedef struct purse {
    uint64_t limit; /* of tickets, over all threads */
    uint64_t batch;
    uint64_t spare;
} purse;

/* Learns the pool's shape; takes and returns one object to find slot 0. False: reported. */
bool oracle_open(oracle *o, failure *f, tarn_pool *pool);
void oracle_close(oracle *o);

/* After tarn_pool_clear: nobody owns anything. Threads: all parked. */
void oracle_forget(oracle *o, size_t slots_carved);

/* How many slots have an owner. Threads: all parked. */
size_t oracle_owned(const oracle *o, size_t slots_carved);

/* False (nothing taken) when `count` more do not fit under the limit. */
bool oracle_take(oracle *o, purse *p, uint64_t count);
/* Takes them whatever the limit says, and marks that someone did. */
void oracle_take_over(oracle *o, uint64_t count);
void oracle_give(oracle *o, purse *p, uint64_t count);
void oracle_empty_purse(oracle *o, purse *p);

/* Read before taking a ticket and again after a refusal: when it moved, somebody beyond the limit
 * may have had the object, and the refusal is fair. */
uint64_t oracle_over(const oracle *o);

/* False: reported, and the object must not be touched. */
bool oracle_claim(oracle *o, uint32_t thread, void *object, uint64_t content);
bool oracle_release(oracle *o, uint32_t thread, void *object, uint64_t content);
bool oracle_send(oracle *o, uint32_t thread, void *object);
bool oracle_receive(oracle *o, uint32_t thread, void *object);

#endif
