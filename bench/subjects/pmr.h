/* std::pmr::monotonic_buffer_resource. */
#include "subjects/frame_apart.h"
#include "subjects/pmr_frame.h"

#define SUBJECT_FILLS

typedef struct pmr_frame *subject_handle;

static bool subject_open(const subject_needs *needs)
{
    return frame_apart_open(needs);
}

static bool subject_enter(unsigned thread, subject_handle *handle)
{
    size_t bytes = frame_apart_bytes();
    (void)thread;
    *handle = pmr_frame_create(bench_pages(bytes), bytes);
    return *handle != NULL;
}

static void subject_leave(subject_handle frame)
{
    pmr_frame_destroy(frame);
}

static inline void subject_begin(subject_handle frame)
{
    (void)frame;
}

static inline void subject_fill(subject_handle frame, size_t objects)
{
    pmr_frame_fill(frame, objects, subject_each.object_bytes);
}

static inline void subject_finish(subject_handle frame)
{
    pmr_frame_release(frame);
}
