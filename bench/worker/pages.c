/* MAP_ANONYMOUS is not in C11 or POSIX 2008. */
#define _GNU_SOURCE

#include "worker/pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *bench_pages(size_t bytes)
{
    void *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        bench_fail("the system has no memory for the bench's arrays");
    return pages;
}

/* _exit, since other threads may be in the middle of a run. */
void bench_fail(const char *sentence)
{
    fprintf(stderr, "tarn-bench: worker: %s\n", sentence);
    _exit(EXIT_FAILURE);
}
