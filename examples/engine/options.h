/* The command line. */
#ifndef ENGINE_OPTIONS_H
#define ENGINE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#define THREADS_MAX 64

typedef struct options {
    uint32_t frames;       /* measured in each round, after the warm-up */
    uint32_t rounds;       /* worlds per backend; the backends take turns */
    uint32_t threads;      /* workers, the main thread included */
    uint32_t storm_frames; /* from one storm to the next; 0: none */
    uint64_t seed;
    bool use_tarn, use_malloc;
    bool help;
} options;

/* Fills *parsed. On a bad command line prints one line to stderr and returns false. */
bool options_parse(int count, char **arguments, options *parsed);

void options_print_help(void);

#endif
