/* Closes the trace at every end of the program that can be seen: return from main and exit (the
 * library's destructor), quick_exit, _exit, and the exec calls. A program that is killed, or exits
 * by a bare system call, leaves a trace without a closing block.
 *
 * An exec that fails goes back to a program whose trace is closed: what follows is not recorded.
 * In a child of fork or vfork the calls only pass on. */
#define _GNU_SOURCE /* RTLD_NEXT, execvpe */
#include "record_log.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HOOK          __attribute__((visibility("default")))
#define ARGUMENTS_MAX 4096

static int (*next_execve)(const char *, char *const *, char *const *);
static int (*next_execvpe)(const char *, char *const *, char *const *);
static int (*next_fexecve)(int, char *const *, char *const *);

/* Before main, so that a child of vfork need not search. */
__attribute__((constructor)) static void find_next(void)
{
    void *symbols[3] = {dlsym(RTLD_NEXT, "execve"), dlsym(RTLD_NEXT, "execvpe"),
                        dlsym(RTLD_NEXT, "fexecve")};
    memcpy(&next_execve, &symbols[0], sizeof symbols[0]);
    memcpy(&next_execvpe, &symbols[1], sizeof symbols[1]);
    memcpy(&next_fexecve, &symbols[2], sizeof symbols[2]);
    at_quick_exit(record_finish);
    /* Recording begins here at the latest, so that whoever is forked is known for a child. */
    if (record_enter())
        record_leave();
}

__attribute__((destructor)) static void finish_at_exit(void)
{
    record_finish();
}

HOOK void _exit(int status)
{
    record_finish();
    for (;;)
        syscall(SYS_exit_group, status);
}

HOOK void _Exit(int status)
{
    _exit(status);
}

HOOK int execve(const char *path, char *const arguments[], char *const environment[])
{
    record_finish();
    return next_execve(path, arguments, environment);
}

HOOK int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    record_finish();
    return next_execvpe(file, arguments, environment);
}

HOOK int fexecve(int descriptor, char *const arguments[], char *const environment[])
{
    record_finish();
    return next_fexecve(descriptor, arguments, environment);
}

HOOK int execv(const char *path, char *const arguments[])
{
    return execve(path, arguments, environ);
}

HOOK int execvp(const char *file, char *const arguments[])
{
    return execvpe(file, arguments, environ);
}

/* The arguments of the calls that list them, and the environment behind the closing NULL. */
typedef struct listed {
    char *arguments[ARGUMENTS_MAX + 1];
    char *const *environment;
} listed;

static bool collect(listed *to, const char *first, va_list rest, bool has_environment)
{
    size_t count = 0;
    const char *each = first;
    for (; each && count < ARGUMENTS_MAX; each = va_arg(rest, const char *))
        memcpy(&to->arguments[count++], &each, sizeof each);
    to->arguments[count] = NULL;
    to->environment = environ;
    if (has_environment && !each)
        to->environment = va_arg(rest, char *const *);
    return !each;
}

HOOK int execl(const char *path, const char *first, ...)
{
    listed call;
    va_list rest;
    va_start(rest, first);
    bool fits = collect(&call, first, rest, false);
    va_end(rest);
    return fits ? execve(path, call.arguments, call.environment) : (errno = E2BIG, -1);
}

HOOK int execle(const char *path, const char *first, ...)
{
    listed call;
    va_list rest;
    va_start(rest, first);
    bool fits = collect(&call, first, rest, true);
    va_end(rest);
    return fits ? execve(path, call.arguments, call.environment) : (errno = E2BIG, -1);
}

HOOK int execlp(const char *file, const char *first, ...)
{
    listed call;
    va_list rest;
    va_start(rest, first);
    bool fits = collect(&call, first, rest, false);
    va_end(rest);
    return fits ? execvpe(file, call.arguments, call.environment) : (errno = E2BIG, -1);
}
