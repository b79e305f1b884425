/* A trace is accepted whole or refused with the place of the fault. */
#include "builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Two blocks, three threads, records not in order. */
static void build_small(builder *made)
{
    const trace_record first[] = {
        {.order = 5, .address = 64, .call = TRACE_FREE, .thread = 1},
        {.order = 0, .address = 64, .bytes = 24, .call = TRACE_MALLOC, .thread = 1},
        {.order = 7, .address = 96, .bytes = 9, .call = TRACE_ALIGNED, .alignment_log2 = 5},
    };
    const trace_record second[] = {
        {.order = 2, .address = 32, .bytes = 8, .call = TRACE_CALLOC, .thread = 2},
        {.order = 3, .address = 32, .call = TRACE_REALLOC_FROM, .thread = 2},
        {.order = 4, .address = 128, .bytes = 80, .call = TRACE_REALLOC_TO, .thread = 2},
    };
    builder_begin(made);
    builder_block(made, first, 3);
    builder_block(made, second, 3);
    builder_close(made, 8);
}

/* Parses a copy that is exactly as large as the text, so that a sanitizer sees each overread. */
static bool parses(const unsigned char *bytes, size_t count, trace_error *error)
{
    unsigned char *copy = malloc(count ? count : 1);
    trace read;
    assert_non_null(copy);
    if (count)
        memcpy(copy, bytes, count);
    error->text[0] = 0;
    bool parsed = trace_parse(copy, count, &read, error);
    if (parsed)
        trace_release(&read);
    else
        assert_null(read.records);
    free(copy);
    return parsed;
}

static void assert_refused(const builder *made, const char *reason)
{
    trace_error error;
    assert_false(parses(made->bytes, made->count, &error));
    if (!strstr(error.text, reason))
        fail_msg("\"%s\" does not say \"%s\"", error.text, reason);
}

static void a_whole_trace_comes_back_in_order(void **state)
{
    (void)state;
    static const uint64_t orders[] = {0, 2, 3, 4, 5, 7};
    builder made;
    trace read;
    trace_error error;
    build_small(&made);
    assert_true(trace_parse(made.bytes, made.count, &read, &error));
    assert_int_equal(read.count, 6);
    assert_int_equal(read.threads, 3);
    assert_int_equal(read.process, 1234);
    assert_string_equal(read.program, "builder");
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(read.records[i].order, orders[i]);
    assert_int_equal(read.records[5].alignment_log2, 5);
    trace_release(&read);
    builder_release(&made);
}

static void a_trace_cut_anywhere_is_refused_with_the_place(void **state)
{
    (void)state;
    builder made;
    build_small(&made);
    for (size_t count = 0; count < made.count; count++) {
        trace_error error;
        assert_false(parses(made.bytes, count, &error));
        if (!strstr(error.text, "byte"))
            fail_msg("cut at %zu: \"%s\" names no byte", count, error.text);
    }
    builder_release(&made);
}

static void any_flipped_bit_is_refused_with_the_place(void **state)
{
    (void)state;
    builder made;
    build_small(&made);
    for (size_t bit = 0; bit < made.count * 8; bit++) {
        trace_error error;
        made.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (parses(made.bytes, made.count, &error))
            fail_msg("bit %zu of byte %zu: accepted", bit % 8, bit / 8);
        if (!strstr(error.text, "byte"))
            fail_msg("byte %zu: \"%s\" names no byte", bit / 8, error.text);
        made.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    builder_release(&made);
}

static void any_replaced_byte_is_refused(void **state)
{
    (void)state;
    static const unsigned char values[] = {0x00, 0xFF, 0x7F, 0x80, '\n'};
    builder made;
    build_small(&made);
    for (size_t at = 0; at < made.count; at++) {
        unsigned char right = made.bytes[at];
        for (size_t i = 0; i < sizeof values; i++) {
            trace_error error;
            made.bytes[at] = values[i];
            assert_int_equal(parses(made.bytes, made.count, &error), values[i] == right);
        }
        made.bytes[at] = right;
    }
    builder_release(&made);
}

static void what_follows_the_end_is_refused(void **state)
{
    (void)state;
    builder made;
    build_small(&made);
    builder_close(&made, 8);
    assert_refused(&made, "follow the closing block");
    builder_release(&made);
}

static void a_missing_or_moved_block_is_refused(void **state)
{
    (void)state;
    const size_t block = sizeof(trace_block) + 3 * sizeof(trace_record);
    builder made;
    build_small(&made);
    unsigned char *first = made.bytes + sizeof(trace_header);
    for (size_t i = 0; i < block; i++) {
        unsigned char kept = first[i];
        first[i] = first[block + i];
        first[block + i] = kept;
    }
    assert_refused(&made, "the block at byte 48 has a wrong head");
    memmove(first, first + block, made.count - sizeof(trace_header) - block);
    made.count -= block;
    assert_refused(&made, "the block at byte 168 has a wrong head");
    builder_release(&made);
}

static void other_files_are_named_for_what_they_are(void **state)
{
    (void)state;
    builder made;
    builder text = {.bytes = (unsigned char[]){"#!/bin/sh\n"}, .count = 10};
    builder nothing = {.bytes = (unsigned char[]){0}, .count = 0};
    assert_refused(&text, "not a tarn trace");
    assert_refused(&nothing, "empty");
    build_small(&made);
    made.bytes[offsetof(trace_header, version)]++;
    assert_refused(&made, "version");
    made.bytes[offsetof(trace_header, version)]--;
    uint32_t swapped = __builtin_bswap32(TRACE_BYTE_ORDER);
    memcpy(made.bytes + offsetof(trace_header, byte_order), &swapped, sizeof swapped);
    assert_refused(&made, "other byte order");
    builder_release(&made);
}

/* With right checksums: what no recorder writes. */
static void assert_record_refused(trace_record record, uint64_t orders, const char *reason)
{
    const trace_record right = {.order = 0, .address = 16, .bytes = 8, .call = TRACE_MALLOC};
    const trace_record both[] = {right, record};
    builder made;
    builder_begin(&made);
    builder_block(&made, both, 2);
    builder_close(&made, orders);
    assert_refused(&made, reason);
    builder_release(&made);
}

static void senseless_records_are_refused(void **state)
{
    (void)state;
    trace_record record = {.order = 1, .address = 32, .bytes = 8, .call = TRACE_CALLS};
    assert_record_refused(record, 2, "no recorder writes (byte 104)");
    record.call = 0;
    assert_record_refused(record, 2, "no recorder writes (byte 104)");
    record.call = TRACE_MALLOC;
    record.alignment_log2 = 64;
    assert_record_refused(record, 2, "no recorder writes (byte 104)");
    record.alignment_log2 = 0;
    assert_record_refused(record, 1, "call number 1");
    record.order = 0;
    assert_record_refused(record, 2, "call number 0");
    record.order = 1;
    record.thread = TRACE_THREADS_MAX;
    assert_record_refused(record, 2, "threads");
}

static void a_missing_file_and_a_folder_are_errors(void **state)
{
    (void)state;
    trace read;
    trace_error error;
    assert_false(trace_read("/nonexistent/trace", &read, &error));
    assert_non_null(strstr(error.text, "cannot be opened"));
    assert_false(trace_read("/", &read, &error));
    assert_non_null(strstr(error.text, "cannot be"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_trace_comes_back_in_order),
        cmocka_unit_test(a_trace_cut_anywhere_is_refused_with_the_place),
        cmocka_unit_test(any_flipped_bit_is_refused_with_the_place),
        cmocka_unit_test(any_replaced_byte_is_refused),
        cmocka_unit_test(what_follows_the_end_is_refused),
        cmocka_unit_test(a_missing_or_moved_block_is_refused),
        cmocka_unit_test(other_files_are_named_for_what_they_are),
        cmocka_unit_test(senseless_records_are_refused),
        cmocka_unit_test(a_missing_file_and_a_folder_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
