#include "pool/checks.h"

#include "base/inspect.h"
#include "pool/words.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef TARN_CHECKED
#define CHECKED_BY_DEFAULT true
#else
#define CHECKED_BY_DEFAULT false
#endif

#define RED_ZONE_BYTES_INSPECTED 16u

typedef struct asker {
    const char *whose, *name;
} asker;

static void refuse(void *context, const char *word, size_t length)
{
    const asker *who = context;
    fprintf(stderr, "tarn: %s \"%s\": TARN_CHECK: \"%.*s\" is not understood\n", who->whose,
            who->name, (int)length, word);
}

bool tarn_checks_asked_for_(const char *whose, const char *name, tarn_check_options *options)
{
    const char *words = getenv("TARN_CHECK");
    asker who = {whose, name};
    return words && tarn_words_read_(words, options, refuse, &who);
}

/* What the environment says comes last, so that it can also take a red zone away. */
tarn_checks tarn_checks_for_(const tarn_pool_options *options)
{
    tarn_checks checks = {.is_checked = options->checked || CHECKED_BY_DEFAULT,
                          .is_inspected = tarn_inspect_is_on()};
    if (checks.is_checked)
        checks.options = options->check;
    checks.options.keeps_content = options->check.keeps_content;
    if (checks.is_inspected && checks.options.red_zone_bytes == 0)
        checks.options.red_zone_bytes = RED_ZONE_BYTES_INSPECTED;
    char name[TARN_POOL_NAME_BYTES_MAX];
    snprintf(name, sizeof name, "%s", options->name ? options->name : "pool");
    if (tarn_checks_asked_for_("pool", name, &checks.options))
        checks.is_checked = true;
    checks.is_watched = checks.is_checked || checks.is_inspected;
    return checks;
}

bool tarn_checks_are_valid_(const tarn_check_options *options)
{
    return options->red_zone_bytes <= TARN_RED_ZONE_BYTES_MAX &&
           options->quarantine_objects <= TARN_QUARANTINE_MAX;
}
