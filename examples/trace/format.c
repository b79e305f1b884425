#include "format.h"

#include <string.h>

/* Each step is a bijection of the sum for a given word, and of the word for a given sum. So two
 * texts that differ in one word only never have the same sum. */
static uint64_t checksum(uint64_t sum, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, at + i, sizeof word);
        sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        sum ^= sum >> 29;
    }
    return sum;
}

static uint64_t header_checksum(const trace_header *header)
{
    return checksum(UINT64_C(0x7461726E), header, offsetof(trace_header, checksum));
}

static uint64_t block_checksum(const trace_block *block, const void *payload)
{
    uint64_t sum = checksum(UINT64_C(0x626C6F63), block, offsetof(trace_block, checksum));
    return checksum(sum, payload, (size_t)trace_payload_bytes(block));
}

uint64_t trace_payload_bytes(const trace_block *block)
{
    if (block->kind == TRACE_BLOCK_RECORDS)
        return (uint64_t)block->records * sizeof(trace_record);
    return block->kind == TRACE_BLOCK_CLOSING ? sizeof(trace_closing) : 0;
}

void trace_header_seal(trace_header *header)
{
    memcpy(header->magic, TRACE_MAGIC, sizeof header->magic);
    header->version = TRACE_VERSION;
    header->byte_order = TRACE_BYTE_ORDER;
    header->record_bytes = sizeof(trace_record);
    header->checksum = header_checksum(header);
}

void trace_block_seal(trace_block *block, const void *payload)
{
    block->magic = TRACE_BLOCK_MAGIC;
    block->checksum = block_checksum(block, payload);
}

bool trace_header_is_whole(const trace_header *header)
{
    return header->checksum == header_checksum(header);
}

bool trace_block_is_whole(const trace_block *block, const void *payload)
{
    return block->checksum == block_checksum(block, payload);
}
