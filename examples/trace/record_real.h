/* The allocator that the recorded program would have had: the next one behind this library. */
#ifndef TARN_RECORD_REAL_H
#define TARN_RECORD_REAL_H

#include <stddef.h>

/* As the functions they are named after; from any thread, at any time. Until the real ones are
 * known (looking them up allocates), memory comes from a small static buffer. */
void *real_malloc(size_t bytes);
void *real_calloc(size_t count, size_t bytes);
void *real_realloc(void *block, size_t bytes);
void real_free(void *block);
int real_posix_memalign(void **block, size_t alignment, size_t bytes);
void *real_aligned_alloc(size_t alignment, size_t bytes);
void *real_memalign(size_t alignment, size_t bytes);
void *real_valloc(size_t bytes);
void *real_pvalloc(size_t bytes);

#endif
