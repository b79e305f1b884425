/* One run: a world from its creation to its end, on one backend. */
#ifndef ENGINE_RUN_H
#define ENGINE_RUN_H

#include "backend.h"

/* Work figures cover the whole run; "after the warm-up" means up to the last measured frame. */
typedef struct run_result {
    uint64_t checksum; /* of the world after the last frame */
    uint64_t born[KIND_COUNT], died[KIND_COUNT];
    uint64_t counted[KIND_COUNT];   /* alive after the last frame, by walking over them */
    uint64_t live_peak[KIND_COUNT]; /* at the end of any frame */
    uint64_t measured_born;         /* of all kinds, after the warm-up */
    uint64_t refused;
    transients transients;
    uint64_t drawn;             /* draw commands, read */
    uint64_t drawn_sum;         /* of all that was read, in no order */
    frame_sample frame;         /* after the last frame */
    tarn_status ended;          /* TARN_OK: every frame did */
    size_t resident_bytes_peak; /* beyond what was resident before the allocator was opened */
    uint64_t page_faults;       /* after the warm-up */
    uint64_t hook_calls_before, hook_calls_after; /* the warm-up's end */
    pool_sample pools[KIND_COUNT];                /* after the last frame */
    tarn_status closed;                           /* TARN_OK: nothing leaked */
} run_result;

/* Runs settings->frames measured frames after the warm-up; their times go to
 * frame_ns[0..frames). On failure prints one line to stderr and returns false. */
bool run_world(const backend *on, const options *settings, uint64_t *frame_ns, run_result *result);

#endif
