/* Who has which thing, in the model's own memory: taking what another has fails the run. Numbers
 * are whatever the client gives out: indices of a stack, slots of a pool. Not instrumented, so the
 * ledger orders nothing between the threads. */
#ifndef TARN_MODEL_LEDGER_H
#define TARN_MODEL_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#define LEDGER_THINGS_MAX 128u

/* Begins a run: nobody has anything but what ledger_keep noted. */
void ledger_begin_run(void);

/* The present state is what each run begins with. */
void ledger_clear(void);
void ledger_keep(void);

void ledger_take(uint32_t thing);
void ledger_give(uint32_t thing);

/* How many are taken now. */
uint32_t ledger_taken(void);

/* Whether this one is taken, by the running thread or before the run. */
bool ledger_is_own(uint32_t thing);

/* Around each call that takes a thing or gives one back. */
void ledger_call_begins(void);
void ledger_call_ends(void);

/* The running thread's reservation: so many things count as taken until it takes them. */
void ledger_reserve(uint32_t count);

/* The call under way was refused. Fails the run unless, at some instant within it, `capacity`
 * things were taken, or reserved, or on their way in others' calls, as far as the running thread
 * can know: a thing whose return does not happen before the refusal may count as taken still. */
void ledger_refused(uint32_t capacity);

#endif
