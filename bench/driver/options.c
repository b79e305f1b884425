/* getopt_long comes with GNU and BSD systems. */
#define _GNU_SOURCE

#include "driver/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS_DEFAULT   5
#define STINT_MS_DEFAULT 150
#define ROUNDS_QUICK     3
#define STINT_MS_QUICK   20
#define STINT_MS_MAX     60000

enum {
    FLAG_WORKLOAD = 1,
    FLAG_SUBJECT,
    FLAG_THREADS,
    FLAG_BYTES,
    FLAG_ROUNDS,
    FLAG_MS,
    FLAG_QUICK
};
enum {
    FLAG_READ = 100,
    FLAG_CSV,
    FLAG_JSON,
    FLAG_PLOT,
    FLAG_PLOT_GROWTH,
    FLAG_MEMORY,
    FLAG_CHECK,
    FLAG_HELP
};

static const struct option long_options[] = {
    {"workload", required_argument, NULL, FLAG_WORKLOAD},
    {"subject", required_argument, NULL, FLAG_SUBJECT},
    {"threads", required_argument, NULL, FLAG_THREADS},
    {"bytes", required_argument, NULL, FLAG_BYTES},
    {"rounds", required_argument, NULL, FLAG_ROUNDS},
    {"ms", required_argument, NULL, FLAG_MS},
    {"quick", no_argument, NULL, FLAG_QUICK},
    {"read", no_argument, NULL, FLAG_READ},
    {"csv", no_argument, NULL, FLAG_CSV},
    {"json", required_argument, NULL, FLAG_JSON},
    {"plot", required_argument, NULL, FLAG_PLOT},
    {"plot-growth", required_argument, NULL, FLAG_PLOT_GROWTH},
    {"memory", no_argument, NULL, FLAG_MEMORY},
    {"check", no_argument, NULL, FLAG_CHECK},
    {"help", no_argument, NULL, FLAG_HELP},
    {NULL, 0, NULL, 0},
};

static bool complain(const char *what, const char *value, const char *why)
{
    fprintf(stderr, "tarn-bench: %s '%s': %s\n", what, value, why);
    return false;
}

static bool parse_number(const char *what, const char *text, size_t min, size_t max, size_t *number)
{
    char why[64], *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && *end == 0 && errno == 0 && value >= min && value <= max) {
        *number = (size_t)value;
        return true;
    }
    snprintf(why, sizeof why, "not a number from %zu to %zu", min, max);
    return complain(what, text, why);
}

static bool parse_unsigned(const char *what, const char *text, unsigned max, unsigned *number)
{
    size_t value;
    if (!parse_number(what, text, 1, max, &value))
        return false;
    *number = (unsigned)value;
    return true;
}

typedef bool item_fn(options *o, const char *item);

/* Calls `add` for each part between commas; an empty part is an item that no list has. */
static bool parse_list(options *o, const char *list, item_fn *add)
{
    char item[64];
    for (;;) {
        size_t bytes = strcspn(list, ",");
        snprintf(item, sizeof item, "%.*s", (int)(bytes < sizeof item ? bytes : sizeof item - 1),
                 list);
        if (!add(o, item))
            return false;
        if (list[bytes] == 0)
            return true;
        list += bytes + 1;
    }
}

static bool add_workload(options *o, const char *name)
{
    bench_workload workload;
    if (!bench_workload_find(name, &workload))
        return complain("workload", name, "unknown; --help names them all");
    o->workloads[workload] = true;
    return true;
}

static bool add_subject(options *o, const char *name)
{
    bench_subject subject;
    if (!bench_subject_find(name, &subject))
        return complain("subject", name, "unknown; --help names them all");
    o->subjects[subject] = true;
    o->subjects_named = true;
    return true;
}

static bool add_number(size_t *list, size_t *count, size_t number, const char *what)
{
    for (size_t i = 0; i < *count; i++)
        if (list[i] == number)
            return true;
    if (*count == OPTIONS_LIST_MAX) {
        fprintf(stderr, "tarn-bench: %s: more than %u values\n", what, OPTIONS_LIST_MAX);
        return false;
    }
    list[(*count)++] = number;
    return true;
}

static bool add_threads(options *o, const char *text)
{
    size_t threads;
    return parse_number("threads", text, 1, BENCH_THREADS_MAX, &threads) &&
           add_number(o->threads, &o->threads_count, threads, "threads");
}

static bool add_object_bytes(options *o, const char *text)
{
    size_t bytes;
    if (!parse_number("bytes", text, BENCH_OBJECT_BYTES_MIN, BENCH_OBJECT_BYTES_MAX, &bytes))
        return false;
    if (bytes % BENCH_OBJECT_BYTES_MIN != 0)
        return complain("bytes", text, "not a multiple of 8");
    return add_number(o->object_bytes, &o->object_bytes_count, bytes, "bytes");
}

static bool set_mode(options *o, options_mode mode)
{
    if (o->mode != OPTIONS_TIMES && o->mode != mode) {
        fprintf(stderr, "tarn-bench: --memory, --check and --plot-growth exclude each other\n");
        return false;
    }
    o->mode = mode;
    return true;
}

/* An explicit --rounds or --ms wins, wherever it stands. */
static void set_quick(options *o)
{
    o->rounds = o->rounds ? o->rounds : ROUNDS_QUICK;
    o->stint_ms = o->stint_ms ? o->stint_ms : STINT_MS_QUICK;
}

static bool parse_choice(options *o, int flag, const char *value)
{
    switch (flag) {
    case FLAG_WORKLOAD:
        return parse_list(o, value, add_workload);
    case FLAG_SUBJECT:
        return parse_list(o, value, add_subject);
    case FLAG_THREADS:
        return parse_list(o, value, add_threads);
    case FLAG_BYTES:
        return parse_list(o, value, add_object_bytes);
    case FLAG_ROUNDS:
        return parse_unsigned("rounds", value, OPTIONS_ROUNDS_MAX, &o->rounds);
    case FLAG_MS:
        return parse_unsigned("ms", value, STINT_MS_MAX, &o->stint_ms);
    default:
        return false; /* getopt_long has said what is wrong */
    }
}

static bool parse_flag(options *o, int flag, const char *value, bool *quick)
{
    switch (flag) {
    case FLAG_QUICK:
        *quick = true;
        return true;
    case FLAG_READ:
        o->reads = true;
        return true;
    case FLAG_CSV:
        o->csv = true;
        return true;
    case FLAG_JSON:
        o->json_path = value;
        return true;
    case FLAG_PLOT:
        o->plot_path = value;
        return true;
    case FLAG_PLOT_GROWTH:
        o->growth_path = value;
        return set_mode(o, OPTIONS_GROWTH);
    case FLAG_MEMORY:
        return set_mode(o, OPTIONS_MEMORY);
    case FLAG_CHECK:
        return set_mode(o, OPTIONS_CHECK);
    default:
        return parse_choice(o, flag, value);
    }
}

static bool any(const bool *chosen, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (chosen[i])
            return true;
    return false;
}

/* All workloads and subjects, 1 and 2 threads, 64 bytes: some minutes. */
static void fill_defaults(options *o)
{
    if (!any(o->workloads, BENCH_WORKLOADS))
        memset(o->workloads, true, sizeof o->workloads);
    if (!o->subjects_named)
        memset(o->subjects, true, sizeof o->subjects);
    if (o->threads_count == 0) {
        o->threads[o->threads_count++] = 1;
        o->threads[o->threads_count++] = 2;
    }
    if (o->object_bytes_count == 0)
        o->object_bytes[o->object_bytes_count++] = 64;
    o->rounds = o->rounds ? o->rounds : ROUNDS_DEFAULT;
    o->stint_ms = o->stint_ms ? o->stint_ms : STINT_MS_DEFAULT;
}

/* --memory, --check and --plot-growth measure a fixed thing in their own form: what would have no
 * effect there is refused rather than ignored. */
static bool refuse_ignored(const options *o)
{
    static const char *const names[] = {
        [OPTIONS_MEMORY] = "--memory",
        [OPTIONS_CHECK] = "--check",
        [OPTIONS_GROWTH] = "--plot-growth",
    };
    bool selected =
        any(o->workloads, BENCH_WORKLOADS) || o->threads_count > 0 || o->object_bytes_count > 0;
    const unsigned memory = 1u << OPTIONS_MEMORY, check = 1u << OPTIONS_CHECK;
    const unsigned growth = 1u << OPTIONS_GROWTH;
    const struct {
        bool given;
        unsigned takers;
        const char *name;
    } given[] = {
        {o->csv, 0, "--csv"},
        {o->plot_path != NULL, 0, "--plot"},
        {selected, 0, "a selection of workloads, threads or bytes"},
        {o->subjects_named, memory, "--subject"},
        {o->json_path != NULL, check, "--json"},
        {o->reads, check, "--read"},
        {o->stint_ms != 0, check, "--ms or --quick"},
        {o->rounds != 0, check | growth, "--rounds or --quick"},
    };
    for (size_t i = 0; o->mode != OPTIONS_TIMES && i < sizeof given / sizeof given[0]; i++) {
        if (!given[i].given || (given[i].takers & (1u << o->mode)) != 0)
            continue;
        fprintf(stderr, "tarn-bench: %s does not take %s\n", names[o->mode], given[i].name);
        return false;
    }
    return true;
}

bool options_parse(int argc, char **argv, options *result)
{
    bool quick = false;
    int flag;
    memset(result, 0, sizeof *result);
    while ((flag = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
        if (flag == FLAG_HELP) {
            result->mode = OPTIONS_HELP;
            return true;
        }
        if (!parse_flag(result, flag, optarg, &quick))
            return false;
    }
    if (optind < argc)
        return complain("argument", argv[optind], "every option starts with --; see --help");
    if (quick)
        set_quick(result);
    if (!refuse_ignored(result))
        return false;
    fill_defaults(result);
    return true;
}
