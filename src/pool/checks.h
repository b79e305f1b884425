/* What one pool is to look for: its options, its build and its environment taken together. */
#ifndef TARN_POOL_CHECKS_H
#define TARN_POOL_CHECKS_H

#include "tarn/pool.h"

typedef struct tarn_checks {
    bool is_checked;            /* misuse is reported */
    bool is_inspected;          /* a memory checker watches this process */
    bool is_watched;            /* one of the two, so that every call takes the slow path */
    tarn_check_options options; /* all zero in a pool that is not watched */
} tarn_checks;

/* Reads TARN_CHECK; says on stderr which of its words it does not follow. */
tarn_checks tarn_checks_for_(const tarn_pool_options *options);

/* Adds what TARN_CHECK asks for to *options; says on stderr, for the pool or frame of that name,
 * which of its words it does not follow. Returns whether it asks for anything. */
bool tarn_checks_asked_for_(const char *whose, const char *name, tarn_check_options *options);

/* Whether the options are within their bounds. */
bool tarn_checks_are_valid_(const tarn_check_options *options);

#endif
