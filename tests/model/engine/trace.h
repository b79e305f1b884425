/* The listing of a failing run: one line per access to a shared word, in the order of the run, with
 * the place in the source. Recording is off but for the one run that is repeated to be listed. */
#ifndef TARN_MODEL_TRACE_H
#define TARN_MODEL_TRACE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum model_step_kind {
    MODEL_STEP_LOAD,
    MODEL_STEP_STORE,
    MODEL_STEP_UPDATE,   /* a read-modify-write that cannot fail */
    MODEL_STEP_EXCHANGE, /* a CAS that succeeded */
    MODEL_STEP_REFUSAL,  /* a CAS that failed */
    MODEL_STEP_SPURIOUS, /* a weak CAS that failed for no reason */
    MODEL_STEP_RACE,     /* one of the two accesses, named in text; listed when it is found */
    MODEL_STEP_FENCE,
    MODEL_STEP_NOTE
} model_step_kind;

typedef struct model_step {
    model_step_kind kind;
    uint32_t thread;
    const void *pc, *address;
    uint64_t before, after;
    int order;
    uint32_t age; /* how many newer stores a stale read passed over */
    const char *text;
} model_step;

void model_trace_start(void);
void model_trace_stop(void);

/* By the running thread, unless the step names another. */
void model_trace_step(const model_step *step);
void model_trace_switch(uint32_t thread);
void model_trace_note(const char *text);

void model_trace_print(void);

/* Writes what lies at an address, in words, for the listing; a client may supply one. */
typedef void model_namer(const void *address, char *text, uint32_t bytes);
void model_trace_set_namer(model_namer *namer);

#endif
