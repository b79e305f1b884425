#include "pool/words.h"

#include <string.h>

#define RED_ZONE_BYTES_DEFAULT 16u

typedef struct word {
    const char *name;
    size_t name_length, length;
    bool has_number;
    uint64_t number;
} word;

/* A number of digits alone, at least one, that fits. */
static bool read_number(const char *text, size_t length, uint64_t *number)
{
    *number = 0;
    for (size_t i = 0; i < length; i++) {
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (text[i] < '0' || text[i] > '9' || *number > (UINT64_MAX - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return length > 0;
}

static bool split(const char *text, size_t length, word *w)
{
    const char *equals = memchr(text, '=', length);
    *w = (word){.name = text, .name_length = length, .length = length};
    if (!equals)
        return true;
    w->name_length = (size_t)(equals - text);
    w->has_number = true;
    return read_number(equals + 1, length - w->name_length - 1, &w->number);
}

static bool is(const word *w, const char *name, bool has_number)
{
    return w->has_number == has_number && w->name_length == strlen(name) &&
           memcmp(w->name, name, w->name_length) == 0;
}

static bool set_bounded(uint32_t *field, uint64_t number, uint64_t max)
{
    if (number > max)
        return false;
    *field = (uint32_t)number;
    return true;
}

static bool follow_number(const word *w, tarn_check_options *options)
{
    if (is(w, "redzone", true))
        return set_bounded(&options->red_zone_bytes, w->number, TARN_RED_ZONE_BYTES_MAX);
    if (is(w, "quarantine", true))
        return set_bounded(&options->quarantine_objects, w->number, TARN_QUARANTINE_MAX);
    if (is(w, "fail", true))
        return set_bounded(&options->fail_one_in, w->number, UINT32_MAX);
    if (is(w, "seed", true)) {
        options->seed = w->number;
        return true;
    }
    return false;
}

static bool follow(const word *w, tarn_check_options *options)
{
    if (is(w, "on", false))
        return true;
    if (is(w, "fill", false))
        return options->fill = true;
    if (is(w, "random", false))
        return options->random_order = true;
    if (is(w, "redzone", false)) {
        options->red_zone_bytes = RED_ZONE_BYTES_DEFAULT;
        return true;
    }
    return follow_number(w, options);
}

bool tarn_words_read_(const char *words, tarn_check_options *options, tarn_word_refused_fn *refused,
                      void *context)
{
    bool any = false;
    while (*words) {
        size_t length = strcspn(words, ",");
        word w;
        if (length > 0 && split(words, length, &w) && follow(&w, options))
            any = true;
        else if (length > 0)
            refused(context, words, length);
        words += length + (words[length] == ',');
    }
    return any;
}
