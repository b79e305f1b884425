/* What the workload templates share. A worker is one translation unit that includes one subject's
 * header and then the workloads, so that each call is as direct as in a user's program.
 *
 * A subject's header defines
 *   subject_handle                         what its calls need, one per thread
 *   bool subject_open(const subject_needs *)   once, before there are threads
 *   bool subject_enter(unsigned thread, subject_handle *), subject_leave(subject_handle)
 *   void *subject_alloc(subject_handle), void subject_free(subject_handle, void *)
 * or, in place of the last two, what take.h makes of them, and SUBJECT_HAS_REFS. */
#ifndef TARN_BENCH_HARNESS_H
#define TARN_BENCH_HARNESS_H

#include "lists.h"
#include "worker/pages.h"

#include <stddef.h>
#include <stdint.h>

typedef struct subject_needs {
    unsigned threads;
    size_t object_bytes;
    size_t live_per_thread_max;
} subject_needs;

/* The object is real to the compiler, and its content leaves the loop: no subject's call, store or
 * counter can be optimised away. The same for all, the floor included. */
static inline void bench_keep(void *object)
{
    __asm__ volatile("" : : "r"(object) : "memory");
}

/* The same for a number. */
static inline void bench_keep_bits(uint64_t bits)
{
    __asm__ volatile("" : : "g"(bits));
}

#endif
