/* Two threads told step by step on one: the subject runs, and before each of its atomic accesses
 * the other thread may act. For tests whose library is built with TARN_SCHEDULE. */
#ifndef TARN_TESTS_SUPPORT_INTERLEAVE_H
#define TARN_TESTS_SUPPORT_INTERLEAVE_H

#include <stdint.h>

typedef void interleave_subject(void *context);

/* The subject is about to make its point-th access, counted from 1. */
typedef void interleave_other(void *context, uint32_t point);

/* Runs the subject with the other in between. What the other does itself is not interrupted.
 * Returns how many accesses the subject made. */
uint32_t interleave(interleave_subject *subject, interleave_other *other, void *context);

#endif
