/* Checked pools for tests, and the reports that they made. */
#ifndef TARN_TESTS_SUPPORT_MISUSE_H
#define TARN_TESTS_SUPPORT_MISUSE_H

#include "support/kit.h"

#define MISUSE_REPORTS_MAX 16u

typedef struct misuse_log {
    uint32_t count;
    tarn_report reports[MISUSE_REPORTS_MAX]; /* the first ones */
} misuse_log;

static inline void misuse_note(void *context, const tarn_report *report)
{
    misuse_log *log = context;
    if (log->count < MISUSE_REPORTS_MAX)
        log->reports[log->count] = *report;
    log->count++;
}

/* Makes the options those of a checked pool that reports to the log. */
static inline tarn_pool *misuse_pool(misuse_log *log, tarn_pool_options options)
{
    *log = (misuse_log){0};
    options.checked = true;
    options.report = misuse_note;
    options.report_context = log;
    if (!options.name)
        options.name = "misused";
    return kit_pool(&options);
}

/* Exactly one report since the log was last empty; empties it, and returns the report. */
static inline tarn_report misuse_expect_one(misuse_log *log, tarn_misuse misuse)
{
    assert_int_equal(log->count, 1);
    assert_int_equal(log->reports[0].misuse, misuse);
    tarn_report report = log->reports[0];
    log->count = 0;
    return report;
}

#endif
