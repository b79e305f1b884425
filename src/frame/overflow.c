#include "frame/overflow.h"

#include "frame/lane.h"

void tarn_overflow_count_(tarn_lane_state *lane, size_t bytes, bool is_too_large)
{
    tarn_frame *frame = lane->frame;
    /* relaxed: figures for samples. */
    tarn_u64_fetch_add_relaxed(is_too_large ? &lane->overflows_too_large : &lane->overflows_full,
                               1);
    if (!frame->options.overflow)
        return;
    /* relaxed: it decides who tells the host, and hands on nothing else. */
    uint64_t told = tarn_u64_load_relaxed(&frame->overflow_frame);
    while (told < lane->hot.frame) {
        if (!tarn_u64_cas_weak_relaxed(&frame->overflow_frame, &told, lane->hot.frame))
            continue;
        char label[TARN_LANE_LABEL_BYTES_MAX];
        tarn_lane_label_(lane, label);
        tarn_frame_overflow overflow = {lane->hot.frame, lane->hot.index, label, bytes,
                                        is_too_large};
        frame->options.overflow(frame->options.overflow_context, &overflow);
        return;
    }
}

bool tarn_overflow_ask_(tarn_lane_state *lane, size_t bytes, uint32_t attempt)
{
    const tarn_frame_options *options = &lane->frame->options;
    if (options->full && options->full(options->full_context, lane->frame, bytes, attempt))
        return true;
    tarn_overflow_count_(lane, bytes, false);
    return false;
}
