/* All scenarios, in the order in which they run. */
#ifndef STRESS_SCENARIOS_H
#define STRESS_SCENARIOS_H

#include "run.h"

#define SCENARIOS_COUNT 11u

extern const scenario scenario_pair, scenario_handoff, scenario_churn, scenario_exhaustion,
    scenario_guests, scenario_clear, scenario_bulk, scenario_growth, scenario_trim, scenario_frame,
    scenario_jobs;

const scenario *scenario_at(size_t index);

/* SCENARIOS_COUNT when there is none. */
size_t scenario_named(const char *name, size_t name_length);

#endif
