#include "subjects/pmr_frame.h"

#include <cstdint>
#include <memory_resource>
#include <new>

/* Its buffer holds a whole frame, so that it never asks the resource behind it. `final` lets the
 * compiler call what is virtual directly. */
struct pmr_frame final : std::pmr::monotonic_buffer_resource {
    pmr_frame(void *buffer, size_t bytes)
        : monotonic_buffer_resource(buffer, bytes, std::pmr::null_memory_resource())
    {
    }
};

pmr_frame *pmr_frame_create(void *buffer, size_t bytes)
{
    return new (std::nothrow) pmr_frame(buffer, bytes);
}

void pmr_frame_destroy(pmr_frame *frame)
{
    delete frame;
}

void pmr_frame_fill(pmr_frame *frame, size_t objects, size_t object_bytes)
{
    for (size_t i = 0; i < objects; i++) {
        void *object = frame->allocate(object_bytes);
        *static_cast<uint64_t *>(object) = i;
        __asm__ volatile("" : : "r"(object) : "memory");
    }
}

void pmr_frame_release(pmr_frame *frame)
{
    frame->release();
}
