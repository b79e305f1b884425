/* Results as an aligned table and as comma-separated rows. */
#ifndef TARN_BENCH_TABLE_H
#define TARN_BENCH_TABLE_H

#include "driver/plan.h"

void table_head(bool csv);

/* One configuration: cells first to first + count. */
void table_group(bool csv, const plan *p, size_t first, size_t count);

#endif
