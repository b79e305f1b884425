/* The tests' short form: what differs between machines, in a program that needs nothing but the
 * library, so that it runs wherever that compiles. Word size, byte order, page size, the system's
 * memory and threads; each part a few checks of what the unit tests look at closely. */
#ifndef TARN_TESTS_MACHINES_SHORT_H
#define TARN_TESTS_MACHINES_SHORT_H

#include <stdbool.h>

/* Counts, and prints what is not true. Threads: any. */
void short_check(bool condition, const char *file, int line, const char *text);

#define CHECK(condition) short_check((condition), __FILE__, __LINE__, #condition)

void short_system(void);  /* memory, thread ids */
void short_layout(void);  /* atomics, sizes, exact division, the plan's arithmetic */
void short_pools(void);   /* the public calls, on one thread */
void short_threads(void); /* the public calls, on several */
void short_frame(void);   /* frames, lanes, frame pools, deferred frees */
void short_jobs(void);    /* the scheduler, and what it asks of the system */

#endif
