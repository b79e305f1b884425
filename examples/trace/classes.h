/* The sizes that requests are rounded up to; each has a pool of its own.
 *
 *   16, 32, 48 ... 256           steps of 16
 *   320, 384, 448, 512, 640 ...  four steps per doubling, to 256 KiB
 *
 * A request with an alignment goes to the smallest of them that is a multiple of it. What is
 * larger, or aligned beyond what a pool can, goes to malloc on both sides. */
#ifndef TARN_TRACE_CLASSES_H
#define TARN_TRACE_CLASSES_H

#include <stddef.h>

#define CLASS_COUNT         56u
#define CLASS_LARGE         CLASS_COUNT /* of a block that no pool serves */
#define CLASS_BYTES_MAX     ((size_t)256 << 10)
#define CLASS_ALIGNMENT_MIN ((size_t)16) /* what malloc promises */

/* For index < CLASS_COUNT. */
size_t class_bytes(unsigned index);

/* The class of a request; CLASS_LARGE when there is none. */
unsigned class_of(size_t bytes, size_t alignment);

#endif
