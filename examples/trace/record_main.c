/* tarn-record: runs a program with the recording library in front of its allocator. */
#define _GNU_SOURCE /* asprintf */
#include "format.h"
#include "record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char help[] =
    "usage: tarn-record [-o FILE] [--] COMMAND [ARGUMENT...]\n"
    "\n"
    "Runs COMMAND and writes the allocations that it makes to FILE (tarn.trace), for tarn-replay.\n"
    "The exit status is COMMAND's; 126 or 127 when it cannot be run, 2 on a wrong command line.\n"
    "\n"
    "  -o, --output FILE  where to write. With %p in the name, which stands for the process id,\n"
    "                     each program that COMMAND starts is recorded too, in a file of its own\n"
    "  -h, --help         print this\n"
    "\n"
    "COMMAND must be linked dynamically. A child that it forks is recorded only where it executes\n"
    "a program and FILE has %p. A program that is killed leaves a trace without an end.\n";

static pid_t child;

static void pass_on(int signal_number)
{
    if (child > 0)
        kill(child, signal_number);
}

static int fail(const char *text, const char *name)
{
    fprintf(stderr, "tarn-record: %s%s\n", text, name);
    return 2;
}

/* Where the library is, seen from this program: in the build tree and as installed. */
static char *find_library(void)
{
    static const char *const places[] = {"../lib", TARN_RECORD_LIBRARY_DIR, "."};
    char own[RECORD_PATH_BYTES_MAX];
    ssize_t count = readlink("/proc/self/exe", own, sizeof own - 1);
    if (count <= 0)
        return NULL;
    own[count] = 0;
    *strrchr(own, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s/libtarn-record.so", own, places[i]) < 0)
            return NULL;
        if (access(path, R_OK) == 0)
            return path;
        free(path);
    }
    return NULL;
}

/* An absolute path, since the program may change its working directory. */
static char *make_absolute(const char *file)
{
    char here[RECORD_PATH_BYTES_MAX];
    char *path = NULL;
    if (*file == '/')
        return strdup(file);
    if (!getcwd(here, sizeof here) || asprintf(&path, "%s/%s", here, file) < 0)
        return NULL;
    return path;
}

static bool set_preload(const char *library)
{
    const char *others = getenv("LD_PRELOAD");
    char *list = NULL;
    if (asprintf(&list, "%s%s%s", library, others ? ":" : "", others ? others : "") < 0)
        return false;
    return setenv("LD_PRELOAD", list, 1) == 0;
}

static void run_command(char **command, const char *file, const char *library, bool one_process)
{
    char own[24];
    snprintf(own, sizeof own, "%ld", (long)getpid());
    bool ready = set_preload(library) && setenv(RECORD_FILE_VARIABLE, file, 1) == 0;
    ready = ready && (one_process ? setenv(RECORD_PROCESS_VARIABLE, own, 1)
                                  : unsetenv(RECORD_PROCESS_VARIABLE)) == 0;
    if (ready)
        execvp(command[0], command);
    int error = errno;
    fprintf(stderr, "tarn-record: cannot run %s: %s\n", command[0], strerror(error));
    _exit(error == ENOENT ? 127 : 126);
}

static bool is_closed(int trace, off_t bytes)
{
    struct {
        trace_block block;
        trace_closing closing;
    } end;
    return pread(trace, &end, sizeof end, bytes - (off_t)sizeof end) == (ssize_t)sizeof end &&
           end.block.kind == TRACE_BLOCK_CLOSING && trace_block_is_whole(&end.block, &end.closing);
}

/* Says so at once where no replay will be possible. */
static void check_trace(const char *file)
{
    struct stat status;
    int trace = open(file, O_RDONLY);
    if (trace < 0 || fstat(trace, &status) != 0)
        fail("the trace is gone: ", file);
    else if (status.st_size == 0)
        fail("nothing was recorded: the program is statically linked, or changes its user: ", file);
    else if (!is_closed(trace, status.st_size))
        fail("the program ended without closing the trace, which is incomplete: ", file);
    if (trace >= 0)
        close(trace);
}

/* Ctrl-C reaches the program as well; what is sent to this process only is passed on. */
static int wait_for_child(void)
{
    int status = 0;
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGTERM, pass_on);
    signal(SIGHUP, pass_on);
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR)
            return 126;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int record(char **command, const char *file, const char *library)
{
    bool one_process = !strstr(file, "%p");
    int trace = one_process ? open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (one_process && trace < 0) {
        fprintf(stderr, "tarn-record: cannot write %s: %s\n", file, strerror(errno));
        return 2;
    }
    child = fork();
    if (child == 0)
        run_command(command, file, library, one_process);
    int result = child < 0 ? 126 : wait_for_child();
    if (child < 0)
        perror("tarn-record: cannot start a process");
    if (one_process && result != 126 && result != 127)
        check_trace(file);
    if (trace >= 0)
        close(trace);
    return result;
}

int main(int count, char **arguments)
{
    const char *file = "tarn.trace";
    int at = 1;
    for (; at < count && arguments[at][0] == '-'; at++) {
        const char *option = arguments[at];
        if (strcmp(option, "--") == 0) {
            at++;
            break;
        }
        if (strcmp(option, "-h") == 0 || strcmp(option, "--help") == 0)
            return fputs(help, stdout) < 0;
        if (strcmp(option, "-o") != 0 && strcmp(option, "--output") != 0)
            return fail("unknown option, see --help: ", option);
        if (++at == count || !*arguments[at])
            return fail("a file name must follow ", option);
        file = arguments[at];
    }
    if (at == count)
        return fail("no command was given, see --help", "");
    char *library = find_library();
    char *path = make_absolute(file);
    if (!library)
        return fail("libtarn-record.so is not where it belongs: in ../lib beside this program", "");
    if (strpbrk(library, " :"))
        return fail("the loader cannot preload from a path with a space or a colon: ", library);
    if (!path || strlen(path) > RECORD_PATH_BYTES_MAX - 128)
        return fail("the file name is too long: ", file);
    int result = record(arguments + at, path, library);
    free(path);
    free(library);
    return result;
}
