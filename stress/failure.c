#include "failure.h"

#include <stdarg.h>
#include <stdio.h>

void failure_report(failure *f, const char *format, ...)
{
    if (atomic_exchange_explicit(&f->found, true, memory_order_relaxed))
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(f->reason, sizeof f->reason, format, arguments);
    va_end(arguments);
}
