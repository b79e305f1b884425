#include "frame/drop.h"

#include "frame/deferred.h"
#include "frame/finalizers.h"
#include "frame/gate.h"
#include "frame/links.h"
#include "frame/watch.h"

void tarn_drop_(tarn_frame *frame, uint64_t number, uint64_t next)
{
    bool has_lists = !tarn_links_are_empty_(frame);
    uint32_t slot = tarn_frame_slot_(frame, next);
    if (number > 0 && has_lists)
        tarn_finalizers_run_(frame, tarn_frame_side_(frame, number));
    if (number > 0 && frame->is_watched)
        tarn_frame_watch_drop_(frame, number);
    /* What no lane has done since the frame before was dropped: its slot is the next frame's. */
    uint32_t home = tarn_frame_slot_(frame, next - 1);
    if (has_lists)
        tarn_deferred_run_(frame, slot, SIZE_MAX, (tarn_home){frame->host, home});
}

void tarn_drop_all_(tarn_frame *frame)
{
    uint64_t open = tarn_gate_number_(tarn_gate_look_(frame));
    uint64_t dropped = tarn_frame_dropped_(frame, open);
    for (uint64_t number = open; number > dropped; number--) {
        tarn_finalizers_run_(frame, tarn_frame_side_(frame, number));
        if (frame->is_watched)
            tarn_frame_watch_drop_(frame, number);
    }
    for (uint32_t slot = 0; slot < frame->slots; slot++)
        tarn_deferred_run_(frame, slot, SIZE_MAX, (tarn_home){NULL, 0});
}
