/* Objects on their way from any thread to any other, so that they are freed elsewhere than where
 * they were allocated.
 *
 * Putting releases and taking acquires, as a host's own hand-over would; nothing flows back from
 * taker to putter, so the edges that the pool owes from free to alloc are not covered up. */
#ifndef STRESS_MAILBOX_H
#define STRESS_MAILBOX_H

#include "worker.h"

#define MAILBOX_SLOTS 64u

typedef struct mailbox {
    _Atomic(void *) slots[MAILBOX_SLOTS];
} mailbox;

/* One of its objects into a random slot, when that is empty. */
void mailbox_put(mailbox *m, worker *w);
/* What a random slot has. */
void mailbox_take(mailbox *m, worker *w);
/* Everything, freed by this worker. Threads: all parked or gone. */
void mailbox_empty(mailbox *m, worker *w);

/* The run's state is a mailbox. */
bool mailbox_open(struct run *r);
void mailbox_end(struct run *r);
void mailbox_close(struct run *r);

#endif
