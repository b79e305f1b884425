/* What tarn asks of the operating system. One os_<name>.c per system keeps this contract. */
#ifndef TARN_BASE_OS_H
#define TARN_BASE_OS_H

#include "tarn/memory.h"

#include <stdint.h>

/* Memory functions over the system's own pages: reserve takes address space only, commit makes it
 * usable, pages are backed when first touched. */
tarn_memory tarn_os_memory(void);

/* A number that no other live thread of the process has; never 0. A later thread may get it. */
uint32_t tarn_os_thread_id(void);

/* Has these called around each fork of the process from now on: before and in_parent on the thread
 * that forks, in_child on the one that is left of it. Does nothing where there is no fork. */
void tarn_os_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));

/* Nanoseconds since some moment; never backwards. */
uint64_t tarn_os_time_ns(void);

/* Processors that the process may use at once, at least 1: by its affinity, and by its cgroup's
 * quota, rounded up. */
uint32_t tarn_os_processors(void);

/* Sleeps while the word has that value, at most so long, UINT64_MAX for ever. May return early. A
 * wake that comes after the word has changed is never missed. */
void tarn_os_sleep(const uint32_t *word, uint32_t value, uint64_t timeout_ns);
void tarn_os_wake(const uint32_t *word);

/* Readies tarn_os_process_barrier. False where the system has none. Any number of times. */
bool tarn_os_process_barrier_init(void);

/* When it returns, every other thread of the process that was running has been through a full
 * memory barrier meanwhile; so a thread that calls this has its fence and everyone else's. */
void tarn_os_process_barrier(void);

#endif
