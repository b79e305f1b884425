#include "support/interleave.h"

#include <stddef.h>

void tarn_schedule_point_(void);

static struct {
    interleave_other *other; /* NULL while nobody is to be interrupted */
    void *context;
    uint32_t points;
} now;

void tarn_schedule_point_(void)
{
    interleave_other *other = now.other;
    if (!other)
        return;
    now.other = NULL;
    other(now.context, ++now.points);
    now.other = other;
}

uint32_t interleave(interleave_subject *subject, interleave_other *other, void *context)
{
    now.other = other;
    now.context = context;
    now.points = 0;
    subject(context);
    now.other = NULL;
    return now.points;
}
