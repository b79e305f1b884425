/* Resident memory of the subjects. */
#ifndef TARN_BENCH_MEMORY_H
#define TARN_BENCH_MEMORY_H

#include "driver/options.h"

#define MEMORY_OBJECTS         1000000u
#define MEMORY_OBJECT_BYTES    64u
#define MEMORY_CREATE_CAPACITY ((size_t)1 << 30)

/* Bytes that the live objects take beyond the empty process. False after a line on stderr. */
bool memory_live(bench_subject subject, double *bytes);

/* Bytes that creating a tarn pool of MEMORY_CREATE_CAPACITY touches before its first allocation. */
bool memory_creation(double *bytes);

/* Resident bytes of a program after 10,000 frames of frame memory over those after 100. False after
 * a line on stderr. */
bool memory_frames(double *ratio);

/* Prints the first for all chosen subjects that allocate, and the others. Returns how many runs
 * failed. */
unsigned memory_print(const options *o);

#endif
