/* Proof that the threads of a run were inside pool calls at the same time.
 *
 * Each worker shows the call it is in. On its way out of one call in eight a worker looks at the
 * others: who is inside as well overlaps with it, whether on another core or stopped in the middle
 * of its call. Only rounds count, not the starts and ends of threads around them. Threads that
 * take turns never see each other inside, so a run without hits has tested nothing and fails. */
#ifndef STRESS_OVERLAP_H
#define STRESS_OVERLAP_H

#include "worker.h"

#include <stdbool.h>

typedef struct overlap {
    uint64_t samples, hits;
    uint32_t threads_hit; /* how many threads met another one */
} overlap;

void overlap_enter(worker *w, const char *call);
void overlap_leave(worker *w);

overlap overlap_measure(const struct run *r);
double overlap_percent(const overlap *measured);
/* At least two threads met others, often enough to be no accident. */
bool overlap_proven(const overlap *measured);

#endif
