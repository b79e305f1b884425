/* Every decision that a run depends on goes through here: which thread goes on, which store a load
 * reads, whether a weak CAS fails for no reason, whether a thread stops for ever. So a run is its
 * list of decisions, and can be repeated. */
#ifndef TARN_MODEL_CHOICE_H
#define TARN_MODEL_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum model_mode {
    MODEL_EXHAUSTIVE, /* depth first through all decisions that the budgets allow */
    MODEL_RANDOM,     /* each decision by a die */
    MODEL_PCT         /* priorities that change at a few random steps: S. Burckhardt et al.,
                         "A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs"
                         (ASPLOS 2010) */
} model_mode;

typedef enum model_choice {
    MODEL_CHOICE_THREAD,
    MODEL_CHOICE_STORE,
    MODEL_CHOICE_WEAK_FAILURE,
    MODEL_CHOICE_STOP,
    MODEL_CHOICE_COUNT
} model_choice;

/* How many decisions of each kind one run may take that are not the plain one: preemptions, stale
 * reads, weak failures, stops. */
typedef struct model_budgets {
    uint32_t of[MODEL_CHOICE_COUNT];
} model_budgets;

/* Begins a search. */
void model_choice_start(model_mode mode, const model_budgets *budgets, uint64_t seed);

/* Begins a run: number `run` of the search. */
void model_choice_begin_run(uint64_t run);

/* Begins the last run again, with the same decisions. */
void model_choice_repeat_run(void);

/* Decides for one of 0..count-1, where 0 is the plain one. is_free: others cost no budget. */
uint32_t model_choose(model_choice kind, uint32_t count, bool is_free);

/* The thread that goes on under PCT is not decided by a die; it is noted all the same. */
uint32_t model_choose_given(uint32_t count, uint32_t pick);

/* Moves on to the next list of decisions. False when an exhaustive search has seen all. */
bool model_choice_next_run(void);

/* Forgets the decisions, to begin an exhaustive search anew. */
void model_choice_restart(void);

model_mode model_choice_mode(void);
uint64_t model_choice_random(void);

#endif
