/* The jobs of a frame. Those of sector i wait for each other and for its neighbours':
 *
 *   simulate i --> collide i --+--> think i - 1, i, i + 1 --> build i
 *                              |
 *                              +--> animate i
 *   draw, per worker: waits for nothing
 *
 * So collide has its own sector's contacts, think sees targets that stand, and build opens mail
 * that is complete. What has no path between it in this picture touches nothing in common: see the
 * table in world.h. The graph is the same in each frame and knows nothing of workers. */
#include "graph.h"

typedef struct graph {
    const backend *on;
    tarn_worker *w;
    tarn_job_group group;
    tarn_job_handle thinking[SECTORS_MAX];
    tarn_status status; /* the first that was not TARN_OK; nothing is started from then on */
} graph;

typedef struct step_task {
    step_fn *run;
    sector *of;
} step_task;

typedef struct draw_task {
    void (*run)(tarn_worker *w, shelf *drawn);
    shelf *of;
} draw_task;

static void run_step(tarn_worker *w, void *payload)
{
    const step_task *task = payload;
    task->run(w, task->of);
}

static void run_draw(tarn_worker *w, void *payload)
{
    const draw_task *task = payload;
    task->run(w, task->of);
}

static tarn_job_handle start_step(graph *g, step which, sector *of, const tarn_job_handle *after,
                                  uint32_t after_count)
{
    static const char *const names[STEP_COUNT] = {"simulate", "collide", "think", "animate",
                                                  "build"};
    step_task task = {g->on->steps[which], of};
    tarn_job_options wanted = {
        .function = run_step,
        .payload = &task,
        .payload_bytes = sizeof task,
        .group = &g->group,
        .name = names[which],
        .after_jobs = after,
        .after_jobs_count = after_count,
    };
    tarn_job_handle started = {0};
    if (g->status == TARN_OK)
        g->status = tarn_job_start(g->w, &wanted, &started);
    return started;
}

static void start_draw(graph *g, shelf *of)
{
    draw_task task = {g->on->draw, of};
    tarn_job_options wanted = {
        .function = run_draw,
        .payload = &task,
        .payload_bytes = sizeof task,
        .group = &g->group,
        .name = "draw",
    };
    if (g->status == TARN_OK)
        g->status = tarn_job_start(g->w, &wanted, NULL);
}

static void start_sector(graph *g, sector *s)
{
    tarn_job_handle simulating = start_step(g, STEP_SIMULATE, s, NULL, 0);
    tarn_job_handle colliding = start_step(g, STEP_COLLIDE, s, &simulating, 1);
    g->thinking[s->index] = start_step(g, STEP_THINK, s, &colliding, 1);
    start_step(g, STEP_ANIMATE, s, &colliding, 1);
}

static void start_build(graph *g, sector *s)
{
    const tarn_job_handle after[] = {
        g->thinking[world_left_of(s)->index],
        g->thinking[s->index],
        g->thinking[world_right_of(s)->index],
    };
    start_step(g, STEP_BUILD, s, after, sizeof after / sizeof after[0]);
}

tarn_status graph_run(const backend *on, world *stage, tarn_worker *w)
{
    graph g = {.on = on, .w = w, .status = TARN_OK};
    tarn_job_group_begin(w, &g.group);
    for (uint32_t i = 0; i < stage->options->threads; i++)
        start_draw(&g, &stage->shelves[i]);
    for (uint32_t i = 0; i < stage->sectors_count; i++)
        start_sector(&g, &stage->sectors[i]);
    for (uint32_t i = 0; i < stage->sectors_count; i++)
        start_build(&g, &stage->sectors[i]);
    tarn_job_group_wait(w, &g.group);
    return g.status;
}
