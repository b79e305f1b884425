/* The content that a block has while it is alive in a checked replay: it depends on the block's
 * number and the place in it, so that any overlap with another block, or a moved byte, shows. */
#ifndef TARN_TRACE_PATTERN_H
#define TARN_TRACE_PATTERN_H

#include <stddef.h>
#include <stdint.h>

/* Writes the bytes [from, to) of the block's content. from is a multiple of 8. */
void pattern_fill(void *block, uint32_t number, size_t from, size_t to);

/* Returns the offset of the first wrong byte; `bytes` when all are right. */
size_t pattern_check(const void *block, uint32_t number, size_t bytes);

#endif
