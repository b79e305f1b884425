#include "scenarios.h"

#include <string.h>

static const scenario *const all[SCENARIOS_COUNT] = {
    &scenario_pair,   &scenario_handoff, &scenario_churn, &scenario_exhaustion,
    &scenario_guests, &scenario_clear,   &scenario_bulk,  &scenario_growth,
    &scenario_trim,   &scenario_frame,   &scenario_jobs,
};

const scenario *scenario_at(size_t index)
{
    return all[index];
}

size_t scenario_named(const char *name, size_t name_length)
{
    size_t i = 0;
    while (i < SCENARIOS_COUNT &&
           (strncmp(all[i]->name, name, name_length) != 0 || all[i]->name[name_length] != '\0'))
        i++;
    return i;
}
