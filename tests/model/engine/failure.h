/* How a run fails: the first reason is kept, and the run ends at once. */
#ifndef TARN_MODEL_FAILURE_H
#define TARN_MODEL_FAILURE_H

#include <stdbool.h>

/* Does not return when a modelled thread or the check is under way. */
void model_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* NULL when the present run has not failed. */
const char *model_failure(void);
void model_failure_clear(void);

/* Reports a signal that a broken subject causes as the failure of its run. */
void model_failure_catch_signals(void);

#endif
