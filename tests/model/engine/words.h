/* Which atomic words are shared: used by two threads in one run, one of them writing. */
#ifndef TARN_MODEL_WORDS_H
#define TARN_MODEL_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#define WORD_PRIVATE UINT32_MAX

void words_forget(void);
void words_begin_run(void);

/* Notes a use. Returns the word's number among the shared ones, or WORD_PRIVATE. */
uint32_t words_touch(const void *address, uint32_t thread, bool writes);

/* Numbers the words that the runs so far have shown to be shared. Returns whether any is new. */
bool words_adopt_shared(void);
uint32_t words_shared_count(void);

#endif
