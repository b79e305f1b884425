#include "mailbox.h"

#include "run.h"

#include <stdlib.h>

/* Looks first, so that an object is only sent when it will fit; a slot that another thread fills
 * in between makes the object come back. */
void mailbox_put(mailbox *m, worker *w)
{
    _Atomic(void *) *slot = &m->slots[dice_below(&w->dice, MAILBOX_SLOTS)];
    void *empty = NULL;
    if (w->held_count == 0 || atomic_load_explicit(slot, memory_order_relaxed))
        return;
    void *object = worker_send(w, (size_t)dice_below(&w->dice, w->held_count));
    if (object && !atomic_compare_exchange_strong_explicit(
                      slot, &empty, object, memory_order_release, memory_order_relaxed))
        worker_receive(w, object);
}

void mailbox_take(mailbox *m, worker *w)
{
    _Atomic(void *) *slot = &m->slots[dice_below(&w->dice, MAILBOX_SLOTS)];
    void *object = atomic_load_explicit(slot, memory_order_relaxed);
    if (object && atomic_compare_exchange_strong_explicit(slot, &object, NULL, memory_order_acquire,
                                                          memory_order_relaxed))
        worker_receive(w, object);
}

void mailbox_empty(mailbox *m, worker *w)
{
    for (size_t i = 0; i < MAILBOX_SLOTS; i++) {
        void *object = atomic_exchange_explicit(&m->slots[i], NULL, memory_order_acquire);
        if (object && worker_receive(w, object))
            worker_free_at(w, w->held_count - 1);
    }
}

bool mailbox_open(run *r)
{
    r->state = calloc(1, sizeof(mailbox));
    if (!r->state)
        failure_report(&r->failure, "no memory for the mailbox");
    return r->state != NULL;
}

void mailbox_end(run *r)
{
    worker *m = run_main_worker(r);
    if (!r->scenario->guests)
        worker_attach(m);
    if (!failure_found(&r->failure))
        mailbox_empty(r->state, m);
    worker_detach(m);
}

void mailbox_close(run *r)
{
    free(r->state);
    r->state = NULL;
}
