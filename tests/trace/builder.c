#include "builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(builder *to, const void *bytes, size_t count)
{
    unsigned char *larger = realloc(to->bytes, to->count + count);
    if (!larger)
        abort();
    to->bytes = larger;
    if (count)
        memcpy(to->bytes + to->count, bytes, count);
    to->count += count;
}

static void append_block(builder *to, trace_block block, const void *payload)
{
    block.number = to->blocks++;
    trace_block_seal(&block, payload);
    append(to, &block, sizeof block);
    append(to, payload, (size_t)trace_payload_bytes(&block));
}

void builder_begin(builder *made)
{
    trace_header header = {.process = 1234, .program = "builder"};
    *made = (builder){0};
    trace_header_seal(&header);
    append(made, &header, sizeof header);
}

void builder_block(builder *to, const trace_record *records, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (records[i].thread >= to->threads)
            to->threads = records[i].thread + 1;
    }
    to->records += count;
    append_block(to, (trace_block){.kind = TRACE_BLOCK_RECORDS, .records = count}, records);
}

void builder_close(builder *to, uint64_t orders)
{
    trace_closing closing = {.records = to->records, .orders = orders, .threads = to->threads};
    append_block(to, (trace_block){.kind = TRACE_BLOCK_CLOSING}, &closing);
}

void builder_release(builder *done)
{
    free(done->bytes);
    *done = (builder){0};
}

void build_trace(trace *result, trace_record *records, uint32_t count)
{
    builder made;
    trace_error error;
    for (uint32_t i = 0; i < count; i++)
        records[i].order = i;
    builder_begin(&made);
    builder_block(&made, records, count);
    builder_close(&made, count);
    if (!trace_parse(made.bytes, made.count, result, &error)) {
        fprintf(stderr, "build_trace: %s\n", error.text);
        abort();
    }
    builder_release(&made);
}
