/* Three workers let balls fall and burst, and a renderer draws the frame before theirs.
 *
 * All that lives for a frame is in frame memory: the contacts that a worker finds, the commands
 * that it writes for the renderer, and the names of pictures that those carry. Nobody frees them.
 * A ball that bursts is freed at the end of its frame's time: the renderer, which is one frame
 * behind, still looks at it. It says when it is done with a frame, and only then is that frame's
 * memory used again.
 *
 *   workers    write 1 | write 2 | write 3        the end of 2 waits until 1 is complete: then the
 *   renderer           | draw 1  | draw 2         memory of 1, and balls that burst in it, are 3's
 */
#include "tarn/tarn.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 3, BALLS = 600, THROWN_EACH_FRAME = 20, HEIGHT = 1000 };

#define PATIENCE_NS 60000000000u

typedef struct ball {
    int height, speed;
    unsigned number; /* no other ball has it; stays as long as the ball */
} ball;

TARN_POOL_DEFINE(balls, ball);

/* The height changes under the renderer's eyes, so it is copied; the number does not. */
typedef struct draw {
    const ball *of;
    int height;
    const char *picture;
} draw;

TARN_FRAME_POOL_DEFINE(draws, draw);

typedef struct world {
    tarn_frame *frame;
    tarn_frame_pool *draws;
    tarn_pool *balls;
    sem_t ended; /* one post per frame that has ended, and one for the last */
    unsigned thrown, drawn, wrong;
} world;

/* One worker's part of a frame. */
typedef struct part {
    world *w;
    tarn_lane *lane;
    tarn_range slots;
    balls_handle *contacts; /* with the ground */
    unsigned found, burst, commands;
    bool failed;
} part;

static void write_command(part *p, const ball *b)
{
    draw *command = draws_alloc(p->w->draws, p->lane);
    char *picture = tarn_frame_printf(p->lane, "balls/%u.png", b->number);
    if (!command || !picture) {
        p->failed = true;
        return;
    }
    *command = (draw){.of = b, .height = b->height, .picture = picture};
    p->commands++;
}

static bool fall(void *context, ball *b, balls_handle handle)
{
    part *p = context;
    b->height -= ++b->speed;
    if (b->height <= 0)
        p->contacts[p->found++] = handle;
    write_command(p, b);
    return true;
}

/* From here on the handle is stale; the ball stays what it is until its frame is dropped. */
static void burst(part *p)
{
    for (unsigned i = 0; i < p->found; i++) {
        tarn_status status =
            tarn_frame_defer_release(p->lane, p->w->balls, p->contacts[i].any, TARN_STALE_AT_ONCE);
        p->burst += status == TARN_OK;
        p->failed |= status != TARN_OK;
    }
}

static void *work(void *argument)
{
    part *p = argument;
    p->failed |= tarn_lane_enter(p->lane) != TARN_OK;
    p->found = 0;
    p->contacts = tarn_frame_array(p->lane, balls_handle, p->slots.count);
    p->failed |= !p->contacts;
    if (!p->failed) {
        balls_each_in(p->w->balls, p->slots, fall, p);
        burst(p);
    }
    tarn_lane_leave(p->lane);
    return NULL;
}

/* A picture that names another ball: memory was used again too early. */
static bool look_at(void *context, draw *command)
{
    world *w = context;
    char expected[32];
    snprintf(expected, sizeof expected, "balls/%u.png", command->of->number);
    w->wrong += strcmp(command->picture, expected) != 0 || command->height > HEIGHT;
    w->drawn++;
    return true;
}

static void *render(void *argument)
{
    world *w = argument;
    for (uint64_t number = 1;; number++) {
        while (sem_wait(&w->ended) != 0) /* a signal */
            continue;
        if (number == tarn_frame_number(w->frame))
            return NULL; /* it is open, and stays so */
        draws_each(w->draws, number, look_at, w);
        tarn_frame_complete(w->frame, number);
    }
}

static void throw_balls(world *w)
{
    for (int i = 0; i < THROWN_EACH_FRAME; i++) {
        balls_handle handle;
        ball *b = balls_guest_take(w->balls, &handle);
        if (!b) /* the air is full of them, or of those that the renderer may still see */
            return;
        *b = (ball){.height = HEIGHT, .speed = i, .number = w->thrown++};
    }
}

/* Runs all parts, and returns when all are done. Without threads, one after another. */
static void run(part *parts)
{
    pthread_t threads[WORKERS];
    bool started[WORKERS] = {false};
    for (int i = 1; i < WORKERS; i++)
        started[i] = pthread_create(&threads[i], NULL, work, &parts[i]) == 0;
    work(&parts[0]);
    for (int i = 1; i < WORKERS; i++) {
        if (started[i])
            pthread_join(threads[i], NULL);
        else
            work(&parts[i]);
    }
}

static bool run_frame(world *w, part *parts)
{
    throw_balls(w);
    size_t slots = tarn_each_slots(w->balls);
    bool failed = false;
    for (size_t i = 0; i < WORKERS; i++)
        parts[i].slots = tarn_each_part(slots, i, WORKERS);
    run(parts);
    for (size_t i = 0; i < WORKERS; i++)
        failed |= parts[i].failed;
    tarn_late late;
    tarn_status status = tarn_frame_end(w->frame, PATIENCE_NS, &late);
    if (status != TARN_OK)
        fprintf(stderr, "frames: %s, %u lanes are inside, %s is one\n", tarn_status_text(status),
                late.lanes, late.label);
    else
        sem_post(&w->ended);
    return status == TARN_OK && !failed;
}

static bool run_frames(world *w, part *parts, unsigned frames)
{
    pthread_t renderer;
    bool ok = true;
    if (pthread_create(&renderer, NULL, render, w) != 0) {
        fprintf(stderr, "frames: no thread for the renderer\n");
        return false;
    }
    for (unsigned i = 0; i < frames && ok; i++)
        ok = run_frame(w, parts);
    sem_post(&w->ended);
    pthread_join(renderer, NULL);
    return ok;
}

static bool open_world(world *w, part *parts)
{
    tarn_pool_options ball_options = balls_options(BALLS);
    ball_options.handles = true;
    tarn_frame_options frame_options = {.frames_in_flight = 2, .gated = true, .lanes_max = WORKERS};
    if (sem_init(&w->ended, 0, 0) != 0 || tarn_pool_create(&ball_options, &w->balls) != TARN_OK ||
        tarn_frame_create(&frame_options, &w->frame) != TARN_OK ||
        draws_create(w->frame, (tarn_frame_pool_options){.name = "draws"}, &w->draws) != TARN_OK)
        return false;
    for (int i = 0; i < WORKERS; i++) {
        parts[i] = (part){.w = w};
        if (tarn_lane_attach(w->frame, "worker", &parts[i].lane) != TARN_OK)
            return false;
    }
    return true;
}

/* Whether each ball burst once or still falls, and was seen as it was in each of its frames. */
static bool is_sound(const world *w, const part *parts, unsigned frames)
{
    unsigned burst = 0, commands = 0;
    for (int i = 0; i < WORKERS; i++) {
        burst += parts[i].burst;
        commands += parts[i].commands;
    }
    tarn_frame_statistics now;
    tarn_pool_statistics balls;
    tarn_frame_sample(w->frame, &now);
    tarn_pool_sample(w->balls, &balls);
    unsigned falling = (unsigned)(balls.live - now.deferred);
    printf("%u frames: %u balls, %u burst, %u fall; %u drawn, %u wrong\n", frames, w->thrown, burst,
           falling, w->drawn, w->wrong);
    return burst > 0 && w->thrown == burst + falling && w->drawn == commands && w->wrong == 0;
}

/* The frame goes first: what it was to free is free then. */
static bool close_world(world *w)
{
    bool ok = tarn_frame_destroy(w->frame) == TARN_OK;
    sem_destroy(&w->ended);
    return ok && tarn_pool_clear(w->balls) == TARN_OK && tarn_pool_destroy(w->balls) == TARN_OK;
}

/* --frames N. 0 is no number of frames. */
static unsigned frames_asked(int argc, char **argv)
{
    if (argc == 1)
        return 300;
    bool is_asked = argc == 3 && strcmp(argv[1], "--frames") == 0;
    return is_asked ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
}

int main(int argc, char **argv)
{
    unsigned frames = frames_asked(argc, argv);
    if (frames == 0) {
        fprintf(stderr, "usage: frames [--frames N]\n");
        return 2;
    }
    world w = {0};
    part parts[WORKERS];
    if (!open_world(&w, parts)) {
        fprintf(stderr, "frames: no memory\n");
        return 1;
    }
    bool ok = run_frames(&w, parts, frames);
    ok &= is_sound(&w, parts, frames);
    return close_world(&w) && ok ? 0 : 1;
}
