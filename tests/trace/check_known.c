/* Checks a trace of known_calls: every call is there, with its size and alignment, each address
 * lives once at a time, and the order lets each block be freed after it was given. */
#include "addresses.h"
#include "known.h"
#include "read.h"

#include <stdio.h>
#include <stdlib.h>

#define CALLS_MADE ((uint64_t)KNOWN_THREADS * KNOWN_ROUNDS)

typedef struct known_call {
    uint64_t bytes, alignment;
    uint64_t given, freed, remote; /* seen */
} known_call;

static known_call calls[KNOWN_CALLS] = {
#define KNOWN_CALL(name, bytes, alignment) {bytes, alignment, 0, 0, 0},
    KNOWN_LIST(KNOWN_CALL)
#undef KNOWN_CALL
};

static bool right = true;

static void expect(const char *what, uint64_t seen, uint64_t expected)
{
    if (seen == expected)
        return;
    fprintf(stderr, "%s: %llu, expected %llu\n", what, (unsigned long long)seen,
            (unsigned long long)expected);
    right = false;
}

static known_call *find(uint64_t bytes)
{
    for (int i = 0; i < KNOWN_CALLS; i++) {
        if (calls[i].bytes == bytes)
            return &calls[i];
    }
    return NULL;
}

static void see_given(const trace_record *record)
{
    known_call *call = find(record->bytes);
    expect("a size that only a forked child asks for", record->bytes == KNOWN_CHILD_BYTES, 0);
    if (!call)
        return;
    call->given++;
    expect("alignment", (uint64_t)1 << record->alignment_log2, call->alignment);
    expect("address modulo alignment", record->address % call->alignment, 0);
}

static void see_taken(const trace *from, const trace_record *record, uint32_t index)
{
    const trace_record *given = &from->records[index];
    known_call *call = find(given->bytes);
    if (!call)
        return;
    call->freed++;
    call->remote += record->thread != given->thread;
}

static uint64_t follow(const trace *from)
{
    addresses map = {0};
    uint64_t unmatched = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        const trace_record *record = &from->records[i];
        uint32_t other = ADDRESS_FREE;
        if (record->call == TRACE_FREE || record->call == TRACE_REALLOC_FROM) {
            other = addresses_take(&map, record->address);
            unmatched += other == ADDRESS_FREE;
            if (other != ADDRESS_FREE)
                see_taken(from, record, other);
        } else {
            if (!addresses_put(&map, record->address, i, &other))
                abort();
            expect("blocks alive at one address twice", other != ADDRESS_FREE, 0);
            see_given(record);
        }
    }
    addresses_release(&map);
    return unmatched;
}

int main(int count, char **arguments)
{
    trace from;
    trace_error error;
    if (count != 2 || !trace_read(arguments[1], &from, &error)) {
        fprintf(stderr, "check_known: %s\n", count == 2 ? error.text : "no file");
        return 2;
    }
    uint64_t unmatched = follow(&from);
    for (int i = 0; i < KNOWN_CALLS; i++) {
        /* The handed blocks, those that the two reallocs begin with, the one of failing calls. */
        uint64_t expected = i == KNOWN_MALLOC ? 4 * CALLS_MADE + 1 : CALLS_MADE;
        expected += i == KNOWN_REALLOC;
        expect("calls of one kind", calls[i].given, expected);
        expect("of them freed", calls[i].freed, expected);
        expect("of them freed by another thread", calls[i].remote,
               i == KNOWN_MALLOC ? CALLS_MADE : 0);
    }
    expect("more than a few frees without a block", unmatched > 8, 0);
    expect("fewer threads than there were", from.threads < KNOWN_THREADS + 1, 0);
    trace_release(&from);
    return right ? 0 : 1;
}
