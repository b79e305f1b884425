/* A program to be recorded: known calls from several threads, then one of several ends. */
#define _GNU_SOURCE /* memalign, pvalloc, reallocarray, vfork */
#include "known.h"

#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile size_t sizes[KNOWN_CALLS] = {
#define KNOWN_BYTES(name, bytes, alignment) bytes,
    KNOWN_LIST(KNOWN_BYTES)
#undef KNOWN_BYTES
};

/* What one thread allocates here, the next one frees. */
static void *handed[KNOWN_THREADS][KNOWN_ROUNDS];
static pthread_barrier_t all_allocated;

static void *make(int call)
{
    void *block = NULL;
    switch (call) {
    case KNOWN_MALLOC:
        return malloc(sizes[call]);
    case KNOWN_CALLOC:
        return calloc(7, sizes[call] / 7);
    case KNOWN_POSIX:
        return posix_memalign(&block, 256, sizes[call]) == 0 ? block : NULL;
    case KNOWN_ALIGNED:
        return aligned_alloc(64, sizes[call]);
    case KNOWN_MEMALIGN:
        return memalign(128, sizes[call]);
    case KNOWN_VALLOC:
        return valloc(sizes[call]);
    case KNOWN_PVALLOC:
        return pvalloc(sizes[call]);
    case KNOWN_NULL_REALLOC:
        return realloc(NULL, sizes[call]);
    case KNOWN_REALLOC:
        return realloc(malloc(sizes[KNOWN_MALLOC]), sizes[call]);
    default:
        return reallocarray(malloc(sizes[KNOWN_MALLOC]), 3, sizes[call] / 3);
    }
}

static void make_each_call(void)
{
    void *blocks[KNOWN_CALLS];
    for (int call = 0; call < KNOWN_CALLS; call++) {
        blocks[call] = make(call);
        if (!blocks[call])
            abort();
        memset(blocks[call], call, sizes[call]);
    }
    for (int call = 0; call < KNOWN_CALLS; call++)
        free(blocks[call]);
}

static void fail_some_calls(void)
{
    volatile size_t huge = SIZE_MAX / 2;
    void *block = malloc(sizes[KNOWN_MALLOC]);
    if (malloc(huge) || calloc(huge, 4) || realloc(block, huge) || reallocarray(block, huge, 4))
        abort();
    free(realloc(block, sizes[KNOWN_REALLOC]));
    free(NULL);
}

static void *run_thread(void *argument)
{
    size_t own = (size_t)(uintptr_t)argument;
    for (int round = 0; round < KNOWN_ROUNDS; round++) {
        handed[own][round] = malloc(sizes[KNOWN_MALLOC]);
        make_each_call();
    }
    pthread_barrier_wait(&all_allocated);
    for (int round = 0; round < KNOWN_ROUNDS; round++)
        free(handed[(own + 1) % KNOWN_THREADS][round]);
    return NULL;
}

static void run_threads(void)
{
    pthread_t threads[KNOWN_THREADS];
    pthread_barrier_init(&all_allocated, NULL, KNOWN_THREADS);
    for (uintptr_t i = 0; i < KNOWN_THREADS; i++) {
        if (pthread_create(&threads[i], NULL, run_thread, (void *)i) != 0)
            abort();
    }
    for (int i = 0; i < KNOWN_THREADS; i++)
        pthread_join(threads[i], NULL);
    fail_some_calls();
}

static void *run_briefly(void *argument)
{
    free(malloc(100));
    return malloc((size_t)(uintptr_t)argument);
}

/* Many threads one after another, each handing a block to the main thread. */
static void run_short_threads(void)
{
    for (uintptr_t i = 1; i <= 100; i++) {
        pthread_t thread;
        void *block = NULL;
        if (pthread_create(&thread, NULL, run_briefly, (void *)i) != 0)
            abort();
        pthread_join(thread, &block);
        free(block);
    }
}

static void wait_for(pid_t child)
{
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
        abort();
}

static void fork_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < 10000; i++)
            free(malloc(KNOWN_CHILD_BYTES));
        exit(0);
    }
    wait_for(child);
}

static void vfork_child(void)
{
    pid_t child = vfork();
    if (child == 0) {
        execlp("true", "true", (char *)NULL);
        _exit(1);
    }
    wait_for(child);
}

static void *take_slot(void *argument)
{
    (void)argument;
    return malloc(KNOWN_SLOT_BYTES);
}

/* Frees, then reallocs, a block whose address another thread is given meanwhile. */
static void race_for_slot(void)
{
    void *block = malloc(KNOWN_SLOT_BYTES);
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, take_slot, NULL) != 0)
            abort();
        if (i == 0)
            free(block);
        else
            free(realloc(block, 100));
        pthread_join(thread, &block);
    }
    free(block);
}

static void close_all(void)
{
    for (int i = 3; i < 1024; i++)
        close(i);
}

int main(int count, char **arguments)
{
    const char *end = count > 1 ? arguments[1] : "return";
    if (strcmp(end, "short-threads") == 0)
        run_short_threads();
    else if (strcmp(end, "fork") == 0)
        fork_child();
    else if (strcmp(end, "vfork") == 0)
        vfork_child();
    else if (strcmp(end, "slot") == 0)
        race_for_slot();
    else if (strcmp(end, "close") == 0)
        close_all();
    run_threads();
    if (strcmp(end, "_exit") == 0)
        _exit(7);
    if (strcmp(end, "exec") == 0)
        execl("/bin/sh", "sh", "-c", "exit 8", (char *)NULL);
    if (strcmp(end, "kill") == 0)
        abort();
    return strcmp(end, "return") == 0 ? 0 : 9;
}
