#ifndef TARN_MODEL_OPTIONS_H
#define TARN_MODEL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define OPTIONS_NAMES_MAX 64u

typedef struct model_options {
    bool lists_clients, helps, is_wide, is_quiet, is_quick, is_first;
    uint64_t seed;
    uint64_t steps_max; /* per client; 0: no limit */
    uint64_t runs_max;  /* of a search that is not exhaustive; 0: the default */
    int bound;          /* preemptions; -1: by the number of threads */
    const char *names[OPTIONS_NAMES_MAX];
    uint32_t name_count;
} model_options;

/* Returns false after a sentence on stderr when the command line is wrong. */
bool options_read(int count, char **arguments, model_options *options);

void options_help(void);

#endif
