/* Telling memory checkers what the allocator knows: which bytes nobody may touch, and which hold
 * nothing yet. AddressSanitizer and MemorySanitizer where the library is built with them,
 * Valgrind's memcheck where its header was found (TARN_VALGRIND) and the process runs under it.
 * Where none watches, each call returns at once.
 *
 * AddressSanitizer keeps a byte for each 8 bytes: ranges that share such a unit with memory in
 * another's hands must not be hidden. */
#ifndef TARN_BASE_INSPECT_H
#define TARN_BASE_INSPECT_H

#include <stdbool.h>
#include <stddef.h>

#define TARN_INSPECT_UNIT_BYTES 8u

#if defined(__SANITIZE_ADDRESS__)
#define TARN_INSPECTS_ADDRESSES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TARN_INSPECTS_ADDRESSES 1
#endif
#if __has_feature(memory_sanitizer)
#define TARN_INSPECTS_CONTENT 1
#endif
#endif

/* Whether any of them watches this process. */
bool tarn_inspect_is_on(void);

/* Nobody may touch the bytes; what they hold counts as nothing from now on. */
void tarn_inspect_hide(const void *start, size_t bytes);

/* The same for memory that was never used, however much, where that costs little; and back. */
void tarn_inspect_hide_unused(const void *start, size_t bytes);
void tarn_inspect_show_unused(const void *start, size_t bytes);

/* The bytes may be touched, and what they hold counts. */
void tarn_inspect_show(const void *start, size_t bytes);

/* What the bytes hold counts as nothing until it is written. They may be touched already. */
void tarn_inspect_forget(const void *start, size_t bytes);

/* The first byte of what must be live memory: the checker complains if it is hidden. */
void tarn_inspect_expect_shown(const void *start);

/* Memory that leak detectors search for pointers, but for what is hidden in it; and no more. */
void tarn_inspect_add_roots(const void *start, size_t bytes);
void tarn_inspect_drop_roots(const void *start, size_t bytes);

/* An allocator by its address, and its blocks, for memcheck. What a block holds counts. */
void tarn_inspect_begin_allocator(const void *allocator);
void tarn_inspect_end_allocator(const void *allocator);
void tarn_inspect_begin_block(const void *allocator, const void *start, size_t bytes);
void tarn_inspect_end_block(const void *allocator, const void *start);

#endif
