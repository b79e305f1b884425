/* Does the stress see what it is there to see? */
#ifndef STRESS_SELF_TEST_H
#define STRESS_SELF_TEST_H

#include "options.h"

#include <stdbool.h>

/* Plants each fault in a child process and compares its verdict with what that fault must lead to.
 * Prints a line for each. Threads: the only one. */
bool self_test(const stress_options *options);

#endif
