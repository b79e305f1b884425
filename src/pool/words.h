/* The words of the environment variable TARN_CHECK: see tarn/check.h. */
#ifndef TARN_POOL_WORDS_H
#define TARN_POOL_WORDS_H

#include "tarn/check.h"

/* Called with each word that is unknown or whose number is out of range; it is not ended by a
 * zero. */
typedef void tarn_word_refused_fn(void *context, const char *word, size_t length);

/* Adds what the words ask for to *options. Returns whether there was any word to follow. */
bool tarn_words_read_(const char *words, tarn_check_options *options, tarn_word_refused_fn *refused,
                      void *context);

#endif
