#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "replay.h"
#include "advice.h"
#include "worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t wall_time_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The options that are advised, so that a replay proves them; only the capacity has room for what
 * the threads do earlier or later than when they were recorded. */
static tarn_status create_pool(replay *run, unsigned size_class)
{
    tarn_pool_options options = advice_for(run->what, size_class);
    const plan_class *class = &run->what->classes[size_class];
    uint64_t early = (uint64_t)run->window + run->what->lanes;
    uint64_t most = class->peak + (early < class->allocs ? early : class->allocs);
    if (most > options.capacity)
        options.capacity = most < TARN_CAPACITY_MAX ? (size_t)most : TARN_CAPACITY_MAX;
    return tarn_pool_create(&options, &run->pools[size_class]);
}

static bool create_pools(replay *run, char *text, size_t text_bytes)
{
    for (unsigned i = 0; i < CLASS_COUNT; i++) {
        if (run->what->classes[i].allocs == 0)
            continue;
        tarn_status status = create_pool(run, i);
        if (status != TARN_OK) {
            snprintf(text, text_bytes, "the pool of %zu-byte objects cannot be created: %s",
                     class_bytes(i), tarn_status_text(status));
            return false;
        }
    }
    return true;
}

bool replay_open(replay *made, const plan *what, uint32_t window, char *text, size_t text_bytes)
{
    *made = (replay){.what = what, .window = window};
    made->workers = aligned_alloc(128, ((size_t)what->threads_count + 1) * sizeof(worker));
    made->blocks = calloc((size_t)what->blocks + 1, sizeof(replay_block));
    snprintf(text, text_bytes, "no memory for the replay");
    if (made->workers && made->blocks && create_pools(made, text, text_bytes))
        return true;
    char ignored[200];
    replay_close(made, ignored, sizeof ignored);
    return false;
}

static void prepare(replay *run, replay_memory memory, bool check, _Atomic bool *stop)
{
    const plan *what = run->what;
    memset(run->blocks, 0, what->blocks * sizeof(replay_block));
    for (uint32_t i = 0; i <= what->threads_count; i++) {
        worker *one = &run->workers[i];
        memset(one, 0, sizeof *one);
        one->run = run;
        one->memory = memory;
        one->check = check;
        one->stop = stop;
        if (i < what->threads_count) {
            one->thread = &what->threads[i];
            atomic_store(&one->next_rank, one->thread->operations->rank);
        }
    }
}

static void join(worker *one)
{
    if (one->started)
        tarn_thread_join(one->handle);
    one->started = false;
}

/* A program with one thread is played on this one: the C library's allocator takes shortcuts as
 * long as a process has never had a second. */
static void play_alone(replay *run)
{
    worker_main(&run->workers[0]);
}

/* All of a thread's predecessors in its lane were due before it. So the join ends: whatever it
 * waits for comes from threads that are already started. */
static bool start_threads(replay *run)
{
    for (uint32_t i = 0; i < run->what->threads_count; i++) {
        worker *one = &run->workers[i];
        if (one->thread->before != PLAN_NO_THREAD)
            join(&run->workers[one->thread->before]);
        one->started = tarn_thread_create(&one->handle, worker_main, one);
        if (!one->started)
            return false;
    }
    return true;
}

static void add_result(replay_result *sum, const replay_result *part)
{
    if (sum->mismatches == 0 && part->mismatches > 0) {
        sum->bad_block = part->bad_block;
        sum->bad_offset = part->bad_offset;
    }
    if (sum->refusals == 0)
        sum->refused_bytes = part->refused_bytes;
    sum->busy_ns += part->busy_ns;
    sum->checked_bytes += part->checked_bytes;
    sum->mismatches += part->mismatches;
    sum->refusals += part->refusals;
}

/* Single-threaded and not timed: programs leave this to the end of the process. */
static void sweep(replay *run)
{
    worker *sweeper = &run->workers[run->what->threads_count];
    for (uint32_t i = 0; i < run->what->blocks; i++)
        worker_sweep(sweeper, i);
    worker_detach(sweeper);
}

void replay_run(replay *run, replay_memory memory, bool check, replay_result *result)
{
    _Atomic bool stop = false;
    *result = (replay_result){0};
    prepare(run, memory, check, &stop);
    uint64_t start_ns = wall_time_ns();
    if (run->what->threads_count == 1)
        play_alone(run);
    else
        result->no_thread = !start_threads(run);
    atomic_store(&stop, result->no_thread);
    for (uint32_t i = 0; i < run->what->threads_count; i++)
        join(&run->workers[i]);
    result->wall_ns = wall_time_ns() - start_ns;
    sweep(run);
    for (uint32_t i = 0; i <= run->what->threads_count; i++)
        add_result(result, &run->workers[i].result);
}

bool replay_close(replay *done, char *text, size_t text_bytes)
{
    bool clean = true;
    for (unsigned i = 0; i < CLASS_COUNT; i++) {
        tarn_status status = tarn_pool_destroy(done->pools[i]);
        if (status != TARN_OK && clean) {
            snprintf(text, text_bytes, "the pool of %zu-byte objects: %s", class_bytes(i),
                     tarn_status_text(status));
            clean = false;
        }
    }
    free(done->workers);
    free(done->blocks);
    *done = (replay){0};
    return clean;
}
