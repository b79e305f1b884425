/* Plays a plan with real memory: one tarn pool per class, or malloc.
 *
 * Each recorded thread is a thread, started when the one in front in its lane has ended. Two
 * operations on one block keep their order, whoever makes them. Beyond that, no thread gets more
 * than a window of operations ahead of the slowest, so that the peak of live objects stays what
 * was recorded, give or take the window. The operation with the lowest rank never waits, hence
 * there is always one that can go on. */
#ifndef TARN_TRACE_REPLAY_H
#define TARN_TRACE_REPLAY_H

#include "plan.h"
#include "tarn/tarn.h"

#define REPLAY_WINDOW_DEFAULT 4096u

/* Content of a block of malloc's, large ones, is filled and checked up to here. */
#define REPLAY_CHECKED_BYTES_MAX ((size_t)1 << 20)

typedef enum replay_memory { REPLAY_TARN, REPLAY_MALLOC } replay_memory;

typedef struct replay {
    const plan *what;
    uint32_t window;
    tarn_pool *pools[CLASS_COUNT]; /* NULL: the class is not used */
    struct worker *workers;        /* one per thread of the plan, and one for the end */
    struct replay_block *blocks;
} replay;

typedef struct replay_result {
    uint64_t busy_ns; /* processor time over all threads, without what they waited */
    uint64_t wall_ns;
    uint64_t checked_bytes;
    uint64_t mismatches; /* blocks whose content was wrong; the first of them: */
    uint32_t bad_block;
    uint64_t bad_offset;
    uint64_t refusals; /* allocations that failed; the size of the first: */
    uint64_t refused_bytes;
    bool no_thread; /* a thread could not be started: the run is void */
} replay_result;

/* Creates the pools. False on failure, with a sentence in text; nothing is held then. */
bool replay_open(replay *made, const plan *what, uint32_t window, char *text, size_t text_bytes);

/* One whole run. A checked one fills each block and compares all of it before it goes; the other
 * writes only its first word. Afterwards every block has been freed. */
void replay_run(replay *run, replay_memory memory, bool check, replay_result *result);

/* Returns false, with a sentence in text, when a pool does not agree that all is free. */
bool replay_close(replay *done, char *text, size_t text_bytes);

#endif
