#include "engine/words.h"

#include "engine/failure.h"
#include "engine/knowledge.h"

#include <string.h>

#define WORDS_MAX 4096u

typedef struct word {
    const void *address;
    uint64_t run;
    uint32_t number;
    uint8_t users, writers; /* a bit for each thread, in this run */
} word;

static struct {
    word table[WORDS_MAX];
    word *fresh[MODEL_CELLS_MAX];
    uint32_t fresh_count, shared_count;
    uint64_t run;
} words;

void words_forget(void)
{
    memset(words.table, 0, sizeof words.table);
    words.fresh_count = words.shared_count = 0;
}

void words_begin_run(void)
{
    words.run++;
}

static word *find(const void *address)
{
    uint32_t place = (uint32_t)(((uintptr_t)address * UINT64_C(0x9E3779B97F4A7C15)) >> 40);
    for (uint32_t tries = 0; tries < WORDS_MAX; tries++) {
        word *found = &words.table[(place + tries) % WORDS_MAX];
        if (found->address == address)
            return found;
        if (found->address)
            continue;
        *found = (word){.address = address, .number = WORD_PRIVATE};
        return found;
    }
    model_fail("more than %u atomic words", WORDS_MAX);
    return &words.table[0];
}

static bool is_noted(const word *found)
{
    for (uint32_t i = 0; i < words.fresh_count; i++)
        if (words.fresh[i] == found)
            return true;
    return false;
}

static void note_if_shared(word *found)
{
    bool has_two = (found->users & (found->users - 1)) != 0;
    if (!has_two || !found->writers || is_noted(found))
        return;
    if (words.fresh_count + words.shared_count == MODEL_CELLS_MAX)
        model_fail("more than %u shared words: make the client smaller", MODEL_CELLS_MAX);
    words.fresh[words.fresh_count++] = found;
}

uint32_t words_touch(const void *address, uint32_t thread, bool writes)
{
    word *found = find(address);
    if (found->number != WORD_PRIVATE)
        return found->number;
    if (found->run != words.run) {
        found->run = words.run;
        found->users = found->writers = 0;
    }
    found->users |= (uint8_t)(1u << thread);
    if (writes)
        found->writers |= (uint8_t)(1u << thread);
    note_if_shared(found);
    return WORD_PRIVATE;
}

bool words_adopt_shared(void)
{
    bool any = words.fresh_count > 0;
    for (uint32_t i = 0; i < words.fresh_count; i++)
        words.fresh[i]->number = words.shared_count++;
    words.fresh_count = 0;
    return any;
}

uint32_t words_shared_count(void)
{
    return words.shared_count;
}
