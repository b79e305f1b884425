#define _GNU_SOURCE /* popen */

#include "engine/trace.h"

#include "engine/scheduler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STEPS_MAX       4000u
#define PLACE_BYTES_MAX 160u
#define NAME_BYTES_MAX  64u

/* An address takes up to 20 bytes of it. A shell takes no argument beyond 128 KiB. */
#define COMMAND_BYTES_MAX (1024u + STEPS_MAX * 20u)

static struct {
    bool is_on;
    uint32_t count;
    uint64_t dropped;
    model_step steps[STEPS_MAX];
    char places[STEPS_MAX][PLACE_BYTES_MAX];
    model_namer *namer;
} trace;

void model_trace_start(void)
{
    trace.is_on = true;
    trace.count = 0;
    trace.dropped = 0;
}

void model_trace_stop(void)
{
    trace.is_on = false;
}

void model_trace_set_namer(model_namer *namer)
{
    trace.namer = namer;
}

/* Of a run too long to list, the end is what tells; the oldest half goes. */
void model_trace_step(const model_step *step)
{
    if (!trace.is_on)
        return;
    if (trace.count == STEPS_MAX) {
        memmove(trace.steps, trace.steps + STEPS_MAX / 2, sizeof trace.steps / 2);
        trace.count -= STEPS_MAX / 2;
        trace.dropped += STEPS_MAX / 2;
    }
    model_step *kept = &trace.steps[trace.count++];
    *kept = *step;
    if (kept->thread == 0)
        kept->thread = model_self();
}

void model_trace_note(const char *text)
{
    model_trace_step(&(model_step){.kind = MODEL_STEP_NOTE, .text = text});
}

void model_trace_switch(uint32_t thread)
{
    static const char *const texts[] = {"-- thread 0 goes on", "-- thread 1 goes on",
                                        "-- thread 2 goes on", "-- thread 3 goes on"};
    model_trace_step(&(model_step){.kind = MODEL_STEP_NOTE, .text = texts[thread]});
}

static const char *order_name(int order)
{
    static const char *const names[] = {"relaxed", "consume", "acquire",
                                        "release", "acq_rel", "seq_cst"};
    return names[order];
}

static void name_of(const void *address, char *text)
{
    text[0] = '\0';
    if (trace.namer)
        trace.namer(address, text, NAME_BYTES_MAX);
    if (text[0] == '\0')
        snprintf(text, NAME_BYTES_MAX, "%p", address);
}

static void print_access(const model_step *step)
{
    char name[NAME_BYTES_MAX];
    name_of(step->address, name);
    unsigned long long before = step->before, after = step->after;
    switch (step->kind) {
    case MODEL_STEP_LOAD:
        printf("load %s of %s: 0x%llx", order_name(step->order), name, before);
        if (step->age > 0)
            printf(" (stale, %u newer)", step->age);
        return;
    case MODEL_STEP_STORE:
        printf("store %s to %s: 0x%llx", order_name(step->order), name, after);
        return;
    case MODEL_STEP_UPDATE:
        printf("update %s of %s: 0x%llx -> 0x%llx", order_name(step->order), name, before, after);
        return;
    case MODEL_STEP_EXCHANGE:
        printf("CAS %s of %s: 0x%llx -> 0x%llx", order_name(step->order), name, before, after);
        return;
    case MODEL_STEP_REFUSAL:
        printf("CAS of %s fails: found 0x%llx", name, before);
        return;
    case MODEL_STEP_SPURIOUS:
        printf("weak CAS of %s fails for no reason: found 0x%llx", name, before);
        return;
    case MODEL_STEP_RACE:
        printf("races: %s of %s", step->text, name);
        return;
    case MODEL_STEP_FENCE:
        printf("fence %s", order_name(step->order));
        return;
    case MODEL_STEP_NOTE:
        printf("%s", step->text);
        return;
    }
}

/* Reads addr2line's lines for one address: function and place alternate, from the innermost inlined
 * function outward, and then "??" for the address 0 that follows each. Keeps the first place
 * outside the header of the atomics. */
static void read_place(FILE *lines, char *place)
{
    char function[256], where[512];
    bool is_first = true;
    while (fgets(function, sizeof function, lines) && fgets(where, sizeof where, lines)) {
        function[strcspn(function, "\n")] = where[strcspn(where, " \n")] = '\0';
        if (!is_first && strncmp(function, "??", 2) == 0)
            return;
        is_first = false;
        const char *slash = strrchr(where, '/');
        if (place[0] == '\0' && !strstr(where, "base/atomic.h"))
            snprintf(place, PLACE_BYTES_MAX, "%.80s %.60s", function, slash ? slash + 1 : where);
    }
}

static void find_places(void)
{
    static char command[COMMAND_BYTES_MAX];
    memset(trace.places, 0, sizeof trace.places);
    char self[512];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    int end = snprintf(command, sizeof command, "addr2line -f -i -e '%s'", self);
    for (uint32_t i = 0; i < trace.count; i++)
        if (trace.steps[i].pc)
            end += snprintf(command + end, sizeof command - (size_t)end, " %llx 0",
                            (unsigned long long)(uintptr_t)trace.steps[i].pc - 1);
    FILE *lines = popen(command, "r");
    for (uint32_t i = 0; lines && i < trace.count; i++)
        if (trace.steps[i].pc)
            read_place(lines, trace.places[i]);
    if (lines)
        pclose(lines);
}

void model_trace_print(void)
{
    find_places();
    if (trace.dropped > 0)
        printf("  (%llu earlier steps are left out)\n", (unsigned long long)trace.dropped);
    for (uint32_t i = 0; i < trace.count; i++) {
        printf("  %4llu T%u  ", (unsigned long long)trace.dropped + i + 1, trace.steps[i].thread);
        print_access(&trace.steps[i]);
        printf("%s%s\n", trace.places[i][0] ? "   at " : "", trace.places[i]);
    }
}
