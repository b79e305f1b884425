#define _POSIX_C_SOURCE 200809L /* clock_gettime */

#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define EVENTS_MAX 65536u /* of a worker; later ones are counted only */

typedef struct event {
    uint64_t time_ns;
    const char *name;
    tarn_jobs_event kind;
} event;

/* Written by the worker's thread alone. */
typedef struct track {
    event *events;
    uint32_t count, dropped;
} track;

struct trace {
    uint64_t start_ns;
    track tracks[TARN_WORKERS_MAX];
};

static uint64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

trace *trace_open(void)
{
    trace *t = calloc(1, sizeof *t);
    if (t)
        t->start_ns = now_ns();
    return t;
}

void trace_close(trace *t)
{
    for (uint32_t i = 0; t && i < TARN_WORKERS_MAX; i++)
        free(t->tracks[i].events);
    free(t);
}

void trace_hook(void *context, tarn_jobs_event kind, uint32_t worker, const char *name)
{
    track *own = &((trace *)context)->tracks[worker];
    if (!own->events)
        own->events = malloc(EVENTS_MAX * sizeof *own->events);
    if (!own->events || own->count == EVENTS_MAX) {
        own->dropped++;
        return;
    }
    own->events[own->count++] = (event){now_ns(), name, kind};
}

/* Names are the host's: whatever JSON minds is left out. */
static void write_name(FILE *file, const char *name)
{
    fputc('"', file);
    for (; *name; name++)
        if (*name != '"' && *name != '\\' && (unsigned char)*name >= ' ')
            fputc(*name, file);
    fputc('"', file);
}

static void write_head(FILE *file, uint32_t worker)
{
    fprintf(file,
            "{\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"name\":\"thread_name\",\"args\":{\"name\":\"%s "
            "%u\"}}",
            (unsigned)worker, worker == 0 ? "main, worker" : "worker", (unsigned)worker);
}

/* Jobs, and sleeps, are stretches from B to E, which nest as they ran; the rest are points. */
static void write_event(FILE *file, const trace *t, uint32_t worker, const event *e)
{
    static const struct {
        char phase;
        const char *name;
    } kinds[] = {
        [TARN_EVENT_WORKER_START] = {'i', "worker starts"},
        [TARN_EVENT_WORKER_STOP] = {'i', "worker stops"},
        [TARN_EVENT_PARK] = {'B', "sleep"},
        [TARN_EVENT_WAKE] = {'E', "sleep"},
        [TARN_EVENT_JOB_BEGIN] = {'B', "job"},
        [TARN_EVENT_JOB_END] = {'E', "job"},
    };
    fprintf(file,
            ",\n{\"ph\":\"%c\",\"pid\":1,\"tid\":%u,\"ts\":%.3f,\"name\":", kinds[e->kind].phase,
            (unsigned)worker, (double)(e->time_ns - t->start_ns) / 1000);
    write_name(file, e->name ? e->name : kinds[e->kind].name);
    fputs(kinds[e->kind].phase == 'i' ? ",\"s\":\"t\"}" : "}", file);
}

static uint32_t write_tracks(FILE *file, const trace *t)
{
    uint32_t dropped = 0, tracks = 0;
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", file);
    for (uint32_t worker = 0; worker < TARN_WORKERS_MAX; worker++) {
        const track *own = &t->tracks[worker];
        if (own->count == 0)
            continue;
        fputs(tracks++ > 0 ? ",\n" : "", file);
        write_head(file, worker);
        for (uint32_t i = 0; i < own->count; i++)
            write_event(file, t, worker, &own->events[i]);
        dropped += own->dropped;
    }
    fputs("\n]}\n", file);
    return dropped;
}

bool trace_write(const trace *t, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) {
        fprintf(stderr, "trace_jobs: %s cannot be written\n", path);
        return false;
    }
    uint32_t dropped = write_tracks(file, t);
    if (dropped > 0)
        fprintf(stderr, "trace_jobs: %u events found no room\n", (unsigned)dropped);
    bool written = ferror(file) == 0;
    return fclose(file) == 0 && written;
}
