/* readlink, posix_spawn and environ are POSIX. */
#define _GNU_SOURCE

#include "driver/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool worker_path(const char *name, char *path, size_t path_bytes)
{
    char own[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length < 0)
        return false;
    own[length] = 0;
    *strrchr(own, '/') = 0;
    return snprintf(path, path_bytes, "%s/tarn-bench-%s", own, name) < (int)path_bytes;
}

bool spawn_worker_exists(const char *name)
{
    char path[PATH_MAX];
    return worker_path(name, path, sizeof path) && access(path, X_OK) == 0;
}

/* Starts the program with its output in a pipe. Returns 0 or an error number. */
static int start(char **argv, bool quiet, pid_t *child, int *output)
{
    int ends[2];
    posix_spawn_file_actions_t actions;
    *output = -1;
    if (pipe(ends) != 0)
        return errno;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    if (quiet)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int error = posix_spawnp(child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error != 0)
        close(ends[0]);
    *output = ends[0];
    return error;
}

/* Reads to the end, so that the program is never stopped by a full pipe; keeps one line. */
static void read_line(int output, char *line, size_t line_bytes)
{
    size_t used = 0;
    char text[512];
    for (ssize_t got; (got = read(output, text, sizeof text)) > 0;) {
        size_t kept = (size_t)got < line_bytes - 1 - used ? (size_t)got : line_bytes - 1 - used;
        memcpy(line + used, text, kept);
        used += kept;
    }
    line[used] = 0;
    line[strcspn(line, "\n")] = 0;
    close(output);
}

/* Returns the wait status, or -1 when the program could not be started, with *error set. */
static int run(char **argv, bool quiet, char *line, size_t line_bytes, int *error)
{
    pid_t child;
    int output, status;
    line[0] = 0;
    *error = start(argv, quiet, &child, &output);
    if (*error != 0)
        return -1;
    read_line(output, line, line_bytes);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return -1;
    return status;
}

static void explain(const char *path, int status, int error)
{
    if (error != 0)
        fprintf(stderr, "tarn-bench: cannot start %s: %s\n", path, strerror(error));
    else if (WIFSIGNALED(status))
        fprintf(stderr, "tarn-bench: %s was ended by signal %d\n", path, WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
        fprintf(stderr, "tarn-bench: %s ended with status %d\n", path, WEXITSTATUS(status));
    else
        fprintf(stderr, "tarn-bench: %s printed no number\n", path);
}

bool spawn_worker(const char *name, char **argv, double *number)
{
    char path[PATH_MAX], line[128], *end = line;
    int error;
    if (!worker_path(name, path, sizeof path))
        return false;
    argv[0] = path;
    int status = run(argv, false, line, sizeof line, &error);
    if (status == 0)
        *number = strtod(line, &end);
    argv[0] = NULL;
    if (status == 0 && end != line)
        return true;
    explain(path, status, error);
    return false;
}

bool spawn_line(char **argv, char *line, size_t line_bytes)
{
    int error;
    if (run(argv, true, line, line_bytes, &error) == 0)
        return true;
    line[0] = 0;
    return false;
}
