/* Whether the runs did what they promise. Time is not part of it: machines differ. */
#ifndef ENGINE_VERDICT_H
#define ENGINE_VERDICT_H

#include "report.h"

/* Prints a line per broken promise and then the verdict. Returns whether it is PASS. */
bool verdict_print(const options *settings, const series *all, int count);

#endif
