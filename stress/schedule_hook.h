/* What a library built with TARN_SCHEDULE calls before each of its atomic accesses. Linked by every
 * program of such a build, so that threads stop now and then between a load and its CAS. */
#ifndef STRESS_SCHEDULE_HOOK_H
#define STRESS_SCHEDULE_HOOK_H

#include <stdint.h>

/* Of a thousand accesses so many yield or spin. */
#define SCHEDULE_YIELD_PERMILLE_DEFAULT 20u

/* Without this call the default and a fixed seed hold. Threads: before the others start. */
void schedule_configure(uint32_t yield_permille, uint64_t seed);

/* Called by the library. */
void tarn_schedule_point_(void);

#endif
