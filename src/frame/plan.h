/* What a frame's options come to. Pure arithmetic; all of it checked. */
#ifndef TARN_FRAME_PLAN_H
#define TARN_FRAME_PLAN_H

#include "tarn/frame.h"

typedef struct tarn_frame_plan {
    tarn_frame_options options; /* with every default filled in */
    tarn_memory memory;
    size_t lanes_offset_bytes, links_offset_bytes, reserved_bytes;
    bool is_checked;
} tarn_frame_plan;

/* TARN_OK, TARN_ERROR_INVALID or TARN_ERROR_TOO_LARGE. */
tarn_status tarn_frame_plan_(const tarn_frame_options *options, tarn_frame_plan *plan);

#endif
