/* The frame loop, on the scheduler's creating thread. A frame is its jobs, in which this thread
 * takes part while it waits for them, and the end of its memory. Then, while nothing runs, its time
 * is noted and the world is looked at. So the frame's time is that of its jobs, of starting them
 * and of ending it, and of nothing else. */
#include "run.h"

#include "graph.h"
#include "usage.h"

#include <stdio.h>

/* A frame of SECTORS_MAX takes about 1500, dependencies included. */
#define JOBS_MAX   4096
#define DEQUE_JOBS 1024

typedef struct run {
    const backend *on;
    const options *settings;
    world *world;
    tarn_jobs *jobs;
    tarn_worker *worker; /* this thread's */
    uint64_t *frame_ns;
    run_result *result;
    size_t resident_bytes_before;
    uint64_t page_faults_before, born_before; /* at the end of the warm-up */
} run;

static uint64_t born_so_far(const world *counted)
{
    uint64_t born = 0;
    for (uint32_t i = 0; i < counted->sectors_count; i++)
        for (kind which = 0; which < KIND_COUNT; which++)
            born += counted->sectors[i].born[which];
    return born;
}

static void note_peaks(run *r)
{
    run_result *result = r->result;
    size_t resident_bytes = usage_resident_bytes();
    if (resident_bytes > r->resident_bytes_before + result->resident_bytes_peak)
        result->resident_bytes_peak = resident_bytes - r->resident_bytes_before;
    for (kind which = 0; which < KIND_COUNT; which++) {
        uint64_t live = world_live(r->world, which);
        if (live > result->live_peak[which])
            result->live_peak[which] = live;
    }
}

static void end_warm_up(run *r)
{
    r->result->hook_calls_before = hooks_calls(&r->world->hooks);
    r->page_faults_before = usage_page_faults();
    r->born_before = born_so_far(r->world);
}

static void add_transients(transients *sum, const transients *own)
{
    sum->contacts += own->contacts;
    sum->draws += own->draws;
    sum->pictures += own->pictures;
    sum->retired += own->retired;
}

static void add_sector(run_result *result, const sector *s)
{
    result->refused += s->refused;
    add_transients(&result->transients, &s->transients);
    for (kind which = 0; which < KIND_COUNT; which++) {
        result->born[which] += s->born[which];
        result->died[which] += s->died[which];
    }
}

static void add_shelf(run_result *result, const shelf *from)
{
    result->refused += from->refused;
    result->drawn += from->drawn;
    result->drawn_sum += from->drawn_sum;
}

static void end_measuring(run *r)
{
    run_result *result = r->result;
    result->page_faults = usage_page_faults() - r->page_faults_before;
    result->hook_calls_after = hooks_calls(&r->world->hooks) - result->hook_calls_before;
    result->measured_born = born_so_far(r->world) - r->born_before;
    r->on->sample(r->world, result->pools);
    r->on->sample_frame(r->world, &result->frame);
    census found = world_take_census(r->world);
    result->checksum = found.checksum;
    for (kind which = 0; which < KIND_COUNT; which++)
        result->counted[which] = found.live[which];
    for (uint32_t i = 0; i < r->world->sectors_count; i++)
        add_sector(result, &r->world->sectors[i]);
    for (uint32_t i = 0; i < r->settings->threads; i++)
        add_shelf(result, &r->world->shelves[i]);
}

/* Between two frames. */
static void observe(run *r, uint32_t frame, uint64_t took_ns)
{
    note_peaks(r);
    if (frame >= WARM_UP_FRAMES)
        r->frame_ns[frame - WARM_UP_FRAMES] = took_ns;
    if (frame + 1 == WARM_UP_FRAMES)
        end_warm_up(r);
    if (frame + 1 == WARM_UP_FRAMES + r->settings->frames)
        end_measuring(r);
}

static void note_ended(run *r, tarn_status status)
{
    if (r->result->ended == TARN_OK)
        r->result->ended = status;
}

static void run_frame(run *r, uint32_t frame)
{
    uint64_t began_ns = usage_clock_ns();
    r->world->power = world_storm_power(r->settings, frame);
    note_ended(r, graph_run(r->on, r->world, r->worker));
    note_ended(r, r->on->end_frame(r->world));
    observe(r, frame, usage_clock_ns() - began_ns);
}

static void tear_down(tarn_worker *w, void *context, size_t begin, size_t end)
{
    const run *r = context;
    for (size_t i = begin; i < end; i++)
        r->on->tear_down(w, &r->world->sectors[i]);
}

static void run_frames(run *r)
{
    for (uint32_t frame = 0; frame < WARM_UP_FRAMES + r->settings->frames; frame++)
        run_frame(r, frame);
    tarn_parallel_for(r->worker, 0, r->world->sectors_count, 1, tear_down, r);
}

/* The same for both backends, so that they differ in memory alone. malloc has no pools, and no
 * frame: workers get no caches and no lanes. */
static tarn_status start_workers(run *r)
{
    tarn_jobs_options wanted = {
        .workers = r->settings->threads,
        .jobs_max = JOBS_MAX,
        .deque_jobs = DEQUE_JOBS,
        .pools = r->world->pools,
        .pools_count = r->on->has_pools ? KIND_COUNT : 0,
        .frame = r->world->frame,
        .memory = &r->world->hooks.memory,
    };
    return tarn_jobs_create(&wanted, &r->jobs, &r->worker);
}

static bool run_workers(run *r)
{
    tarn_status status = start_workers(r);
    if (status != TARN_OK) {
        fprintf(stderr, "engine: %s cannot start %u workers: %s\n", r->on->name,
                r->settings->threads, tarn_status_text(status));
        return false;
    }
    run_frames(r);
    status = tarn_jobs_destroy(r->jobs, NULL);
    if (status != TARN_OK)
        fprintf(stderr, "engine: the workers do not stop: %s\n", tarn_status_text(status));
    return status == TARN_OK;
}

static bool run_on_backend(run *r)
{
    r->resident_bytes_before = usage_resident_bytes();
    tarn_status opened = r->on->open(r->world);
    if (opened != TARN_OK) {
        fprintf(stderr, "engine: %s cannot start: %s\n", r->on->name, tarn_status_text(opened));
        return false;
    }
    bool ran = run_workers(r);
    r->result->closed = r->on->close(r->world);
    return ran;
}

bool run_world(const backend *on, const options *settings, uint64_t *frame_ns, run_result *result)
{
    world stage;
    run r = {
        .on = on, .settings = settings, .world = &stage, .frame_ns = frame_ns, .result = result};
    *result = (run_result){0};
    if (!world_create(&stage, settings)) {
        fprintf(stderr, "engine: no memory for a world of %u workers\n", settings->threads);
        return false;
    }
    bool ran = run_on_backend(&r);
    world_destroy(&stage);
    return ran;
}
