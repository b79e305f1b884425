/* Memory that goes with its frame, on malloc: each worker's shelf remembers what must be freed, and
 * when.
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

#define LEFTOVERS (FRAMES_IN_FLIGHT + 1)

/* Of the open frame, 0, or one that many frames before: the last one left to be dropped. */
static inline leftovers *leftovers_of(shelf *from, uint32_t frames_before)
{
    return &from->leftovers[(from->world->frames_ended + LEFTOVERS - frames_before) % LEFTOVERS];
}

static inline leftovers *leftovers_of_open(const tarn_worker *w, const sector *s)
{
    return leftovers_of(&s->world->shelves[w->index], 0);
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

static inline bool world_enter(tarn_worker *w)
{
    (void)w;
    return true;
}

static inline void world_leave(tarn_worker *w)
{
    (void)w;
}

static inline contact *world_contacts(tarn_worker *w, sector *s, uint32_t count)
{
    return remember(&leftovers_of_open(w, s)->pieces, count * sizeof(contact));
}

__attribute__((format(printf, 3, 4))) static char *world_text(tarn_worker *w, sector *s,
                                                              const char *format, ...)
{
    va_list values, again;
    va_start(values, format);
    va_copy(again, values);
    size_t bytes = (size_t)vsnprintf(NULL, 0, format, values) + 1;
    char *text = remember(&leftovers_of_open(w, s)->pieces, bytes);
    if (text)
        vsnprintf(text, bytes, format, again);
    va_end(again);
    va_end(values);
    return text;
}

static inline draw *world_new_draw(tarn_worker *w, sector *s)
{
    return remember(&leftovers_of_open(w, s)->draws, sizeof(draw));
}

static void world_each_draw(shelf *read, draws_visit_fn *visit)
{
    for (leftover *piece = leftovers_of(read, 1)->draws; piece; piece = piece->next)
        visit(read, (draw *)(piece + 1));
}

/* Nobody reads that any more, and nobody writes there before the next frame. */
static inline void world_drop(shelf *dropped)
{
    free_leftovers(leftovers_of(dropped, FRAMES_IN_FLIGHT));
}

/* A dead bullet is in no mailbox, so its link is free. */
static inline bool world_retire(tarn_worker *w, sector *s, bullet *b)
{
    leftovers *open = leftovers_of_open(w, s);
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
        shelf *from = &sampled->shelves[i];
        for (const leftover *l = leftovers_of(from, 1)->draws; l; l = l->next)
            sample->draws_waiting++;
        for (uint32_t back = 0; back < LEFTOVERS; back++)
            for (const bullet *b = leftovers_of(from, back)->bullets; b; b = b->next_in_mail)
                sample->retired_waiting++;
    }
}

#endif
