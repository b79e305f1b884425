/* Builds traces in memory, as a recorder would write them. */
#ifndef TARN_TEST_BUILDER_H
#define TARN_TEST_BUILDER_H

#include "format.h"
#include "read.h"

typedef struct builder {
    unsigned char *bytes;
    size_t count;
    uint64_t records;
    uint32_t blocks, threads;
} builder;

/* Begins with the header; end with builder_release. */
void builder_begin(builder *made);
void builder_block(builder *to, const trace_record *records, uint32_t count);
void builder_close(builder *to, uint64_t orders);
void builder_release(builder *done);

/* One block with these records, whose orders it numbers; parsed. Fails the test on an error. */
void build_trace(trace *result, trace_record *records, uint32_t count);

#endif
