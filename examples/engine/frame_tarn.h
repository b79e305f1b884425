/* Memory that goes with its frame, on tarn: each worker's lane. Part of backend_tarn.c. */
#ifndef ENGINE_FRAME_TARN_H
#define ENGINE_FRAME_TARN_H

#include "backend.h"

#include <stdarg.h>
#include <stdio.h>

/* The first time in a frame, this also frees bullets that were drawn, whoever retired them. */
static inline bool world_enter(tarn_worker *w)
{
    return tarn_lane_enter(w->lane) == TARN_OK;
}

static inline void world_leave(tarn_worker *w)
{
    tarn_lane_leave(w->lane);
}

static inline contact *world_contacts(tarn_worker *w, sector *s, uint32_t count)
{
    (void)s;
    return tarn_frame_array(w->lane, contact, count);
}

__attribute__((format(printf, 3, 4))) static char *world_text(tarn_worker *w, sector *s,
                                                              const char *format, ...)
{
    (void)s;
    va_list values;
    va_start(values, format);
    char *text = tarn_frame_vprintf(w->lane, format, values);
    va_end(values);
    return text;
}

static inline draw *world_new_draw(tarn_worker *w, sector *s)
{
    return draws_alloc(s->world->draws, w->lane);
}

/* There are as many lanes as workers, so the shelves are all lanes, whoever has which. */
static void world_each_draw(shelf *read, draws_visit_fn *visit)
{
    uint64_t before = tarn_frame_number(read->world->frame) - 1;
    draws_each_in(read->world->draws, before, read->index, visit, read);
}

/* The frame does it. */
static inline void world_drop(shelf *dropped)
{
    (void)dropped;
}

static inline bool world_retire(tarn_worker *w, sector *s, bullet *b)
{
    return tarn_frame_defer_free(w->lane, s->world->pools[KIND_BULLET], b) == TARN_OK;
}

/* Between two frames: the frame before was drawn in the one that ends. */
static tarn_status end_frame(world *ended)
{
    uint64_t drawn = tarn_frame_number(ended->frame) - 1;
    tarn_status status = tarn_frame_complete(ended->frame, drawn);
    return status == TARN_OK ? tarn_frame_end(ended->frame, 0, NULL) : status;
}

/* The contacts of the hardest frame fit half of it. What does not gets memory of its own, which
 * goes back to the system when no frame has used it for a while: that would be calls after the
 * warm-up.
 */
#define BLOCK_BYTES ((size_t)256 << 10)

/* Gated: it is the engine that says when a frame is drawn. */
static tarn_status open_frame(world *opened)
{
    tarn_frame_options wanted = {
        .name = "frame",
        .frames_in_flight = FRAMES_IN_FLIGHT,
        .gated = true,
        .lanes_max = opened->options->threads,
        .block_bytes = BLOCK_BYTES,
        .memory = &opened->hooks.memory,
    };
    tarn_frame_pool_options commands = {.name = "draw commands"};
    tarn_status status = tarn_frame_create(&wanted, &opened->frame);
    if (status == TARN_OK)
        status = draws_create(opened->frame, commands, &opened->draws);
    return status;
}

static void sample_frame(const world *sampled, frame_sample *sample)
{
    tarn_frame_statistics now;
    tarn_frame_sample(sampled->frame, &now);
    *sample = (frame_sample){
        .draws_waiting = tarn_frame_pool_count(sampled->draws, now.frame - 1),
        .retired_waiting = now.deferred,
        .held_bytes = now.held_bytes,
        .overflows = now.overflows_full + now.overflows_too_large,
    };
    for (uint32_t i = 0; i < sampled->options->threads; i++) {
        tarn_lane_statistics lane;
        tarn_lane_sample(sampled->frame, i, &lane);
        if (lane.bytes_peak > sample->lane_bytes_peak)
            sample->lane_bytes_peak = lane.bytes_peak;
    }
}

#endif
