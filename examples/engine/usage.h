/* What the operating system says about this process. */
#ifndef ENGINE_USAGE_H
#define ENGINE_USAGE_H

#include <stddef.h>
#include <stdint.h>

/* Resident memory now; 0 where the system does not say (no /proc). */
size_t usage_resident_bytes(void);

/* Page faults so far: each is a stall of a frame, large or small. */
uint64_t usage_page_faults(void);

/* A clock that only goes forward. */
uint64_t usage_clock_ns(void);

#endif
