#include "driver/options.h"

#include <stdio.h>

static const char options_text[] =
    "usage: tarn-bench [options]\n"
    "\n"
    "Times object allocators side by side: for each workload, number of threads and object\n"
    "size, all subjects take turns, each run in a process of its own. Prints nanoseconds per\n"
    "operation and the ratio of the medians to glibc's malloc. Asserts nothing.\n"
    "\n"
    "  --workload LIST  which workloads (all)\n"
    "  --subject LIST   which subjects (all that were built)\n"
    "  --threads LIST   numbers of threads, 1 to 64 (1,2)\n"
    "  --bytes LIST     object sizes, multiples of 8 up to 1048576 (64)\n"
    "  --rounds N       runs of each subject, 1 to 99 (5)\n"
    "  --ms N           milliseconds of the timed part of a run, 1 to 60000 (150)\n"
    "  --quick          3 rounds of 20 ms\n"
    "  --read           the consumers of hand-offs read each object before they free it\n"
    "  --csv            rows workload,threads,object_bytes,subject,median_ns,min_ns,\n"
    "                   ratio_to_glibc instead of the table; an empty ratio: glibc did not run\n"
    "  --json FILE      also write the machine and all samples to FILE\n"
    "  --plot FILE.png  also draw threads against time with gnuplot, a panel per workload\n"
    "  --memory         resident bytes for 1,000,000 live 64-byte objects, and what creating\n"
    "                   a tarn pool of capacity 2^30 touches\n"
    "  --check          the project's targets, each with what one interleaved run measured\n"
    "  --plot-growth FILE.png  draws the slowest allocation of each frame while a pool grows,\n"
    "                   with and without tarn_pool_prepare; takes --rounds\n"
    "  --help           this text\n"
    "\n"
    "Lists are separated by commas.\n"
    "\n";

static const char workloads_text[] =
    "Workloads. Every allocation writes the object's first word. Time is wall time from the\n"
    "first thread's start to the last one's end, divided by the operations of one thread: with\n"
    "perfect scaling it stays the same as threads are added, up to the number of cores. Each\n"
    "thread keeps to a core of its own as long as there are enough.\n"
    "  pair              alloc and free of one object, 64 others alive; per pair\n"
    "  burstN_ORDER      N allocs, then N frees in that order; N is 1000 or 100000, ORDER is\n"
    "                    lifo, fifo or random; per alloc and free\n"
    "  handoff_oneway    one thread allocates, its partner frees, through a ring in batches of\n"
    "                    64; 2 threads are one such couple; per object of a couple\n"
    "  handoff_bothways  both partners do both; per object of each thread\n"
    "  mixed             a working set of 512 toggled at random, one free in ten done by\n"
    "                    another thread; per alloc and free\n"
    "  resolveN          N live objects, each looked up by its name in a random order, and its\n"
    "                    first word read; N is 1000 or 100000; per look-up\n"
    "  iterate_full      1,000,000 live objects are visited, their first words summed; per object\n"
    "  iterate_sparse    the same after all but a random one in a hundred are gone from the pool,\n"
    "                    while the array has all; per one of 1,000,000 places\n"
    "  growth_worst      a pool grows from 4096 to 1,000,000 objects, allocated and written by a\n"
    "                    frame loop, 1000 per frame of 250 us: the slowest allocation\n"
    "  growth_median     the same: the median allocation; both with the clock's own time\n"
    "  growth_prefault_worst, growth_prefault_median\n"
    "                    the same from a host whose memory is all there once it is committed\n"
    "Hand-offs need an even number of threads, growth one; other combinations are left out.\n"
    "\n";

static const char subjects_text[] =
    "Subjects.\n"
    "  tarn        an explicit cache per thread, inline calls\n"
    "  tarn_guest  the calls that need no set-up\n"
    "  tarn_handles        a pool with handles: each object is kept and ended by its handle\n"
    "  tarn_handles_free   the same pool, but objects are freed by their addresses\n"
    "  glibc, mimalloc, jemalloc\n"
    "  ck_stack    Concurrency Kit's tagged stack with its backoff, objects made beforehand\n"
    "  mutex       a list through the free objects behind a mutex\n"
    "  floor       an array of free objects per thread, shared with nobody: pair and burst only\n"
    "  cas_floor   tarn and one compare-and-swap per free that nobody disputes: the least that an\n"
    "              end of life costs of which just one of several callers may be the one\n"
    "resolve and iterate have two of their own.\n"
    "  tarn_objects  a pool with handles: tarn_resolve, tarn_each\n"
    "  array         one after the other, by index, checked against their number\n"
    "growth has three.\n"
    "  unprepared       allocations grow the pool\n"
    "  prepared         tarn_pool_prepare once at each frame's end, outside the clock\n"
    "  prepared_beside  tarn_pool_prepare by a thread of its own\n";

void options_help(void)
{
    fputs(options_text, stdout);
    fputs(workloads_text, stdout);
    fputs(subjects_text, stdout);
}
