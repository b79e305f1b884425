/* What the hooks tell the recorder: each call that gives or takes memory, in order.
 *
 * Each thread fills a buffer of its own; full ones are appended to the trace. A thread that ends
 * leaves its buffer to the next. So memory is bounded by the number of threads that live at once:
 * 64 KiB each.
 *
 * A forked child records nothing: it sees the recorder switched off (a child of vfork shares the
 * parent's heap, so what it does there belongs to the parent and is recorded). A program that it
 * executes is another process, and recorded where the trace's name says so. */
#ifndef TARN_RECORD_LOG_H
#define TARN_RECORD_LOG_H

#include "format.h"

/* True when the call that the hook is about to make is to be recorded. The hook then calls
 * record_leave after it; calls that are nested in between are not recorded. */
bool record_enter(void);
void record_leave(void);

/* The next place in the order of all calls. */
uint64_t record_order(void);

/* Between enter and leave. Keeps errno. */
void record_given(trace_call call, const void *block, size_t bytes, size_t alignment);
void record_taken(uint64_t order, const void *block);
void record_moved(uint64_t order, const void *from, const void *to, size_t bytes);

/* Writes what all threads have buffered and closes the trace; nothing is recorded afterwards.
 * Does nothing in a child process. */
void record_finish(void);

#endif
