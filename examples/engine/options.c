#define _POSIX_C_SOURCE 200809L /* sysconf */

#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One worker per core, but enough to have neighbours and few enough to stay readable. */
static uint32_t threads_default(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 2 ? 2 : cores > 8 ? 8 : (uint32_t)cores;
}

void options_print_help(void)
{
    printf("engine: a headless frame loop of jobs, on tarn and on malloc\n"
           "\n"
           "usage: engine [options]\n"
           "  --frames N    measured frames per round, 1 to 100000 (1200)\n"
           "  --rounds N    worlds per backend, 1 to 100; the backends take turns (4)\n"
           "  --threads N   workers, 1 to %d (one per core, 2 to 8; here %u)\n"
           "  --storm N     frames from one storm to the next, 0 for none (150)\n"
           "  --seed N      of every random number (1)\n"
           "  --backend B   tarn, malloc or both (both)\n"
           "  --help        this text\n"
           "\n"
           "The world has two sectors per worker. A frame is a graph of jobs on tarn's scheduler:\n"
           "of each sector one simulates, and after it others collide, think, animate, and write\n"
           "what the next frame draws, while the frame before is drawn.\n"
           "Bullets, sparks and plans live on: on tarn they come from pools. Contacts, draw\n"
           "commands and names of pictures live until they are drawn, and bullets that die are\n"
           "freed then: on tarn all of that goes with its frame, two of which are in flight at a\n"
           "time; on malloc each piece is freed.\n"
           "\n"
           "Exit code: 0 the verdict is PASS, 1 it is FAIL, 2 the command line is wrong.\n",
           THREADS_MAX, (unsigned)threads_default());
}

static bool parse_number(const char *name, const char *text, uint64_t low, uint64_t high,
                         uint64_t *number)
{
    char *end = NULL;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    bool digits = text[0] >= '0' && text[0] <= '9' && *end == '\0';
    if (digits && errno == 0 && value >= low && value <= high) {
        *number = value;
        return true;
    }
    fprintf(stderr, "engine: %s takes a whole number from %llu to %llu, not '%s'\n", name,
            (unsigned long long)low, (unsigned long long)high, text);
    return false;
}

static bool parse_count(const char *name, const char *text, uint32_t low, uint32_t high,
                        uint32_t *count)
{
    uint64_t number = 0;
    if (!parse_number(name, text, low, high, &number))
        return false;
    *count = (uint32_t)number;
    return true;
}

static bool parse_backend(const char *text, options *parsed)
{
    bool both = strcmp(text, "both") == 0;
    parsed->use_tarn = both || strcmp(text, "tarn") == 0;
    parsed->use_malloc = both || strcmp(text, "malloc") == 0;
    if (parsed->use_tarn || parsed->use_malloc)
        return true;
    fprintf(stderr, "engine: --backend takes tarn, malloc or both, not '%s'\n", text);
    return false;
}

static bool is_option(const char *name)
{
    static const char *const names[] = {"--frames", "--rounds", "--threads",
                                        "--storm",  "--seed",   "--backend"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static bool parse_option(const char *name, const char *value, options *parsed)
{
    if (strcmp(name, "--frames") == 0)
        return parse_count(name, value, 1, 100000, &parsed->frames);
    if (strcmp(name, "--rounds") == 0)
        return parse_count(name, value, 1, 100, &parsed->rounds);
    if (strcmp(name, "--threads") == 0)
        return parse_count(name, value, 1, THREADS_MAX, &parsed->threads);
    if (strcmp(name, "--storm") == 0)
        return parse_count(name, value, 0, 1000000, &parsed->storm_frames);
    if (strcmp(name, "--seed") == 0)
        return parse_number(name, value, 0, UINT64_MAX, &parsed->seed);
    return parse_backend(value, parsed);
}

bool options_parse(int count, char **arguments, options *parsed)
{
    *parsed = (options){.frames = 1200,
                        .rounds = 4,
                        .threads = threads_default(),
                        .storm_frames = 150,
                        .seed = 1,
                        .use_tarn = true,
                        .use_malloc = true};
    for (int i = 1; i < count; i += 2) {
        const char *name = arguments[i];
        if (strcmp(name, "--help") == 0) {
            parsed->help = true;
            return true;
        }
        if (!is_option(name)) {
            fprintf(stderr, "engine: no option '%s'; see engine --help\n", name);
            return false;
        }
        if (i + 1 == count) {
            fprintf(stderr, "engine: %s needs a value; see engine --help\n", name);
            return false;
        }
        if (!parse_option(name, arguments[i + 1], parsed))
            return false;
    }
    return true;
}
