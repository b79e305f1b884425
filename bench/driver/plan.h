/* What is to be measured: one cell for each subject in each configuration, the cells of one
 * configuration side by side. */
#ifndef TARN_BENCH_PLAN_H
#define TARN_BENCH_PLAN_H

#include "driver/options.h"

typedef struct cell {
    bench_workload workload;
    bench_subject subject;
    unsigned threads;
    size_t object_bytes;
    unsigned samples_count;
    double samples_ns[OPTIONS_ROUNDS_MAX]; /* sorted once all are there */
    double min_ns, median_ns, max_ns;
} cell;

typedef struct plan {
    cell *cells;
    size_t cells_count;
} plan;

/* False after a line on stderr: nothing applies, or no memory. */
bool plan_make(const options *o, plan *result);

/* How many cells from the first on belong to the same configuration. */
size_t plan_group(const plan *p, size_t first);

/* The measured cell of that kind, or NULL. */
const cell *plan_find(const plan *p, bench_workload workload, unsigned threads, size_t object_bytes,
                      bench_subject subject);

/* Ratio of the medians to glibc's in the same configuration; negative when glibc did not run. */
double plan_ratio_to_glibc(const plan *p, const cell *c);

#endif
