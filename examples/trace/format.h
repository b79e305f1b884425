/* The format of an allocation trace, shared by the recorder and the replayer.
 *
 *   trace_header                          once
 *   trace_block, then its payload         any number of times, kind TRACE_BLOCK_RECORDS
 *   trace_block, then a trace_closing     once, kind TRACE_BLOCK_CLOSING; the file ends after it
 *
 * Numbers are in the byte order of the machine that recorded. The header's checksum covers the
 * header, a block's covers the block and its payload; any one changed byte changes them. The count
 * of records stands in the closing block, since it is not known when the header is written: a
 * trace without a closing block is incomplete, wherever it was cut.
 *
 * A payload is an array of trace_record, in no order across threads. A record's `order` is its
 * place among all calls of the process. A call that gives memory takes its number after it
 * returned, one that takes memory back takes it before it began. So, of two calls on one address,
 * the one that had to come first has the smaller number. Numbers can be missing: those of reallocs
 * that failed. */
#ifndef TARN_TRACE_FORMAT_H
#define TARN_TRACE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TRACE_MAGIC         "tarntrc\n"
#define TRACE_VERSION       1u
#define TRACE_BYTE_ORDER    0x01020304u
#define TRACE_BLOCK_MAGIC   0x6B6C4274u
#define TRACE_BLOCK_RECORDS 1u
#define TRACE_BLOCK_CLOSING 2u

typedef struct trace_header {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;   /* TRACE_BYTE_ORDER, as the recording machine writes it */
    uint32_t record_bytes; /* sizeof(trace_record) */
    uint32_t process;      /* id of the recorded process */
    char program[16];      /* its name, cut to 15 bytes */
    uint64_t checksum;
} trace_header;

typedef struct trace_block {
    uint32_t magic;
    uint32_t kind;
    uint32_t number;  /* 0 for the file's first block, then one more each */
    uint32_t records; /* in this block's payload; 0 in the closing block */
    uint64_t checksum;
} trace_block;

typedef struct trace_closing {
    uint64_t records; /* in the whole file */
    uint64_t orders;  /* every record's order is below it */
    uint32_t threads; /* every record's thread is below it */
    uint32_t zero;
} trace_closing;

/* X(name, number, text). A realloc is two records of one thread, one directly behind the other in
 * its block: from (numbered before the call) and to (after it). realloc(NULL, n) is a malloc,
 * a realloc to 0 bytes that answered NULL is a free. */
#define TRACE_CALL_LIST(X)                                                                        \
    X(TRACE_MALLOC, 1, "malloc")                                                                  \
    X(TRACE_CALLOC, 2, "calloc")                                                                  \
    X(TRACE_ALIGNED, 3, "aligned") /* posix_memalign, aligned_alloc, memalign, valloc, pvalloc */ \
    X(TRACE_FREE, 4, "free")                                                                      \
    X(TRACE_REALLOC_FROM, 5, "realloc from")                                                      \
    X(TRACE_REALLOC_TO, 6, "realloc")

typedef enum trace_call {
#define TRACE_CALL_ENUM_(name, number, text) name = number,
    TRACE_CALL_LIST(TRACE_CALL_ENUM_)
#undef TRACE_CALL_ENUM_
        TRACE_CALLS
} trace_call;

typedef struct trace_record {
    uint64_t order;
    uint64_t address;       /* of the block that was given or taken back */
    uint64_t bytes;         /* asked for; 0 for free and realloc from */
    uint32_t thread;        /* 0 for the first thread that allocated, then one more each */
    uint8_t call;           /* trace_call */
    uint8_t alignment_log2; /* 0: none was asked for */
    uint16_t zero;
} trace_record;

_Static_assert(sizeof(trace_header) == 48 && sizeof(trace_block) == 24, "no padding");
_Static_assert(sizeof(trace_closing) == 24 && sizeof(trace_record) == 32, "no padding");

/* Fills in the constant fields and the checksum. */
void trace_header_seal(trace_header *header);
void trace_block_seal(trace_block *block, const void *payload);

bool trace_header_is_whole(const trace_header *header);
bool trace_block_is_whole(const trace_block *block, const void *payload);

/* By the block's kind and count; 0 for a kind that does not exist. */
uint64_t trace_payload_bytes(const trace_block *block);

#endif
