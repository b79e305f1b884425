/* Bullets that home in on enemies by handle, moved by several threads, freed in two steps.
 *
 * Each frame: (1) every thread moves its part of the bullets; a bullet that hits marks its enemy,
 * and itself, as spent. (2) When all have moved, what is marked is freed, again in parts. Between
 * the steps nothing is freed, so that in the first everybody may read everything. A bullet whose
 * enemy was shot by another finds its handle stale, and flies on without aim. */
#include "tarn/tarn.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 2, ENEMIES = 64, BULLETS = 4000, SHOTS_EACH_FRAME = 40, FLIGHT_FRAMES = 50 };

typedef struct enemy {
    int x;
    atomic_bool is_hit; /* by any thread in the first step */
} enemy;

TARN_POOL_DEFINE(enemies, enemy);

typedef struct bullet {
    int x, speed, frames_left;
    bool is_spent;
    enemies_handle target; /* none, or stale when it died */
} bullet;

TARN_POOL_DEFINE(bullets, bullet);

typedef struct world {
    tarn_pool *enemies, *bullets;
    enemies_handle newest;
    unsigned frame, enemies_made, bullets_shot;
} world;

/* One thread's part of a frame. */
typedef struct part {
    world *w;
    tarn_range slots;
    tarn_cache *bullet_cache, *enemy_cache;
    unsigned hits, lost_aim, bullets_freed;
} part;

static bool move(void *context, bullet *b, bullets_handle handle)
{
    (void)handle;
    part *p = context;
    if (!tarn_handle_is_none(b->target.any)) {
        enemy *e = enemies_resolve(p->w->enemies, b->target);
        if (!e) {
            b->target.any = (tarn_handle){0};
            p->lost_aim++;
        } else if (abs(e->x - b->x) <= b->speed) {
            b->is_spent = true;
            p->hits += !atomic_exchange_explicit(&e->is_hit, true, memory_order_relaxed);
        } else {
            b->x += e->x > b->x ? b->speed : -b->speed;
        }
    }
    b->is_spent |= --b->frames_left == 0;
    return true;
}

/* The visitor may free what it visits. */
static bool free_spent(void *context, bullet *b, bullets_handle handle)
{
    part *p = context;
    if (b->is_spent)
        p->bullets_freed += bullets_release(p->bullet_cache, handle) == TARN_OK;
    return true;
}

static bool free_hit(void *context, enemy *e, enemies_handle handle)
{
    part *p = context;
    if (atomic_load_explicit(&e->is_hit, memory_order_relaxed))
        enemies_release(p->enemy_cache, handle);
    return true;
}

static void *move_part(void *argument)
{
    part *p = argument;
    bullets_each_in(p->w->bullets, p->slots, move, p);
    return NULL;
}

static void *free_part(void *argument)
{
    part *p = argument;
    bullets_each_in(p->w->bullets, p->slots, free_spent, p);
    return NULL;
}

/* Runs one step on all parts, and returns when all are done. Without threads, one after another. */
static void run(void *(*step)(void *), part *parts)
{
    pthread_t threads[THREADS];
    bool started[THREADS] = {false};
    for (int i = 1; i < THREADS; i++)
        started[i] = pthread_create(&threads[i], NULL, step, &parts[i]) == 0;
    step(&parts[0]);
    for (int i = 1; i < THREADS; i++) {
        if (started[i])
            pthread_join(threads[i], NULL);
        else
            step(&parts[i]);
    }
}

static void spawn(world *w, part *p)
{
    enemies_handle handle;
    enemy *e = enemies_take(p->enemy_cache, &handle); /* NULL: there are enough of them */
    if (e) {
        e->x = (int)(100 + w->frame * 7919u % 500u);
        atomic_init(&e->is_hit, false);
        w->newest = handle;
        w->enemies_made++;
    }
    for (int i = 0; i < SHOTS_EACH_FRAME; i++) {
        bullet *b = bullets_alloc(p->bullet_cache);
        if (!b) /* the air is full of them */
            return;
        *b =
            (bullet){.x = i, .speed = 9 + i % 5, .frames_left = FLIGHT_FRAMES, .target = w->newest};
        w->bullets_shot++;
    }
}

static void frame(world *w, part *parts)
{
    spawn(w, &parts[0]);
    size_t slots = tarn_each_slots(w->bullets);
    for (size_t i = 0; i < THREADS; i++)
        parts[i].slots = tarn_each_part(slots, i, THREADS);
    run(move_part, parts);
    run(free_part, parts);
    enemies_each(w->enemies, free_hit, &parts[0]);
    w->frame++;
}

static unsigned count(const tarn_pool *pool)
{
    tarn_pool_statistics statistics;
    tarn_pool_sample(pool, &statistics);
    return (unsigned)statistics.live;
}

static bool open_world(world *w, part *parts)
{
    tarn_pool_options enemy_options = enemies_options(ENEMIES);
    tarn_pool_options bullet_options = bullets_options(BULLETS);
    enemy_options.handles = bullet_options.handles = true;
    if (tarn_pool_create(&enemy_options, &w->enemies) != TARN_OK ||
        tarn_pool_create(&bullet_options, &w->bullets) != TARN_OK)
        return false;
    for (int i = 0; i < THREADS; i++) {
        parts[i] = (part){.w = w};
        if (tarn_cache_attach(w->bullets, &parts[i].bullet_cache) != TARN_OK ||
            tarn_cache_attach(w->enemies, &parts[i].enemy_cache) != TARN_OK)
            return false;
    }
    return true;
}

/* The scene ends: what still flies is dropped. */
static bool close_world(world *w)
{
    return tarn_pool_clear(w->bullets) == TARN_OK && tarn_pool_clear(w->enemies) == TARN_OK &&
           tarn_pool_destroy(w->bullets) == TARN_OK && tarn_pool_destroy(w->enemies) == TARN_OK;
}

/* Whether each enemy and each bullet ended once or is still there. */
static bool is_sound(const world *w, const part *parts)
{
    unsigned hits = 0, lost_aim = 0, bullets_freed = 0;
    for (int i = 0; i < THREADS; i++) {
        hits += parts[i].hits;
        lost_aim += parts[i].lost_aim;
        bullets_freed += parts[i].bullets_freed;
    }
    unsigned flying = count(w->bullets), left = count(w->enemies);
    printf("%u frames: %u enemies, %u hit, %u left; %u bullets, %u lost their aim, %u fly\n",
           w->frame, w->enemies_made, hits, left, w->bullets_shot, lost_aim, flying);
    return w->enemies_made == hits + left && w->bullets_shot == bullets_freed + flying;
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
        fprintf(stderr, "usage: bullets [--frames N]\n");
        return 2;
    }
    world w = {0};
    part parts[THREADS];
    if (!open_world(&w, parts)) {
        fprintf(stderr, "bullets: no memory\n");
        return 1;
    }
    while (w.frame < frames)
        frame(&w, parts);
    bool ok = is_sound(&w, parts);
    return close_world(&w) && ok ? 0 : 1;
}
