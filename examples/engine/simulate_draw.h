/* Draw commands: written in one frame, read in the next by whichever worker is free. We have no
 * renderer, so what is read goes into a sum. Part of simulate.h. */
#ifndef ENGINE_SIMULATE_DRAW_H
#define ENGINE_SIMULATE_DRAW_H

#include "world.h"

static void write_draw(tarn_worker *w, sector *s, draw command)
{
    draw *written = world_new_draw(w, s);
    if (!written) {
        s->refused++;
        return;
    }
    *written = command;
    s->transients.draws++;
}

static void write_bullets(tarn_worker *w, sector *s)
{
    const roster *bullets = &s->rosters[KIND_BULLET];
    for (uint32_t i = 0; i < bullets->count; i++) {
        const bullet *b = bullets->objects[i];
        write_draw(w, s, (draw){.of = b, .x = b->x, .y = b->y});
    }
}

static void write_explosion(tarn_worker *w, sector *s, fixed x, fixed y)
{
    const char *picture = world_text(w, s, "effects/sector-%u/%d-%d.png", (unsigned)s->index, x, y);
    if (!picture) {
        s->refused++;
        return;
    }
    s->transients.pictures++;
    write_draw(w, s, (draw){.picture = picture, .x = x, .y = y});
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
    shelf *from = context;
    uint64_t where = (uint64_t)(uint32_t)d->x << 32 | (uint32_t)d->y;
    uint64_t look = d->of ? (uint64_t)d->of->shooter << 16 | d->of->damage : sum_text(d->picture);
    from->drawn_sum += random_mix(where + random_mix(look + 1));
    from->drawn++;
    return true;
}

/* Draws what the shelf's worker wrote in the frame before. */
static void draw_shelf(tarn_worker *w, shelf *drawn)
{
    if (!world_enter(w))
        drawn->refused++;
    world_each_draw(drawn, draw_one);
    world_drop(drawn);
    world_leave(w);
}

#endif
