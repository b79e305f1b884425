#define _GNU_SOURCE /* sigaltstack, SA_ONSTACK */

#include "engine/failure.h"

#include "engine/scheduler.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define REASON_BYTES_MAX 240

static char reason[REASON_BYTES_MAX];
static bool has_failed;

void model_fail(const char *format, ...)
{
    if (!has_failed) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(reason, sizeof reason, format, arguments);
        va_end(arguments);
        has_failed = true;
    }
    model_scheduler_abandon();
}

const char *model_failure(void)
{
    return has_failed ? reason : NULL;
}

void model_failure_clear(void)
{
    has_failed = false;
}

static void on_signal(int number)
{
    if (!model_scheduler_is_inside()) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    model_fail("signal %d (%s)", number, strsignal(number));
}

/* On a stack of its own, since a broken subject may have used up the thread's. The jump out of the
 * handler leaves the signal unmasked (SA_NODEFER). */
void model_failure_catch_signals(void)
{
    static char stack[65536];
    stack_t alternative = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternative, NULL);
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (unsigned i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaction(numbers[i], &action, NULL);
}
