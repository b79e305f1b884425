#include "read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT_LOG2_MAX 40

typedef struct input {
    const unsigned char *bytes;
    size_t count, at;
    uint32_t blocks;
    trace *into;
    trace_closing closing;
    trace_error *error;
} input;

__attribute__((format(printf, 2, 3))) static bool fail(trace_error *error, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(error->text, sizeof error->text, format, values);
    va_end(values);
    return false;
}

static bool take(input *in, void *to, size_t bytes)
{
    if (bytes > in->count - in->at)
        return false;
    memcpy(to, in->bytes + in->at, bytes);
    in->at += bytes;
    return true;
}

static bool read_header(input *in)
{
    trace_header header;
    if (in->count == 0)
        return fail(in->error, "the file is empty (byte 0)");
    size_t seen = in->count < sizeof header.magic ? in->count : sizeof header.magic;
    if (memcmp(in->bytes, TRACE_MAGIC, seen) != 0)
        return fail(in->error, "not a tarn trace: another kind of file (byte 0)");
    if (!take(in, &header, sizeof header))
        return fail(in->error, "cut short at byte %zu, inside the header", in->count);
    if (header.byte_order == __builtin_bswap32(TRACE_BYTE_ORDER))
        return fail(in->error, "recorded on a machine of the other byte order (byte %zu)",
                    offsetof(trace_header, byte_order));
    if (header.version != TRACE_VERSION)
        return fail(in->error,
                    "version %" PRIu32 " of the format, this program reads %u (byte %zu)",
                    header.version, TRACE_VERSION, offsetof(trace_header, version));
    if (!trace_header_is_whole(&header))
        return fail(in->error, "damaged: the header's checksum is wrong (byte %zu)",
                    offsetof(trace_header, checksum));
    if (header.byte_order != TRACE_BYTE_ORDER || header.record_bytes != sizeof(trace_record))
        return fail(in->error, "a header that no recorder writes (byte 0)");
    in->into->process = header.process;
    memcpy(in->into->program, header.program, sizeof header.program);
    in->into->program[sizeof header.program - 1] = 0;
    return true;
}

/* A control character in the name could play tricks on a terminal. */
static void clean_name(char *name)
{
    for (; *name; name++) {
        if (*name < ' ' || *name > '~')
            *name = '?';
    }
}

static bool check_record(const input *in, const trace_record *record, size_t at)
{
    bool sound = record->call >= 1 && record->call < TRACE_CALLS && record->zero == 0 &&
                 record->alignment_log2 <= ALIGNMENT_LOG2_MAX;
    return sound || fail(in->error, "a record that no recorder writes (byte %zu)", at);
}

static bool keep_records(input *in, const trace_block *block)
{
    trace *into = in->into;
    for (uint32_t i = 0; i < block->records; i++) {
        size_t at = in->at;
        trace_record *record = &into->records[into->count + i];
        if (!take(in, record, sizeof *record) || !check_record(in, record, at))
            return false;
    }
    into->count += block->records;
    return true;
}

/* Leaves in->at on the payload, which is there and undamaged. */
static bool read_block(input *in, trace_block *block)
{
    size_t start = in->at;
    if (start == in->count)
        return fail(in->error, "cut short at byte %zu: no closing block (was the program killed?)",
                    start);
    if (!take(in, block, sizeof *block))
        return fail(in->error, "cut short at byte %zu, inside the block that begins at byte %zu",
                    in->count, start);
    bool known = block->kind == TRACE_BLOCK_RECORDS || block->kind == TRACE_BLOCK_CLOSING;
    if (block->magic != TRACE_BLOCK_MAGIC || !known || block->number != in->blocks)
        return fail(in->error, "damaged: the block at byte %zu has a wrong head", start);
    if (trace_payload_bytes(block) > in->count - in->at)
        return fail(in->error,
                    "damaged or cut short: the block at byte %zu goes beyond the end, byte %zu",
                    start, in->count);
    if (!trace_block_is_whole(block, in->bytes + in->at))
        return fail(in->error, "damaged: the checksum of the block at byte %zu is wrong", start);
    in->blocks++;
    return true;
}

static bool read_closing(input *in)
{
    size_t start = in->at;
    if (!take(in, &in->closing, sizeof in->closing) || in->closing.records != in->into->count)
        return fail(in->error, "damaged: %zu records before byte %zu, but %" PRIu64 " were written",
                    in->into->count, start, in->closing.records);
    if (in->at != in->count)
        return fail(in->error, "damaged: %zu bytes follow the closing block, from byte %zu on",
                    in->count - in->at, in->at);
    return true;
}

static bool read_blocks(input *in)
{
    trace_block block = {0};
    while (block.kind != TRACE_BLOCK_CLOSING) {
        if (!read_block(in, &block))
            return false;
        if (block.kind == TRACE_BLOCK_CLOSING ? !read_closing(in) : !keep_records(in, &block))
            return false;
    }
    return true;
}

static int by_order(const void *left, const void *right)
{
    uint64_t a = ((const trace_record *)left)->order;
    uint64_t b = ((const trace_record *)right)->order;
    return (a > b) - (a < b);
}

static bool sort_records(input *in)
{
    trace *into = in->into;
    qsort(into->records, into->count, sizeof *into->records, by_order);
    for (size_t i = 0; i < into->count; i++) {
        const trace_record *record = &into->records[i];
        if (record->order >= in->closing.orders || record->thread >= in->closing.threads ||
            (i > 0 && record->order == record[-1].order))
            return fail(in->error, "call number %" PRIu64 " is there twice or out of range",
                        record->order);
    }
    into->threads = in->closing.threads;
    return into->threads <= TRACE_THREADS_MAX ||
           fail(in->error, "more than %u threads", TRACE_THREADS_MAX);
}

bool trace_parse(const void *bytes, size_t count, trace *result, trace_error *error)
{
    input in = {.bytes = bytes, .count = count, .into = result, .error = error};
    memset(result, 0, sizeof *result);
    if (count / sizeof(trace_record) > TRACE_RECORDS_MAX)
        return fail(error, "more than %" PRIu64 " records", TRACE_RECORDS_MAX);
    if (!read_header(&in))
        return false;
    clean_name(result->program);
    result->records = malloc(count / sizeof(trace_record) * sizeof(trace_record) + 1);
    if (!result->records)
        return fail(error, "no memory for its records");
    if (read_blocks(&in) && sort_records(&in))
        return true;
    trace_release(result);
    return false;
}

void trace_release(trace *done)
{
    free(done->records);
    *done = (trace){0};
}

static void *read_all(FILE *file, size_t *count)
{
    size_t room = 1 << 16;
    unsigned char *bytes = malloc(room);
    *count = 0;
    while (bytes) {
        *count += fread(bytes + *count, 1, room - *count, file);
        if (*count < room)
            return bytes;
        room *= 2;
        unsigned char *larger = realloc(bytes, room);
        if (!larger)
            free(bytes);
        bytes = larger;
    }
    return NULL;
}

bool trace_read(const char *path, trace *result, trace_error *error)
{
    *result = (trace){0};
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail(error, "cannot be opened: %s", strerror(errno));
    size_t count;
    void *bytes = read_all(file, &count);
    bool failed = ferror(file) != 0;
    int reason = errno;
    fclose(file);
    bool read = false;
    if (!bytes)
        fail(error, "no memory to read it");
    else if (failed)
        fail(error, "cannot be read at byte %zu: %s", count, strerror(reason));
    else
        read = trace_parse(bytes, count, result, error);
    free(bytes);
    return read;
}
