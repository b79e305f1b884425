/* Draw commands: written in one frame, read in the next by another worker than the one that wrote
 * them. We have no renderer, so what is read goes into a sum. Part of simulate.h. */
#ifndef ENGINE_SIMULATE_DRAW_H
#define ENGINE_SIMULATE_DRAW_H

#include "world.h"

static void write_draw(worker *w, draw command)
{
    draw *written = world_new_draw(w);
    if (!written) {
        w->refused++;
        return;
    }
    *written = command;
    w->transients.draws++;
}

static void write_bullets(worker *w)
{
    const roster *bullets = &w->rosters[KIND_BULLET];
    for (uint32_t i = 0; i < bullets->count; i++) {
        const bullet *b = bullets->objects[i];
        write_draw(w, (draw){.of = b, .x = b->x, .y = b->y});
    }
}

static void write_explosion(worker *w, fixed x, fixed y)
{
    const char *picture = world_text(w, "effects/sector-%u/%d-%d.png", (unsigned)w->index, x, y);
    if (!picture) {
        w->refused++;
        return;
    }
    w->transients.pictures++;
    write_draw(w, (draw){.picture = picture, .x = x, .y = y});
}

static uint64_t sum_text(const char *text)
{
    uint64_t sum = 0;
    for (; *text; text++)
        sum = random_mix(sum + (unsigned char)*text) + 1;
    return sum;
}

static bool draw_one(void *context, draw *d)
{
    worker *w = context;
    uint64_t where = (uint64_t)(uint32_t)d->x << 32 | (uint32_t)d->y;
    uint64_t look = d->of ? (uint64_t)d->of->shooter << 16 | d->of->damage : sum_text(d->picture);
    w->transients.drawn_sum += random_mix(where + random_mix(look + 1));
    w->transients.drawn++;
    return true;
}

static void draw_frame_before(worker *w)
{
    uint32_t workers = w->world->options->threads;
    world_each_draw(w, (w->index + 1) % workers, draw_one);
}

#endif
