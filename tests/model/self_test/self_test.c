/* The checker checked: every broken variant fails, with the failure that it should have, and every
 * right one passes. */
#define _GNU_SOURCE /* fork, waitpid */

#include "engine/failure.h"
#include "engine/search.h"
#include "self_test/variants.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define RANDOM_RUNS 5000u

static model_limits exhaustive(uint32_t preemptions, uint32_t stale, uint32_t weak, uint32_t stops)
{
    return (model_limits){
        .mode = MODEL_EXHAUSTIVE, .seed = 1, .budgets = {{preemptions, stale, weak, stops}}};
}

/* Returns the failure that was found, in *result, or that there is none. */
static void judge(const variant_case *variant, model_result *result)
{
    model_limits searches[] = {
        exhaustive(3, 1, 0, 0),
        exhaustive(2, 2, 0, 0),
        exhaustive(1, 0, 1, 0),
        {.mode = MODEL_RANDOM, .seed = 1, .runs_max = RANDOM_RUNS, .budgets = {{1000, 4, 1, 0}}},
        {.mode = MODEL_PCT, .seed = 1, .runs_max = RANDOM_RUNS, .budgets = {{1000, 4, 1, 0}}},
    };
    if (variant->stops)
        searches[0] = exhaustive(1, 0, 0, 1);
    model_prepare(&variant->model);
    for (unsigned i = 0; i < (variant->stops ? 1 : sizeof searches / sizeof searches[0]); i++) {
        *result = model_search(&variant->model, &searches[i], false);
        if (result->has_failed)
            return;
    }
}

static bool judge_apart(const variant_case *variant)
{
    model_failure_catch_signals();
    model_result result;
    judge(variant, &result);
    bool good = variant->expected == NULL
                    ? !result.has_failed
                    : result.has_failed && strstr(result.reason, variant->expected) != NULL;
    printf("%s %-34s %s\n", good ? "ok  " : "FAIL", variant->model.name,
           result.has_failed ? result.reason : "passes");
    fflush(stdout);
    return good;
}

static bool run(const variant_case *variant)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(judge_apart(variant) ? 0 : 1);
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) > 0 && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

int main(int count, char **arguments)
{
    (void)arguments;
    if (count > 1) {
        fprintf(stderr, "model_self_test: takes no arguments\n");
        return 2;
    }
    variant_list lists[] = {stack_variants(), order_variants(), system_variants(), lives_variants(),
                            deque_variants()};
    uint32_t bad = 0, broken = 0, all = 0;
    for (unsigned i = 0; i < sizeof lists / sizeof lists[0]; i++)
        for (uint32_t k = 0; k < lists[i].count; k++) {
            all++;
            broken += lists[i].variants[k].expected != NULL;
            bad += !run(&lists[i].variants[k]);
        }
    printf("%u variants, %u of them broken; %u judged wrongly\n", all, broken, bad);
    return bad > 0;
}
