#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void options_help(void)
{
    puts(
        "model [options] [client or group]...\n"
        "\n"
        "Runs small clients of the library under every schedule with few preemptions, stale\n"
        "reads and weak failures, then under random schedules, and prints the steps of the\n"
        "first schedule that breaks a promise. The same command finds the same schedule.\n"
        "\n"
        "  --list       names the clients, with their groups\n"
        "  --bound N    preemptions in exhaustive searches (2)\n"
        "  --runs N     random schedules per client, of each kind (10000)\n"
        "  --seed N     of the random schedules (1)\n"
        "  --steps N    accesses to memory in all runs of a client, after which it fails (no limit)"
        "\n"
        "  --wide       one preemption and one stale read more, and exhaustive searches to their "
        "end\n"
        "  --quick      for mutation runs: one preemption between 3 threads, a tenth of all\n"
        "               limits on runs, and no client that must fail\n"
        "  --quiet      does not list the steps\n"
        "  --first      ends at the first client that fails\n"
        "  --help       this text\n"
        "\n"
        "A search that was cut short is marked +. Ends with status 1 if a client fails, or if one "
        "with too narrow a tag does not.");
}

static bool complain(const char *text, const char *argument)
{
    fprintf(stderr, "model: %s '%s'; --help lists the options\n", text, argument);
    return false;
}

static bool read_number(const char *text, uint64_t limit, uint64_t *number)
{
    char *end = NULL;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && text[0] != '-' && *number <= limit;
}

static bool read_flag(const char *argument, model_options *options)
{
    struct {
        const char *name;
        bool *flag;
    } flags[] = {{"--list", &options->lists_clients}, {"--help", &options->helps},
                 {"--wide", &options->is_wide},       {"--quiet", &options->is_quiet},
                 {"--quick", &options->is_quick},     {"--first", &options->is_first}};
    for (unsigned i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (strcmp(argument, flags[i].name) == 0)
            return *flags[i].flag = true;
    return false;
}

/* *used: the value was taken too. */
static bool read_value(const char *argument, const char *value, model_options *options)
{
    uint64_t number = 0;
    bool is_bound = strcmp(argument, "--bound") == 0;
    if (!value || !read_number(value, is_bound ? 9 : UINT32_MAX, &number))
        return complain("a number must follow", argument);
    if (is_bound)
        options->bound = (int)number;
    else if (strcmp(argument, "--runs") == 0)
        options->runs_max = number;
    else if (strcmp(argument, "--steps") == 0)
        options->steps_max = number;
    else
        options->seed = number;
    return true;
}

static bool has_value(const char *argument)
{
    return strcmp(argument, "--bound") == 0 || strcmp(argument, "--runs") == 0 ||
           strcmp(argument, "--steps") == 0 || strcmp(argument, "--seed") == 0;
}

bool options_read(int count, char **arguments, model_options *options)
{
    *options = (model_options){.seed = 1, .bound = -1};
    for (int i = 1; i < count; i++) {
        if (has_value(arguments[i])) {
            if (!read_value(arguments[i], i + 1 < count ? arguments[i + 1] : NULL, options))
                return false;
            i++;
        } else if (arguments[i][0] == '-' && !read_flag(arguments[i], options)) {
            return complain("unknown option", arguments[i]);
        } else if (arguments[i][0] != '-') {
            if (options->name_count == OPTIONS_NAMES_MAX)
                return complain("too many names from", arguments[i]);
            options->names[options->name_count++] = arguments[i];
        }
    }
    return true;
}
