/* A frame as a graph of jobs. */
#ifndef ENGINE_GRAPH_H
#define ENGINE_GRAPH_H

#include "backend.h"

/* Runs all jobs of a frame of this world, and returns when they are done.
 * Returns TARN_OK, or as tarn_job_start: then parts of the frame did not happen.
 * Threads: the worker's, outside of jobs. */
tarn_status graph_run(const backend *on, world *stage, tarn_worker *w);

#endif
