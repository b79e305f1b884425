/* What tarn asks of the operating system. One os_<name>.c per system keeps this contract. */
#ifndef TARN_BASE_OS_H
#define TARN_BASE_OS_H

#include "tarn/memory.h"

#include <stdint.h>

/* Memory functions over the system's own pages: reserve takes address space only, commit makes it
 * usable, pages are backed when first touched. */
tarn_memory tarn_os_memory(void);

/* Nanoseconds of a clock that only goes forward, from some start. */
uint64_t tarn_os_clock_ns(void);

/* A number that no other live thread of the process has; never 0. A later thread may get it. */
uint32_t tarn_os_thread_id(void);

/* Has these called around each fork of the process from now on: before and in_parent on the thread
 * that forks, in_child on the one that is left of it. Does nothing where there is no fork. */
void tarn_os_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));

#endif
