/* Runs the workers and sums up what they say. */
#ifndef TARN_BENCH_MEASURE_H
#define TARN_BENCH_MEASURE_H

#include "driver/plan.h"

/* Takes subjects whose workers were not built off the list, and says so on stderr. False when the
 * user asked for one of them by name. */
bool measure_available(options *o);

/* Runs all cells once per round, in turn, so that what slows the machine down for a while hits
 * them alike. A cell whose worker fails has fewer samples or none. Returns how many runs failed. */
unsigned measure_cells(const options *o, cell *cells, size_t cells_count);

#endif
