/* One frame of one sector. Compiled once per backend: the including file defines world_alloc and
 * its like first (backend.h says which and why), and takes step, receive and tear_down from here.
 */
#ifndef ENGINE_SIMULATE_H
#define ENGINE_SIMULATE_H

#include "world.h"

/* All objects are born and die in these three functions, whichever allocator is behind them. */
static inline void *born(worker *w, kind which)
{
    void *object = world_alloc(w, which);
    if (object)
        w->born[which]++;
    else
        w->refused++;
    return object;
}

static inline void bury(worker *w, kind which, void *object)
{
    w->died[which]++;
    world_free(w, which, object);
}

/* For bullets that were drawn: the frame before is being drawn, and this one will be. */
static inline void retire(worker *w, bullet *b)
{
    w->died[KIND_BULLET]++;
    w->transients.retired++;
    if (!world_retire(w, b))
        w->refused++;
}

/* Puts an object on its kind's roster. A full roster counts as a refusal; the caller buries. */
static bool keep(worker *w, kind which, void *object)
{
    roster *into = &w->rosters[which];
    if (into->count == into->count_max) {
        w->refused++;
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

static void step(worker *w, uint32_t power)
{
    if (!world_enter(w))
        w->refused++;
    draw_frame_before(w);
    fire_emitters(w, power);
    collide_bullets(w);
    fade_particles(w);
    follow_plans(w);
    search_plans(w, power);
}

static void receive(worker *w)
{
    uint32_t workers = w->world->options->threads;
    worker *left = &w->world->workers[(w->index + workers - 1) % workers];
    worker *right = &w->world->workers[(w->index + 1) % workers];
    take_bullets(w, &left->outbox[RIGHT]);
    take_bullets(w, &right->outbox[LEFT]);
    take_plans(w, &left->outbox[RIGHT]);
    write_bullets(w);
    world_leave(w);
}

/* Nothing is drawn any more. */
static void tear_down(worker *w)
{
    roster *rosters = w->rosters;
    for (kind which = KIND_BULLET; which <= KIND_PARTICLE; which++) {
        while (rosters[which].count > 0)
            bury(w, which, rosters[which].objects[--rosters[which].count]);
    }
    while (rosters[KIND_NODE].count > 0)
        bury_tree(w, rosters[KIND_NODE].objects[--rosters[KIND_NODE].count]);
}

#endif
