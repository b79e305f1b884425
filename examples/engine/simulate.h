/* One frame of one sector. Compiled once per backend: the including file defines world_alloc and
 * its like first (backend.h says which and why), and takes the steps, draw_shelf and tear_down from
 * here. */
#ifndef ENGINE_SIMULATE_H
#define ENGINE_SIMULATE_H

#include "world.h"

/* All objects are born and die in these three functions, whichever allocator is behind them. */
static inline void *born(tarn_worker *w, sector *s, kind which)
{
    void *object = world_alloc(w, which);
    if (object)
        s->born[which]++;
    else
        s->refused++;
    return object;
}

static inline void bury(tarn_worker *w, sector *s, kind which, void *object)
{
    s->died[which]++;
    world_free(w, which, object);
}

/* For bullets that were drawn: the frame before is being drawn, and this one will be. */
static inline void retire(tarn_worker *w, sector *s, bullet *b)
{
    s->died[KIND_BULLET]++;
    s->transients.retired++;
    if (!world_retire(w, s, b))
        s->refused++;
}

/* Puts an object on its kind's roster. A full roster counts as a refusal; the caller buries. */
static bool keep(sector *s, kind which, void *object)
{
    roster *into = &s->rosters[which];
    if (into->count == into->count_max) {
        s->refused++;
        return false;
    }
    into->objects[into->count++] = object;
    return true;
}

/* Swaps the last into the gap. */
static inline void roster_remove(roster *from, uint32_t position)
{
    from->objects[position] = from->objects[--from->count];
}

#include "simulate_draw.h"

#include "simulate_bullets.h"
#include "simulate_plans.h"

/* The steps of a frame; which of them may overlap, graph.c says. Those that use frame memory are
 * inside the frame meanwhile, with the lane of the worker that they run on. */
static void simulate(tarn_worker *w, sector *s)
{
    if (!world_enter(w))
        s->refused++;
    fire_emitters(w, s);
    move_bullets(w, s);
    world_leave(w);
}

static void collide(tarn_worker *w, sector *s)
{
    if (!world_enter(w))
        s->refused++;
    collide_bullets(w, s);
    world_leave(w);
}

static void think(tarn_worker *w, sector *s)
{
    follow_plans(w, s);
    search_plans(w, s);
}

static void animate(tarn_worker *w, sector *s)
{
    fade_particles(w, s);
}

static void build_draws(tarn_worker *w, sector *s)
{
    if (!world_enter(w))
        s->refused++;
    sector *left = world_left_of(s);
    sector *right = world_right_of(s);
    take_bullets(w, s, &left->outbox[RIGHT]);
    take_bullets(w, s, &right->outbox[LEFT]);
    take_plans(w, s, &left->outbox[RIGHT]);
    write_bullets(w, s);
    world_leave(w);
}

/* Nothing is drawn any more. */
static void tear_down(tarn_worker *w, sector *s)
{
    roster *rosters = s->rosters;
    for (kind which = KIND_BULLET; which <= KIND_PARTICLE; which++) {
        while (rosters[which].count > 0)
            bury(w, s, which, rosters[which].objects[--rosters[which].count]);
    }
    while (rosters[KIND_NODE].count > 0)
        bury_tree(w, s, rosters[KIND_NODE].objects[--rosters[KIND_NODE].count]);
}

#endif
