/* A frame of a C++ program's, for the worker in C: the loop is on the C++ side, so that its calls
 * are inlined. */
#ifndef TARN_BENCH_SUBJECT_PMR_FRAME_H
#define TARN_BENCH_SUBJECT_PMR_FRAME_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Over the buffer, which stays the caller's; NULL when there is no memory. */
struct pmr_frame *pmr_frame_create(void *buffer, size_t bytes);
void pmr_frame_destroy(struct pmr_frame *frame);

/* Allocates the objects and writes their first words. */
void pmr_frame_fill(struct pmr_frame *frame, size_t objects, size_t object_bytes);

/* Back to the start of the buffer. */
void pmr_frame_release(struct pmr_frame *frame);

#ifdef __cplusplus
}
#endif
#endif
