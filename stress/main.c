/* tarn-stress: many threads, few objects, and a judge. See --help. */
#include "options.h"
#include "scenarios.h"
#include "self_test.h"

#ifdef TARN_SCHEDULE
#include "schedule_hook.h"
#endif

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define EXIT_USAGE 2

static bool run_all(const stress_options *options)
{
    bool passed = true;
    for (size_t i = 0; i < SCENARIOS_COUNT; i++) {
        if (options->scenarios >> i & 1)
            passed &= run_scenario(options, scenario_at(i));
    }
    return passed;
}

int main(int count, char **words)
{
    stress_options options;
    options_result parsed = options_parse(count, words, &options);
    if (parsed != OPTIONS_RUN)
        return parsed == OPTIONS_HELP ? EXIT_SUCCESS : EXIT_USAGE;
#ifdef TARN_SCHEDULE
    schedule_configure(options.yield_permille, options.seed);
#endif
    printf("stress: seed %" PRIu64 ", %u threads, %u s each, capacity %zu, %zu bytes%s\n",
           options.seed, options.threads, options.seconds, options.capacity, options.object_bytes,
           options.exact ? ", exact" : "");
    fflush(stdout);
    bool passed = options.self_test ? self_test(&options) : run_all(&options);
    return passed ? EXIT_SUCCESS : EXIT_FAILURE;
}
