/* Memory that goes with its frame, on malloc: each worker remembers what it must free, and when.
 * Part of backend_malloc.c. */
#ifndef ENGINE_FRAME_MALLOC_H
#define ENGINE_FRAME_MALLOC_H

#include "backend.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* What stands before each piece. */
struct leftover {
    _Alignas(16) leftover *next;
};

static inline leftovers *leftovers_of_open(worker *w)
{
    return &w->leftovers[w->world->frames_ended % FRAMES_IN_FLIGHT];
}

static inline leftovers *leftovers_of_last(worker *w)
{
    return &w->leftovers[(w->world->frames_ended + FRAMES_IN_FLIGHT - 1) % FRAMES_IN_FLIGHT];
}

static void *remember(leftover **chain, size_t bytes)
{
    leftover *piece = malloc(sizeof *piece + bytes);
    if (!piece)
        return NULL;
    piece->next = *chain;
    *chain = piece;
    return piece + 1;
}

static void free_chain(leftover **chain)
{
    while (*chain) {
        leftover *next = (*chain)->next;
        free(*chain);
        *chain = next;
    }
}

static void free_leftovers(leftovers *all)
{
    free_chain(&all->pieces);
    free_chain(&all->draws);
    while (all->bullets) {
        bullet *next = all->bullets->next_in_mail;
        free(all->bullets);
        all->bullets = next;
    }
}

/* Frees what the frame before the last one left, in whose place the open one puts its own. */
static inline bool world_enter(worker *w)
{
    free_leftovers(leftovers_of_open(w));
    return true;
}

static inline void world_leave(worker *w)
{
    (void)w;
}

static inline contact *world_contacts(worker *w, uint32_t count)
{
    return remember(&leftovers_of_open(w)->pieces, count * sizeof(contact));
}

__attribute__((format(printf, 2, 3))) static char *world_text(worker *w, const char *format, ...)
{
    va_list values, again;
    va_start(values, format);
    va_copy(again, values);
    size_t bytes = (size_t)vsnprintf(NULL, 0, format, values) + 1;
    char *text = remember(&leftovers_of_open(w)->pieces, bytes);
    if (text)
        vsnprintf(text, bytes, format, again);
    va_end(again);
    va_end(values);
    return text;
}

static inline draw *world_new_draw(worker *w)
{
    return remember(&leftovers_of_open(w)->draws, sizeof(draw));
}

/* Part `part` of what the frame before wrote: that of one worker. */
static void world_each_draw(worker *w, uint32_t part, draws_visit_fn *visit)
{
    const leftovers *last = leftovers_of_last(&w->world->workers[part]);
    for (leftover *piece = last->draws; piece; piece = piece->next)
        visit(w, (draw *)(piece + 1));
}

/* A dead bullet is in no mailbox, so its link is free. */
static inline bool world_retire(worker *w, bullet *b)
{
    leftovers *open = leftovers_of_open(w);
    b->next_in_mail = open->bullets;
    open->bullets = b;
    return true;
}

static tarn_status end_frame(world *ended)
{
    ended->frames_ended++;
    return TARN_OK;
}

static void sample_frame(const world *sampled, frame_sample *sample)
{
    *sample = (frame_sample){0};
    for (uint32_t i = 0; i < sampled->options->threads; i++) {
        worker *w = &sampled->workers[i];
        for (const leftover *l = leftovers_of_last(w)->draws; l; l = l->next)
            sample->draws_waiting++;
        for (int side = 0; side < FRAMES_IN_FLIGHT; side++)
            for (const bullet *b = w->leftovers[side].bullets; b; b = b->next_in_mail)
                sample->retired_waiting++;
    }
}

#endif
