/* Data races: two accesses to the same memory by different threads, at least one a write, at least
 * one plain, neither of which happens before the other. Every access is compared with the latest
 * ones of each thread, by vector clocks: after E. Pozniansky and A. Schuster, "Efficient On-the-Fly
 * Data Race Detection in Multithreaded C++ Programs" (PPoPP 2003).
 *
 * Memory is told apart in granules of four bytes; tarn shares nothing smaller. */
#ifndef TARN_MODEL_RACE_H
#define TARN_MODEL_RACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum model_access {
    MODEL_PLAIN_READ,
    MODEL_PLAIN_WRITE,
    MODEL_ATOMIC_READ,
    MODEL_ATOMIC_WRITE,
    MODEL_ACCESS_COUNT
} model_access;

void model_race_begin_run(void);

/* Fails the run when the access races with an earlier one. For the running thread. */
void model_race_access(const void *address, size_t bytes, model_access access, const void *pc);

/* The running thread gives the memory back: as a write to whatever of it was used in this run. */
void model_race_discard(const void *address, size_t bytes, const void *pc);

/* The shared word (see memory.h) that lies here is told when it is written plainly. */
void model_race_mark_cell(const void *address, uint32_t cell);

#endif
