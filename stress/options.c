#include "options.h"

#include "clock.h"
#include "dice.h"
#include "scenarios.h"
#include "schedule_hook.h"
#include "tarn/tarn.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_help(void)
{
    puts("usage: tarn-stress [options]\n"
         "Lets threads fight over pools and judges what they are handed. Exit: 0 all passed, 1 a\n"
         "claim was broken, 2 bad usage; aborts when the pool hangs.\n\n"
         "  --scenario LIST         comma-separated names, or all (all)\n"
         "  --threads N             2 to 256 (4)\n"
         "  --seconds S             for each scenario, 1 to 86400 (5); longer, up to five\n"
         "                          times, while the threads have not met inside the pool\n"
         "  --seed N                of all random choices (from the clock; always printed)\n"
         "  --capacity N            of each pool, 1 to 2^24 (4096)\n"
         "  --object-bytes N        1 to 1048576; times the capacity at most 4 GiB (64)\n"
         "  --exact                 pools that cache nothing and refuse exactly\n"
         "  --yield-permille N      how many of 1000 atomic accesses of the library yield or\n"
         "                          spin, 0 to 1000; needs a build with TARN_SCHEDULE (20)\n"
         "  --watchdog-seconds N    abort when no call returns for so long, 1 to 3600 (20)\n"
         "  --plant FAULT           plant a fault; the verdict must be FAIL (none)\n"
         "  --self-test             plant each fault in turn and check the verdicts\n"
         "  --help                  this text\n\nscenarios:");
    for (size_t i = 0; i < SCENARIOS_COUNT; i++)
        printf("  %-12s %s\n", scenario_at(i)->name, scenario_at(i)->claim);
    puts("\nfaults:");
    for (int p = 0; p < PLANT_COUNT; p++)
        printf("  %-12s %s\n", plant_word((plant)p), plant_text((plant)p));
}

static bool wrong(const char *option, const char *value, const char *expected)
{
    fprintf(stderr, "tarn-stress: %s %s: expected %s\n", option, value, expected);
    return false;
}

typedef struct bounds {
    uint64_t low, high;
    const char *text;
} bounds;

static bool parse_number(const char *option, const char *value, bounds b, uint64_t *number)
{
    char *end = NULL;
    errno = 0;
    bool digits = value[0] >= '0' && value[0] <= '9';
    unsigned long long parsed = digits ? strtoull(value, &end, 0) : 0;
    if (!digits || *end != '\0' || errno != 0 || parsed < b.low || parsed > b.high)
        return wrong(option, value, b.text);
    *number = parsed;
    return true;
}

static bool parse_scenarios(const char *value, uint32_t *scenarios)
{
    *scenarios = 0;
    if (strcmp(value, "all") == 0) {
        *scenarios = (1u << SCENARIOS_COUNT) - 1;
        return true;
    }
    for (const char *name = value;; name++) {
        size_t length = strcspn(name, ",");
        size_t index = length ? scenario_named(name, length) : SCENARIOS_COUNT;
        if (index == SCENARIOS_COUNT)
            return wrong("--scenario", value, "names of scenarios (see --help) or all");
        *scenarios |= 1u << index;
        name += length;
        if (*name == '\0')
            return true;
    }
}

static bool parse_plant(const char *value, plant *fault)
{
    for (int p = 0; p < PLANT_COUNT; p++) {
        if (strcmp(value, plant_word((plant)p)) == 0) {
            *fault = (plant)p;
            return true;
        }
    }
    return wrong("--plant", value, "a fault (see --help)");
}

static bool parse_yield(const char *value, uint32_t *yield_permille)
{
    uint64_t number = 0;
#ifndef TARN_SCHEDULE
    return wrong("--yield-permille", value, "a build with TARN_SCHEDULE");
#endif
    if (!parse_number("--yield-permille", value, (bounds){0, 1000, "0 to 1000"}, &number))
        return false;
    *yield_permille = (uint32_t)number;
    return true;
}

static bool parse_valued(const char *option, const char *value, stress_options *options)
{
    static const struct {
        const char *name;
        bounds bounds;
    } numbers[] = {
        {"--threads", {STRESS_THREADS_MIN, STRESS_THREADS_MAX, "2 to 256"}},
        {"--seconds", {1, 86400, "1 to 86400"}},
        {"--seed", {0, UINT64_MAX, "0 to 18446744073709551615"}},
        {"--capacity", {1, STRESS_CAPACITY_MAX, "1 to 16777216"}},
        {"--object-bytes", {1, TARN_OBJECT_BYTES_MAX, "1 to 1048576"}},
        {"--watchdog-seconds", {1, 3600, "1 to 3600"}},
    };
    size_t which = 0;
    uint64_t number = 0;
    while (which < sizeof numbers / sizeof numbers[0] && strcmp(option, numbers[which].name) != 0)
        which++;
    if (which == sizeof numbers / sizeof numbers[0]) {
        fprintf(stderr, "tarn-stress: unknown option %s (see --help)\n", option);
        return false;
    }
    if (!parse_number(option, value, numbers[which].bounds, &number))
        return false;
    switch (which) {
    case 0:
        options->threads = (uint32_t)number;
        break;
    case 1:
        options->seconds = (uint32_t)number;
        break;
    case 2:
        options->seed = number;
        break;
    case 3:
        options->capacity = (size_t)number;
        break;
    case 4:
        options->object_bytes = (size_t)number;
        break;
    default:
        options->watchdog_seconds = (uint32_t)number;
    }
    return true;
}

static bool parse_option(const char *option, const char *value, stress_options *options)
{
    if (strcmp(option, "--scenario") == 0)
        return parse_scenarios(value, &options->scenarios);
    if (strcmp(option, "--plant") == 0)
        return parse_plant(value, &options->plant);
    if (strcmp(option, "--yield-permille") == 0)
        return parse_yield(value, &options->yield_permille);
    return parse_valued(option, value, options);
}

static bool sizes_fit(const stress_options *options)
{
    if ((uint64_t)options->capacity * options->object_bytes <= STRESS_MEMORY_MAX)
        return true;
    fprintf(stderr, "tarn-stress: %zu objects of %zu bytes are more than 4 GiB\n",
            options->capacity, options->object_bytes);
    return false;
}

options_result options_parse(int count, char **words, stress_options *options)
{
    *options = (stress_options){.scenarios = (1u << SCENARIOS_COUNT) - 1,
                                .threads = 4,
                                .seconds = 5,
                                .seed = dice_mix(clock_now_ns()),
                                .capacity = 4096,
                                .object_bytes = 64,
                                .yield_permille = SCHEDULE_YIELD_PERMILLE_DEFAULT,
                                .watchdog_seconds = 20};
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--help") == 0) {
            print_help();
            return OPTIONS_HELP;
        }
        if (strcmp(words[i], "--exact") == 0) {
            options->exact = true;
        } else if (strcmp(words[i], "--self-test") == 0) {
            options->self_test = true;
        } else if (i + 1 == count) {
            fprintf(stderr, "tarn-stress: %s: unknown, or its value is missing (see --help)\n",
                    words[i]);
            return OPTIONS_WRONG;
        } else {
            const char *option = words[i++];
            if (!parse_option(option, words[i], options))
                return OPTIONS_WRONG;
        }
    }
    return sizes_fit(options) ? OPTIONS_RUN : OPTIONS_WRONG;
}
