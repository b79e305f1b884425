/* Which core a thread runs on. */
#ifndef TARN_BENCH_CORE_H
#define TARN_BENCH_CORE_H

/* Keeps the calling thread to a core of its own, in turn over those that the process may use: left
 * alone, the scheduler at times starts two threads on one core, and they take turns for a good part
 * of a stint. Where the system refuses, they run as they may. Threads that it creates later inherit
 * its core, and keep to it. */
void core_keep_to(unsigned index);

#endif
