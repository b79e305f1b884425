#define _GNU_SOURCE /* MAP_ANONYMOUS */

#include "isolate.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void *isolate_share(size_t bytes)
{
    void *shared = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return shared == MAP_FAILED ? NULL : memset(shared, 0, bytes);
}

void isolate_unshare(void *shared, size_t bytes)
{
    if (shared)
        munmap(shared, bytes);
}

bool isolate_run_world(const backend *on, const options *settings, uint64_t *frame_ns,
                       run_result *result)
{
    fflush(NULL); /* the child must not print a second time what is still buffered here */
    pid_t child = fork();
    if (child == 0) {
        memset(frame_ns, 0, settings->frames * sizeof *frame_ns); /* maps it in this process too */
        _exit(run_world(on, settings, frame_ns, result) ? 0 : 1);
    }
    int ended = 0;
    if (child < 0 || waitpid(child, &ended, 0) != child) {
        fprintf(stderr, "engine: the system refused a process for %s\n", on->name);
        return false;
    }
    if (WIFSIGNALED(ended))
        fprintf(stderr, "engine: %s was ended by signal %d\n", on->name, WTERMSIG(ended));
    return WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
}
