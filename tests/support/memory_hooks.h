/* Memory functions for tests: the system's, counted, checked and made to fail on demand. Memory
 * that was not committed faults when it is touched, so a pool that forgets a commit crashes. */
#ifndef TARN_TESTS_SUPPORT_MEMORY_HOOKS_H
#define TARN_TESTS_SUPPORT_MEMORY_HOOKS_H

#include "base/thread.h"
#include "tarn/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEMORY_HOOKS_RESERVATIONS_MAX 16u
#define MEMORY_HOOKS_COMMITS_MAX      512u /* parts of one reservation */

typedef struct memory_part {
    char *start;
    size_t bytes;
} memory_part;

typedef struct memory_reservation {
    memory_part whole;
    memory_part commits[MEMORY_HOOKS_COMMITS_MAX];
    uint32_t commit_count;
} memory_reservation;

typedef struct memory_hooks {
    tarn_memory memory; /* what the pool gets */

    /* Set by the test at any time while no call is under way. */
    uint64_t fail_at;   /* the reserve or commit that fails, counted from 1 over both; 0: none */
    uint64_t fail_from; /* from this one on, all fail; 0: none */

    /* Counted here. Failed calls count as calls. */
    uint64_t calls; /* reserves and commits */
    uint64_t reserves, commits, decommits, releases;
    uint64_t failures;                      /* calls that were made to fail */
    size_t reserved_bytes, committed_bytes; /* now */
    size_t committed_bytes_peak;
    size_t alignment_last; /* what the last reserve asked for */
    const char *violation; /* the first call that broke the contract of tarn/memory.h, or NULL */

    memory_reservation reservations[MEMORY_HOOKS_RESERVATIONS_MAX];
    tarn_memory os;
    tarn_mutex lock;
} memory_hooks;

/* page_bytes 0: leaves the choice to the pool. The structure is large: keep it static. */
void memory_hooks_init(memory_hooks *hooks, size_t page_bytes);

/* Starts to count again, and to let calls succeed; reservations stay. */
void memory_hooks_restart(memory_hooks *hooks);

/* Whether every reservation was released and no call broke the contract. */
bool memory_hooks_are_balanced(const memory_hooks *hooks);

/* Gives back what the hooks hold themselves. */
void memory_hooks_destroy(memory_hooks *hooks);

#endif
