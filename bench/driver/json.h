/* Machine, settings and all samples for other programs. */
#ifndef TARN_BENCH_JSON_H
#define TARN_BENCH_JSON_H

#include "driver/machine.h"
#include "driver/plan.h"

#include <stdio.h>

/* Before minutes of measuring: NULL after a line on stderr when the file cannot be written. */
FILE *json_open(const char *path);

/* Writes and closes the file. others_percent is the share of the machine that other programs took
 * during the run, negative when unknown. False after a line on stderr. */
bool json_write(FILE *file, const machine *m, const options *o, const plan *p,
                double others_percent);

#endif
