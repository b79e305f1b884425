/* What the engine prints. */
#ifndef ENGINE_REPORT_H
#define ENGINE_REPORT_H

#include "run.h"

/* All runs of one backend. */
typedef struct series {
    const backend *on;
    run_result *results; /* one per round */
    uint64_t *frame_ns;  /* settings->frames per round */
    uint64_t *best_ns;   /* settings->frames, for the report to use */
} series;

/* Sorts each series' frame_ns, and fills best_ns. */
void report_print(const options *settings, series *all, int count);

#endif
