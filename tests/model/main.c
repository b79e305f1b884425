/* The library under the model: every client, each in a process of its own. */
#define _GNU_SOURCE /* fork, waitpid */

#include "clients/clients.h"
#include "engine/failure.h"
#include "engine/search.h"
#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define RANDOM_RUNS         10000u
#define EXHAUSTIVE_RUNS_MAX 100000u
#define QUICK_RUNS_MAX      10000u
#define UNLIMITED           1000000u

typedef struct client_group {
    const char *name;
    client_list (*list)(void);
} client_group;

static const client_group groups[] = {
    {"stack", stack_clients},     {"depot", depot_clients},       {"cache", cache_clients},
    {"sharing", sharing_clients}, {"lifetime", lifetime_clients}, {"limits", limit_clients},
    {"checked", checked_clients}, {"lives", life_clients},        {"handles", handle_clients},
    {"space", space_clients},     {"trim", trim_clients},         {"frame", frame_clients},
    {"lanes", lane_clients},      {"deferred", deferred_clients}, {"releases", release_clients},
    {"space", space_clients},     {"trim", trim_clients},         {"deque", deque_clients},
    {"group", group_clients},     {"idle", idle_clients},
};
#define GROUPS (sizeof groups / sizeof groups[0])

/* One search of the several that a client goes through. */
typedef struct pass {
    const char *name;
    model_limits limits;
} pass;

static model_budgets budgets(uint32_t preemptions, uint32_t stale, uint32_t weak, uint32_t stops)
{
    return (model_budgets){{[MODEL_CHOICE_THREAD] = preemptions,
                            [MODEL_CHOICE_STORE] = stale,
                            [MODEL_CHOICE_WEAK_FAILURE] = weak,
                            [MODEL_CHOICE_STOP] = stops}};
}

static uint32_t bound_of(const client_entry *client, const model_options *options)
{
    if (options->bound >= 0)
        return (uint32_t)options->bound;
    return (client->model.threads > 2 && options->is_quick ? 1 : 2) + options->is_wide;
}

static uint32_t make_passes(const client_entry *client, const model_options *options, pass *passes)
{
    uint32_t bound = bound_of(client, options), wide = options->is_wide, count = 0;
    uint64_t most = options->is_quick ? QUICK_RUNS_MAX : wide ? 0 : EXHAUSTIVE_RUNS_MAX;
    uint64_t random = options->runs_max > 0 ? options->runs_max : RANDOM_RUNS;
    if (options->is_quick)
        random /= 10;
    model_budgets loose = budgets(UNLIMITED, 8, 2, 0);
    passes[count++] =
        (pass){"all", {MODEL_EXHAUSTIVE, budgets(bound, 1 + wide, 0, 0), most, options->seed}};
    passes[count++] = (pass){"weak", {MODEL_EXHAUSTIVE, budgets(1, 0, 1, 0), most, options->seed}};
    if (client->kind == CLIENT_LOCK_FREE || client->kind == CLIENT_FIRST_STOPS)
        passes[count++] =
            (pass){"stop", {MODEL_EXHAUSTIVE, budgets(wide, 0, 0, 1), most, options->seed}};
    passes[count++] = (pass){"random", {MODEL_RANDOM, loose, random, options->seed}};
    passes[count++] = (pass){"pct", {MODEL_PCT, loose, random, options->seed}};
    return count;
}

/* Returns whether the client does what it should. */
static bool run_client(const client_entry *client, const model_options *options)
{
    pass passes[8];
    uint32_t count = make_passes(client, options, passes);
    bool must_fail = client->kind == CLIENT_WRAPS;
    printf("%-26s", client->model.name);
    model_limit_steps(options->steps_max);
    model_stops_only(client->kind == CLIENT_FIRST_STOPS ? 1 : 0);
    model_prepare(&client->model);
    for (uint32_t i = 0; i < count; i++) {
        model_result result =
            model_search(&client->model, &passes[i].limits, !must_fail && !options->is_quiet);
        if (result.has_failed && must_fail) {
            printf(" fails as it must (%s)\n", result.reason);
            return true;
        }
        if (result.has_failed) {
            printf(" FAILS in '%s' after %llu runs, seed %llu: %s\n", passes[i].name,
                   (unsigned long long)result.runs, (unsigned long long)options->seed,
                   result.reason);
            return false;
        }
        bool is_cut = passes[i].limits.mode == MODEL_EXHAUSTIVE && !result.is_complete;
        printf(" %s %llu%s", passes[i].name, (unsigned long long)result.runs, is_cut ? "+" : "");
        if (i == 0)
            printf(" (%u words)", result.shared_words);
    }
    printf(must_fail ? " DOES NOT FAIL, though its tag is too narrow" : " ok");
    return !must_fail;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* In a process of its own: a client's pool is never destroyed, and a broken one may crash. */
static bool run_apart(const client_entry *client, const model_options *options)
{
    fflush(stdout);
    double start = seconds();
    pid_t child = fork();
    if (child == 0) {
        if (client->kind == CLIENT_WRAPS) /* what it breaks is no news */
            freopen("/dev/null", "w", stderr);
        model_failure_catch_signals();
        bool good = run_client(client, options);
        fflush(stdout);
        _exit(good ? 0 : 1);
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return false;
    printf("  %.1f s\n", seconds() - start);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool is_wanted(const client_group *group, const client_entry *client,
                      const model_options *options)
{
    if (options->is_quick && client->kind == CLIENT_WRAPS)
        return false;
    for (uint32_t i = 0; i < options->name_count; i++)
        if (strcmp(options->names[i], group->name) == 0 ||
            strcmp(options->names[i], client->model.name) == 0)
            return true;
    return options->name_count == 0;
}

static int run_all(const model_options *options)
{
    uint32_t run = 0, bad = 0;
    for (uint32_t i = 0; i < GROUPS; i++) {
        client_list list = groups[i].list();
        for (uint32_t k = 0; k < list.count; k++) {
            if (!is_wanted(&groups[i], &list.clients[k], options))
                continue;
            run++;
            if (options->lists_clients)
                printf("%s %s\n", groups[i].name, list.clients[k].model.name);
            else if (!run_apart(&list.clients[k], options))
                bad++;
            if (bad > 0 && options->is_first)
                return 1;
        }
    }
    if (run == 0) {
        fprintf(stderr, "model: no client or group has that name; --list names them\n");
        return 2;
    }
    if (!options->lists_clients)
        printf("%u clients, %u bad, seed %llu\n", run, bad, (unsigned long long)options->seed);
    return bad > 0;
}

int main(int count, char **arguments)
{
    model_options options;
    if (!options_read(count, arguments, &options))
        return 2;
    if (options.helps) {
        options_help();
        return 0;
    }
    return run_all(&options);
}
