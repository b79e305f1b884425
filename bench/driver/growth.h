/* A picture of what growth costs the frames that it falls into. */
#ifndef TARN_BENCH_GROWTH_PLOT_H
#define TARN_BENCH_GROWTH_PLOT_H

#include "driver/options.h"

/* Frames to the right, the slowest allocation of each upwards, a line per subject that grows a
 * pool, a panel per kind of memory. A frame's value is its median over the rounds. False after a
 * line on stderr. */
bool growth_plot(const options *o);

#endif
