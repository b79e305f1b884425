/* The command line of tarn-bench. */
#ifndef TARN_BENCH_OPTIONS_H
#define TARN_BENCH_OPTIONS_H

#include "lists.h"

#include <stdbool.h>
#include <stddef.h>

#define OPTIONS_LIST_MAX   16u
#define OPTIONS_ROUNDS_MAX 99u

typedef enum options_mode {
    OPTIONS_TIMES,
    OPTIONS_MEMORY,
    OPTIONS_CHECK,
    OPTIONS_GROWTH,
    OPTIONS_HELP
} options_mode;

typedef struct options {
    options_mode mode;
    bool workloads[BENCH_WORKLOADS];
    bool subjects[BENCH_SUBJECTS];
    bool subjects_named; /* the user's own choice: each must be there */
    size_t threads[OPTIONS_LIST_MAX], threads_count;
    size_t object_bytes[OPTIONS_LIST_MAX], object_bytes_count;
    unsigned rounds;
    unsigned stint_ms;
    bool reads; /* consumers look at the objects that they are handed */
    bool csv;
    const char *json_path; /* NULL: none */
    const char *plot_path;
    const char *growth_path; /* of the mode that draws growth */
} options;

/* False after one line on stderr that says what is wrong. */
bool options_parse(int argc, char **argv, options *result);

void options_help(void);

#endif
