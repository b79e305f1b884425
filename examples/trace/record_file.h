/* The file that a recording process writes: header, blocks, closing block. Calls are made under
 * the recorder's lock. Nothing here allocates. */
#ifndef TARN_RECORD_FILE_H
#define TARN_RECORD_FILE_H

#include "format.h"

/* The launcher and the library meet in these environment variables. */
#define RECORD_FILE_VARIABLE    "TARN_RECORD_FILE"    /* absolute path; %p is the process id */
#define RECORD_PROCESS_VARIABLE "TARN_RECORD_PROCESS" /* the only process to record, if set */

#define RECORD_PATH_BYTES_MAX 4096u

/* Creates the file that the environment asks for and writes the header. False when none is asked
 * for, when another process is the one to record, or on an error, which it reports on stderr. */
bool record_file_create(void);

/* Appends one block. False, once reported on stderr, when it cannot: the file is then closed. */
bool record_file_append(const trace_record *records, uint32_t count);

/* Appends the closing block and closes the file. */
void record_file_close(uint64_t orders, uint32_t threads);

/* Writes "tarn-record: TEXT: REASON" to stderr without allocating. */
void record_complain(const char *text, int error);

#endif
