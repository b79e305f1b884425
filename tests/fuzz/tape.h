/* The bytes of a fuzzed input, read as small numbers. At the end all are 0. */
#ifndef TARN_TESTS_FUZZ_TAPE_H
#define TARN_TESTS_FUZZ_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tape {
    const uint8_t *next, *end;
} tape;

static inline bool tape_has_more(const tape *t)
{
    return t->next < t->end;
}

static inline uint32_t tape_byte(tape *t)
{
    return tape_has_more(t) ? *t->next++ : 0;
}

#endif
