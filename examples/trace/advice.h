/* The pool options that fit what a trace did in one class. */
#ifndef TARN_TRACE_ADVICE_H
#define TARN_TRACE_ADVICE_H

#include "plan.h"
#include "tarn/pool.h"

/* capacity: the peak and a quarter more. caches_max: threads that were busy at once.
 * cache_objects_max: what the busiest thread's stock swings by, as far as the caches together then
 * hold at most half of the capacity. */
tarn_pool_options advice_for(const plan *from, unsigned size_class);

#endif
