/* One fuzzed input: its bytes are read as calls on a few pools, each checked against a model. */
#ifndef TARN_TESTS_FUZZ_FUZZ_RUN_H
#define TARN_TESTS_FUZZ_FUZZ_RUN_H

#include <stddef.h>
#include <stdint.h>

/* Aborts, after a line on stderr, where the library and the model disagree. */
void fuzz_run(const uint8_t *bytes, size_t count);

#endif
