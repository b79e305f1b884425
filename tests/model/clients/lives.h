/* Which lives of slots have begun and ended, in the model's own memory: one that begins under a
 * name that was given out before, ends twice, or is resolved after its end fails the run. Not
 * instrumented, so it orders nothing between the threads. A name is a handle's bits. */
#ifndef TARN_MODEL_LIVES_H
#define TARN_MODEL_LIVES_H

#include <stdbool.h>
#include <stdint.h>

#define LIVES_MAX 64u

/* As in ledger.h. */
void lives_begin_run(void);
void lives_clear(void);
void lives_keep(void);

/* A take has returned this name, for that slot. All earlier lives of the slot must have ended, or
 * be ending: another thread's call may not have returned yet. */
void lives_began(uint64_t name, uint32_t slot);

/* Around each call of the running thread that may end the life. Where it was refused, someone else
 * must have tried to end it. */
void lives_end_begins(uint64_t name);
void lives_end_done(uint64_t name, bool ended);

/* The same for a victim that an eviction named. taken_over: the take returned the victim's slot, by
 * the eviction, or because another thread had just released it. */
void lives_evict_done(uint64_t name, bool taken_over);

/* A resolve has answered. It may find a life whose end it cannot know of, no other. */
void lives_resolved(uint64_t name, bool found);

/* How many have begun and not ended; whether one of that slot has not. */
uint32_t lives_count(void);
bool lives_is_live(uint32_t slot);

#endif
