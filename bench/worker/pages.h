/* Memory for the bench's own arrays, straight from the system: an allocator under test then holds
 * the workload's objects and nothing else. */
#ifndef TARN_BENCH_PAGES_H
#define TARN_BENCH_PAGES_H

#include <stddef.h>

/* Zeroed and page-aligned, never given back. Without any, ends the process with a sentence. */
void *bench_pages(size_t bytes);

/* Ends the process; the driver shows the sentence. */
_Noreturn void bench_fail(const char *sentence);

#endif
