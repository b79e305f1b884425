/* Runs a client under many schedules. */
#ifndef TARN_MODEL_SEARCH_H
#define TARN_MODEL_SEARCH_H

#include "engine/choice.h"
#include "engine/scheduler.h"

#include <stdbool.h>
#include <stdint.h>

/* A small program for 1 to 3 threads. set_up runs once; each run begins with the memory as it left
 * it. check runs after each run that has not failed, with all that the threads did visible. */
typedef struct model_client {
    const char *name;
    model_body *set_up;
    model_body *bodies[MODEL_THREADS_MAX - 1];
    uint32_t threads;
    model_body *begin_run; /* outside of the modelled memory; NULL: nothing */
    model_body *check;
} model_client;

typedef struct model_limits {
    model_mode mode;
    model_budgets budgets;
    uint64_t runs_max; /* 0: until all is seen; only where the search is exhaustive */
    uint64_t seed;
} model_limits;

typedef struct model_result {
    uint64_t runs; /* since the last shared word was found, where the search is exhaustive */
    uint32_t shared_words;
    bool has_failed;
    bool is_complete; /* every schedule within the budgets was run */
    char reason[240];
} model_result;

/* Sets a client up, for any number of searches. Once per process: pools stay as they are. */
void model_prepare(const model_client *client);

/* lists: prints the steps of the schedule that fails. */
model_result model_search(const model_client *client, const model_limits *limits, bool lists);

#endif
