/* tarn-replay: plays a recorded trace on tarn's pools and on malloc, side by side. */
#include "read.h"
#include "replay.h"
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: tarn-replay [OPTION...] FILE\n"
    "\n"
    "Reads a trace that tarn-record wrote and plays it with one pool per rounded size, on as many\n"
    "threads as were recorded, and with malloc. First once each with every block filled and all\n"
    "of its content checked, then some rounds for the time. Prints both times, what the program\n"
    "needs, and pool options that fit.\n"
    "\n"
    "  -r, --rounds N   timed rounds, 0 to 1000 (5)\n"
    "  -w, --window N   operations by which a thread may be ahead of another, 1 to 1000000 (4096)\n"
    "  -h, --help       print this\n"
    "\n"
    "Sizes are rounded up to 16, 32 ... 256, then to four steps per doubling up to 256 KiB; "
    "larger\n"
    "blocks are malloc's on both sides. calloc is played as malloc, on both sides.\n"
    "The exit status is 0; 1 when the replay found an error; 2 on a wrong command line or trace.\n";

typedef struct options {
    const char *file;
    uint32_t rounds, window;
    bool help;
} options;

static bool fail(const char *text, const char *name)
{
    fprintf(stderr, "tarn-replay: %s%s\n", text, name);
    return false;
}

static bool parse_number(const char *text, uint32_t min, uint32_t max, uint32_t *number)
{
    uint32_t value = 0;
    if (!*text || strlen(text) > 9 || strspn(text, "0123456789") != strlen(text))
        return false;
    value = (uint32_t)strtoul(text, NULL, 10);
    *number = value;
    return value >= min && value <= max;
}

static bool is_option(const char *text, const char *brief, const char *full)
{
    return strcmp(text, brief) == 0 || strcmp(text, full) == 0;
}

/* Advances *at to the option's value. */
static bool parse_option(int count, char **arguments, int *at, options *result)
{
    const char *option = arguments[*at];
    const char *value = *at + 1 < count ? arguments[*at + 1] : "";
    if (is_option(option, "-h", "--help")) {
        result->help = true;
        return true;
    }
    ++*at;
    if (is_option(option, "-r", "--rounds"))
        return parse_number(value, 0, REPORT_ROUNDS_MAX, &result->rounds) ||
               fail("--rounds takes a number from 0 to 1000, not ", value);
    if (is_option(option, "-w", "--window"))
        return parse_number(value, 1, 1000000, &result->window) ||
               fail("--window takes a number from 1 to 1000000, not ", value);
    return fail("unknown option, see --help: ", option);
}

static bool parse(int count, char **arguments, options *result)
{
    for (int at = 1; at < count; at++) {
        if (arguments[at][0] == '-') {
            if (!parse_option(count, arguments, &at, result))
                return false;
        } else if (result->file) {
            return fail("one file at a time, not also ", arguments[at]);
        } else {
            result->file = arguments[at];
        }
    }
    return result->file || result->help || fail("no trace was given, see --help", "");
}

static bool check_both(replay *run)
{
    replay_result on_tarn, on_heap;
    replay_run(run, REPLAY_TARN, true, &on_tarn);
    replay_run(run, REPLAY_MALLOC, true, &on_heap);
    bool right = report_check("tarn", &on_tarn);
    right = report_check("malloc", &on_heap) && right;
    if (right)
        printf("content         right: %llu bytes compared on tarn, %llu on malloc\n",
               (unsigned long long)on_tarn.checked_bytes,
               (unsigned long long)on_heap.checked_bytes);
    return right;
}

static bool time_once(replay *run, replay_memory memory, const char *name, report_times *times)
{
    replay_result result;
    replay_run(run, memory, false, &result);
    times->busy_ns[times->rounds] = result.busy_ns;
    times->wall_ns[times->rounds] = result.wall_ns;
    times->rounds++;
    return report_check(name, &result);
}

/* Interleaved, so that what else the machine does falls on both. */
static bool time_both(replay *run, uint32_t rounds)
{
    static report_times tarn, heap;
    for (uint32_t i = 0; i < rounds; i++) {
        if (!time_once(run, REPLAY_TARN, "tarn", &tarn) ||
            !time_once(run, REPLAY_MALLOC, "malloc", &heap))
            return false;
    }
    if (rounds)
        report_timing(&tarn, &heap, run->what);
    return true;
}

static bool play(const trace *from, const plan *what, const options *how)
{
    char text[200];
    replay run;
    if (!replay_open(&run, what, how->window, text, sizeof text))
        return fail(text, "");
    report_trace(from, what);
    bool right = check_both(&run) && time_both(&run, how->rounds);
    if (!replay_close(&run, text, sizeof text))
        right = fail(text, "");
    if (!right)
        return false;
    report_classes(what);
    report_advice(what);
    return true;
}

int main(int count, char **arguments)
{
    options how = {.rounds = 5, .window = REPLAY_WINDOW_DEFAULT};
    if (!parse(count, arguments, &how))
        return 2;
    if (how.help)
        return fputs(help, stdout) < 0;
    trace from;
    trace_error error;
    if (!trace_read(how.file, &from, &error)) {
        fprintf(stderr, "tarn-replay: %s: %s\n", how.file, error.text);
        return 2;
    }
    plan what;
    if (!plan_make(&from, &what)) {
        trace_release(&from);
        return !fail("no memory to plan the replay of ", how.file);
    }
    bool right = play(&from, &what, &how);
    plan_release(&what);
    trace_release(&from);
    return right ? 0 : 1;
}
