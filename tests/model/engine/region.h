/* The memory that runs change, and that each run begins with anew: everything in the section
 * model_state, which are the clients' variables (MODEL_STATE) and the arena that pools get their
 * memory from. It is copied once after a client's set-up; what a run has changed is restored. */
#ifndef TARN_MODEL_REGION_H
#define TARN_MODEL_REGION_H

#include <stddef.h>
#include <stdint.h>

#define MODEL_STATE __attribute__((section("model_state")))

#define MODEL_PAGE_BYTES ((size_t)4096)

/* Makes everything zero, and the arena empty. */
void region_clear(void);

/* Keeps the content as what each run begins with. */
void region_keep(void);
void region_restore(void);

/* A range is about to be written. */
void region_mark(const void *address, size_t bytes);

/* Atomic words as they lie in memory; bytes is 1, 2, 4 or 8. */
uint64_t region_read(const void *address, uint32_t bytes);
void region_write(void *address, uint32_t bytes, uint64_t value);

/* Page-aligned memory of the arena, zero; NULL when there is not enough. */
void *region_take_pages(size_t bytes, size_t alignment);

/* The arena, to tell and to name what lies in it. */
const char *region_arena(void);
size_t region_arena_bytes(void);

#endif
