/* Telling the host that its pool was misused. */
#ifndef TARN_POOL_REPORT_H
#define TARN_POOL_REPORT_H

#include "pool/state.h"

#include <stdbool.h>

/* The slot that an address lies in, wherever in it; TARN_SLOT_NONE outside the pool. */
uint64_t tarn_slot_around_(const tarn_pool *pool, const void *address);

/* Fills in what a report of this misuse has in common with others, and hands it to the host. */
void tarn_report_(const tarn_pool *pool, tarn_misuse misuse, tarn_report report);

/* Fills in the text and the thread, and hands the report to the host; prints it where that is NULL,
 * as one of a "pool", say. */
void tarn_report_to_(tarn_report_fn *host, void *context, const char *whose, tarn_report report);

/* The calling thread's number, asked of the system once. */
uint32_t tarn_report_thread_(void);

#endif
