/* Reads a whole trace and checks every byte of it. */
#ifndef TARN_TRACE_READ_H
#define TARN_TRACE_READ_H

#include "format.h"

#define TRACE_RECORDS_MAX ((uint64_t)1 << 31)
#define TRACE_THREADS_MAX (1u << 20)

typedef struct trace {
    char program[16];
    uint32_t process;
    uint32_t threads;
    size_t count;          /* records */
    trace_record *records; /* by ascending order */
} trace;

typedef struct trace_error {
    char text[200]; /* a sentence with the byte offset, without the file's name */
} trace_error;

/* On success the caller ends with trace_release. On failure nothing is held, and the error tells
 * what is wrong where: not a trace, another version or byte order, damaged, cut short. */
bool trace_read(const char *path, trace *result, trace_error *error);

/* The same for a file that is in memory already. */
bool trace_parse(const void *bytes, size_t count, trace *result, trace_error *error);

void trace_release(trace *done);

#endif
