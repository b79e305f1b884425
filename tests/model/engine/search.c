#include "engine/search.h"

#include "engine/failure.h"
#include "engine/memory.h"
#include "engine/pages.h"
#include "engine/race.h"
#include "engine/region.h"
#include "engine/system.h"
#include "engine/trace.h"

#include <stdio.h>
#include <string.h>

/* Random runs before an exhaustive search: they find most shared words, each of which would
 * otherwise make it begin anew. */
#define SCOUTS 300u

static void run_client(const model_client *client)
{
    model_failure_clear();
    region_restore();
    pages_begin_run();
    model_race_begin_run();
    model_memory_begin_run(client->threads);
    model_system_begin_run();
    if (client->begin_run)
        client->begin_run();
    model_scheduler_run(client->bodies, client->threads, client->check);
}

/* The same run once more, listed. */
static void list_failure(const model_client *client)
{
    printf("\n");
    model_choice_repeat_run();
    model_trace_start();
    run_client(client);
    model_trace_stop();
    model_trace_print();
    printf("  -> %s\n", model_failure() ? model_failure() : "the repeated run did not fail");
}

/* Whether the run just made has failed. One in which a word turned out to be shared does not count:
 * what that word should have carried from thread to thread was not modelled. */
static bool has_failed(const model_client *client, bool lists, model_result *result)
{
    if (!model_failure())
        return false;
    result->has_failed = true;
    snprintf(result->reason, sizeof result->reason, "%s", model_failure());
    if (lists)
        list_failure(client);
    return true;
}

static void scout(const model_client *client, const model_limits *limits)
{
    model_choice_start(MODEL_RANDOM, &limits->budgets, limits->seed);
    for (uint32_t i = 0; i < SCOUTS; i++) {
        model_choice_begin_run(i);
        run_client(client);
        model_memory_adopt_shared();
    }
}

void model_prepare(const model_client *client)
{
    region_clear();
    pages_clear();
    model_memory_start();
    client->set_up();
    region_keep();
}

/* A random run is made again; an exhaustive search begins again. */
static void restart(const model_limits *limits, model_result *result)
{
    model_choice_restart();
    if (limits->mode == MODEL_EXHAUSTIVE)
        result->runs = 0;
}

model_result model_search(const model_client *client, const model_limits *limits, bool lists)
{
    model_result result = {0};
    if (limits->mode == MODEL_EXHAUSTIVE)
        scout(client, limits);
    model_choice_start(limits->mode, &limits->budgets, limits->seed);
    for (;;) {
        model_choice_begin_run(result.runs);
        run_client(client);
        if (model_memory_adopt_shared()) {
            restart(limits, &result);
            continue;
        }
        if (has_failed(client, lists, &result))
            break;
        result.runs++;
        result.is_complete = !model_choice_next_run();
        if (result.is_complete || (limits->runs_max > 0 && result.runs >= limits->runs_max))
            break;
    }
    result.shared_words = model_memory_shared_count();
    return result;
}
