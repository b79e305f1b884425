/* The command line of tarn-stress. */
#ifndef STRESS_OPTIONS_H
#define STRESS_OPTIONS_H

#include "plant.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STRESS_THREADS_MIN  2u
#define STRESS_THREADS_MAX  256u
#define STRESS_CAPACITY_MAX ((size_t)1 << 24)
#define STRESS_MEMORY_MAX   ((uint64_t)4 << 30) /* capacity times object bytes */

typedef struct stress_options {
    uint32_t scenarios; /* bit i: run scenarios[i] of scenario.h */
    uint32_t threads;
    uint32_t seconds; /* for each scenario */
    uint64_t seed;
    size_t capacity, object_bytes;
    bool exact;
    uint32_t yield_permille;
    uint32_t watchdog_seconds;
    plant plant;
    bool self_test;
} stress_options;

typedef enum options_result { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_WRONG } options_result;

/* Prints the help, or one line to stderr that says what is wrong. */
options_result options_parse(int count, char **words, stress_options *options);

#endif
