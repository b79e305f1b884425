/* open and read are POSIX. */
#define _GNU_SOURCE

#include "worker/resident.h"

#include "worker/pages.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint64_t resident_bytes(void)
{
    static char text[4096];
    int file = open("/proc/self/smaps_rollup", O_RDONLY);
    ssize_t bytes = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0)
        close(file);
    text[bytes < 0 ? 0 : bytes] = 0;
    const char *line = strstr(text, "\nRss:");
    if (!line)
        bench_fail("this system does not tell resident bytes in /proc/self/smaps_rollup");
    return strtoull(line + strlen("\nRss:"), NULL, 10) * 1024;
}
