/* What destruction does, and a creation that fails half way. */
#ifndef TARN_JOBS_DESTROY_H
#define TARN_JOBS_DESTROY_H

#include "jobs/state.h"

/* From now on no job begins, and threads of ours leave. */
void tarn_destroy_stop_(tarn_jobs *jobs);

/* All threads are gone or about to be, and no job is left that somebody counts on. */
void tarn_destroy_give_back_(tarn_jobs *jobs);

#endif
