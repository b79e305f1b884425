/* What the process has in memory. */
#ifndef TARN_BENCH_RESIDENT_H
#define TARN_BENCH_RESIDENT_H

#include <stdint.h>

/* Resident bytes as the kernel counts page by page, which is exact where its running counters are
 * not. Allocates nothing. */
uint64_t resident_bytes(void);

#endif
