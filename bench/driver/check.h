/* The project's targets beside what is measured here. */
#ifndef TARN_BENCH_CHECK_H
#define TARN_BENCH_CHECK_H

#include "driver/plan.h"

/* Limits the selection to what the targets need. */
void check_select(options *o);

/* Leaves out the cells that no target compares. */
void check_thin(plan *p);

/* Leaves out of the plan what no target compares. */
void check_reduce(plan *p);

/* Prints a line per target from the measured cells, and measures memory. A miss is printed, not
 * returned. Returns how many runs of the memory part failed. */
unsigned check_print(const plan *p);

#endif
