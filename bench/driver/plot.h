/* A picture of how each subject bears contention. */
#ifndef TARN_BENCH_PLOT_H
#define TARN_BENCH_PLOT_H

#include "driver/plan.h"

/* Before minutes of measuring: false after a line on stderr when there is no gnuplot. */
bool plot_possible(void);

/* Threads to the right, median time upwards, a line per subject, a panel per workload; the first
 * object size of the selection. False after a line on stderr. */
bool plot_write(const char *path, const options *o, const plan *p);

#endif
