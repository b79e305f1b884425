/* The threads of a run. */
#ifndef STRESS_CREW_H
#define STRESS_CREW_H

#include "run.h"

/* Starts the threads, plays the rounds, joins the threads. */
void crew_work(run *r);

#endif
