/* Runs in processes of their own: each starts with a fresh heap, and what one allocator keeps
 * resident does not count against the other. */
#ifndef ENGINE_ISOLATE_H
#define ENGINE_ISOLATE_H

#include "run.h"

/* Zeroed memory that a run's process shares with its parent, touched, so that writing results
 * causes no page faults. NULL when there is none. */
void *isolate_share(size_t bytes);
void isolate_unshare(void *shared, size_t bytes);

/* run_world in a child process; frame_ns and result must be shared memory. On failure prints one
 * line to stderr and returns false. */
bool isolate_run_world(const backend *on, const options *settings, uint64_t *frame_ns,
                       run_result *result);

#endif
