/* The workers' frame loop. A frame has two phases and three barriers:
 *
 *   begin | step: draw the frame before, move, hit, fade, search
 *         | receive: open the mail, write what is to be drawn | end
 *
 * Between one frame's end and the next one's begin only worker 0 works: it ends the frame, notes
 * its time and looks at the world while that stands still. So the frame's time is that of the
 * slowest worker, barriers included, and of nothing else. */
#include "run.h"

#include "barrier.h"
#include "usage.h"

#include <stdio.h>
#include <stdlib.h>

typedef enum gate { GATE_SHUT, GATE_OPEN, GATE_CANCELLED } gate;

typedef struct run {
    barrier frame_barrier;
    const backend *on;
    const options *settings;
    world *world;
    uint64_t *frame_ns;
    run_result *result;
    size_t resident_bytes_before;
    uint64_t page_faults_before, born_before; /* at the end of the warm-up */
    atomic_int gate; /* E1 main's store (release) -> each worker's load (acquire): the run is set */
} run;

/* What a worker's thread is started with. */
typedef struct seat {
    run *run;
    worker *worker;
    tarn_thread thread;
} seat;

static uint64_t born_so_far(const world *counted)
{
    uint64_t born = 0;
    for (uint32_t i = 0; i < counted->options->threads; i++)
        for (kind which = 0; which < KIND_COUNT; which++)
            born += counted->workers[i].born[which];
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
    sum->drawn += own->drawn;
    sum->drawn_sum += own->drawn_sum;
    sum->retired += own->retired;
}

static void add_worker(run_result *result, const worker *w)
{
    result->refused += w->refused;
    add_transients(&result->transients, &w->transients);
    for (kind which = 0; which < KIND_COUNT; which++) {
        result->born[which] += w->born[which];
        result->died[which] += w->died[which];
    }
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
    for (uint32_t i = 0; i < r->settings->threads; i++)
        add_worker(result, &r->world->workers[i]);
}

/* Worker 0, between two frames. */
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

static void end_frame(run *r)
{
    tarn_status status = r->on->end_frame(r->world);
    if (r->result->ended == TARN_OK)
        r->result->ended = status;
}

static void run_frame(run *r, worker *w, uint32_t frame)
{
    barrier_wait(&r->frame_barrier);
    uint64_t began_ns = w->index == 0 ? usage_clock_ns() : 0;
    r->on->step(w, world_storm_power(r->settings, frame));
    barrier_wait(&r->frame_barrier);
    r->on->receive(w);
    barrier_wait(&r->frame_barrier);
    if (w->index != 0)
        return;
    end_frame(r);
    observe(r, frame, usage_clock_ns() - began_ns);
}

static int worker_main(void *argument)
{
    const seat *own = argument;
    run *r = own->run;
    int gate_now;
    while ((gate_now = atomic_load_explicit(&r->gate, memory_order_acquire)) == GATE_SHUT) /* E1 */
        tarn_thread_yield();
    if (gate_now == GATE_CANCELLED)
        return 1;
    for (uint32_t frame = 0; frame < WARM_UP_FRAMES + r->settings->frames; frame++)
        run_frame(r, own->worker, frame);
    barrier_wait(&r->frame_barrier); /* worker 0 has seen the last frame */
    r->on->tear_down(own->worker);
    return 0;
}

/* Workers wait at the gate until all of them exist: a barrier that waits for a thread that could
 * not be created would wait for ever. */
static bool run_workers(run *r)
{
    seat seats[THREADS_MAX];
    uint32_t started = 0;
    while (started < r->settings->threads) {
        seats[started] = (seat){.run = r, .worker = &r->world->workers[started]};
        if (!tarn_thread_create(&seats[started].thread, worker_main, &seats[started]))
            break;
        started++;
    }
    bool all = started == r->settings->threads;
    atomic_store_explicit(&r->gate, all ? GATE_OPEN : GATE_CANCELLED,
                          memory_order_release); /* E1 */
    for (uint32_t i = 0; i < started; i++)
        tarn_thread_join(seats[i].thread);
    if (!all)
        fprintf(stderr, "engine: the system refused thread %u of %u\n", started + 1,
                r->settings->threads);
    return all;
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
    barrier_init(&r.frame_barrier, settings->threads);
    atomic_init(&r.gate, GATE_SHUT);
    bool ran = run_on_backend(&r);
    world_destroy(&stage);
    return ran;
}
