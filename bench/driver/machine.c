/* sysconf and uname are POSIX; _SC_NPROCESSORS_ONLN is not. */
#define _GNU_SOURCE

#include "driver/machine.h"

#include "driver/spawn.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined(__clang__)
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

static void read_cpu(char *cpu, size_t cpu_bytes)
{
    char line[512];
    FILE *file = fopen("/proc/cpuinfo", "r");
    cpu[0] = 0;
    while (file && cpu[0] == 0 && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (colon && strncmp(line, "model name", strlen("model name")) == 0)
            snprintf(cpu, cpu_bytes, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    }
    if (file)
        fclose(file);
}

void machine_describe(machine *result)
{
    struct utsname system;
    char *git[] = {"git",     "-C",          BENCH_SOURCE_FOLDER, "describe", "--always",
                   "--dirty", "--abbrev=40", "--exclude=*",       NULL};
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    read_cpu(result->cpu, sizeof result->cpu);
    result->system[0] = 0;
    if (uname(&system) == 0)
        snprintf(result->system, sizeof result->system, "%.32s %.64s %.24s", system.sysname,
                 system.release, system.machine);
    spawn_line(git, result->commit, sizeof result->commit);
    result->compiler = COMPILER;
    result->cores = cores > 0 ? (unsigned)cores : 1;
#ifdef __OPTIMIZE__
    result->optimised = true;
#else
    result->optimised = false;
#endif
}
