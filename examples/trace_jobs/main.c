/* Frames of jobs, and a picture of them: writes what the scheduler's hook tells as a Chrome trace,
 * to be opened in ui.perfetto.dev or chrome://tracing.
 *
 *   trace_jobs [FILE.json] [FRAMES]     (jobs_trace.json, 20) */
#include "trace.h"

#include "tarn/tarn.h"

#include <stdio.h>
#include <stdlib.h>

#define PARTICLES 200000u
#define ACTORS    64u
#define WORKERS   3u

typedef struct game {
    float *heights;
    float thoughts[ACTORS];
} game;

static void move_particles(tarn_worker *worker, void *context, size_t begin, size_t end)
{
    (void)worker;
    game *g = context;
    for (size_t i = begin; i < end; i++)
        g->heights[i] = g->heights[i] * 0.99f + 0.1f;
}

static void simulate(tarn_worker *worker, void *context)
{
    tarn_parallel_for(worker, 0, PARTICLES, 0, move_particles, context);
}

static void think(tarn_worker *worker, void *thought)
{
    (void)worker;
    float value = *(float *)thought;
    for (int i = 0; i < 2000; i++)
        value = value * 0.5f + (float)i;
    *(float *)thought = value;
}

static void present(tarn_worker *worker, void *context)
{
    (void)worker;
    (void)context; /* what only the main thread may do */
}

/* The actors think while the particles move; when both are done the main thread shows them. */
static void run_frame(tarn_worker *worker, game *g)
{
    tarn_job_group frame, work;
    tarn_job_group *const after[] = {&work};
    tarn_job_group_begin(worker, &frame);
    tarn_job_group_init(&work);
    tarn_job_options moving = {
        .function = simulate, .payload = g, .group = &work, .name = "simulate"};
    tarn_job_start(worker, &moving, NULL);
    for (unsigned i = 0; i < ACTORS; i++) {
        tarn_job_options thinking = {
            .function = think, .payload = &g->thoughts[i], .group = &work, .name = "think"};
        tarn_job_start(worker, &thinking, NULL);
    }
    tarn_job_options showing = {.function = present,
                                .payload = g,
                                .group = &frame,
                                .name = "present",
                                .is_pinned = true,
                                .after_groups = after,
                                .after_groups_count = 1};
    tarn_job_start(worker, &showing, NULL);
    tarn_job_group_wait(worker, &frame);
}

static bool run_frames(trace *t, game *g, long frames)
{
    tarn_jobs_options options = {.workers = WORKERS, .hook = trace_hook, .hook_context = t};
    tarn_jobs *jobs;
    tarn_worker *worker;
    tarn_status status = tarn_jobs_create(&options, &jobs, &worker);
    if (status != TARN_OK) {
        fprintf(stderr, "trace_jobs: %s\n", tarn_status_text(status));
        return false;
    }
    for (long i = 0; i < frames; i++)
        run_frame(worker, g);
    return tarn_jobs_destroy(jobs, NULL) == TARN_OK;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "jobs_trace.json";
    long frames = argc > 2 ? strtol(argv[2], NULL, 10) : 20;
    game g = {.heights = calloc(PARTICLES, sizeof *g.heights)};
    trace *t = trace_open();
    bool done = g.heights && t && run_frames(t, &g, frames) && trace_write(t, path);
    trace_close(t);
    free(g.heights);
    if (done)
        printf("%ld frames are in %s\n", frames, path);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
