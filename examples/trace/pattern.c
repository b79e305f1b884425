#include "pattern.h"

#include <string.h>

static uint64_t word_at(uint32_t number, size_t offset)
{
    uint64_t word = ((uint64_t)number + 1) * UINT64_C(0x9E3779B97F4A7C15);
    return word ^ (offset / 8 + 1) * UINT64_C(0xD6E8FEB86659FD93);
}

void pattern_fill(void *block, uint32_t number, size_t from, size_t to)
{
    unsigned char *at = block;
    for (size_t i = from; i < to; i += 8) {
        uint64_t word = word_at(number, i);
        memcpy(at + i, &word, to - i < 8 ? to - i : 8);
    }
}

static size_t first_difference(const unsigned char *at, uint64_t word, size_t bytes)
{
    unsigned char right[8];
    memcpy(right, &word, 8);
    size_t i = 0;
    while (i < bytes && at[i] == right[i])
        i++;
    return i;
}

size_t pattern_check(const void *block, uint32_t number, size_t bytes)
{
    const unsigned char *at = block;
    for (size_t i = 0; i < bytes; i += 8) {
        size_t part = bytes - i < 8 ? bytes - i : 8;
        size_t same = first_difference(at + i, word_at(number, i), part);
        if (same < part)
            return i + same;
    }
    return bytes;
}
