/* Tests that need a process of their own: for a limit, or a fork. */
#ifndef TARN_TESTS_SUPPORT_CHILD_H
#define TARN_TESTS_SUPPORT_CHILD_H

#include "support/kit.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILD_SECONDS_MAX 60u

/* Returns how many of its expectations failed: cmocka's assertions would go on with the parent's
 * tests in the child. One that hangs is killed by its alarm. */
typedef int child_fn(void *argument);

static inline void in_child(child_fn *function, void *argument)
{
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(CHILD_SECONDS_MAX);
        int failures = function(argument);
        fflush(NULL);
        _exit(failures != 0);
    }
    int how = 0;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_false(WIFSIGNALED(how));
    assert_int_equal(WEXITSTATUS(how), 0);
}

/* What the function writes to stderr in a child, which may abort. Returns the wait status. */
static inline int child_stderr(void (*function)(void *argument), void *argument, char *text,
                               size_t text_bytes)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        signal(SIGABRT, SIG_DFL);
        function(argument);
        _exit(0);
    }
    close(ends[1]);
    size_t got = 0;
    ssize_t part;
    while ((part = read(ends[0], text + got, text_bytes - 1 - got)) > 0)
        got += (size_t)part;
    text[got] = 0;
    close(ends[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* As kit_expect_conserved, for a child. */
static inline void child_expect_conserved(int *failures, const tarn_pool *pool, uint64_t live)
{
    tarn_pool_statistics statistics;
    tarn_pool_info info;
    tarn_pool_sample(pool, &statistics);
    tarn_pool_describe(pool, &info);
    KIT_EXPECT(failures, statistics.live == live);
    KIT_EXPECT(failures, statistics.allocs - statistics.frees == live);
    KIT_EXPECT(failures,
               info.slots_carved == live + statistics.free_in_caches + statistics.free_in_depot);
}

#endif
