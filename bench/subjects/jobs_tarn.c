/* tarn's jobs, each with its arguments in it. */
#include "tarn/jobs.h"
#include "worker/jobs.h"
#include "worker/pages.h"

static tarn_worker *first;

void subject_enter(unsigned threads, void (*body)(void))
{
    tarn_jobs_options options = {.workers = threads};
    tarn_jobs *jobs;
    if (tarn_jobs_create(&options, &jobs, &first) != TARN_OK)
        bench_fail("the subject could not be set up");
    body();
    tarn_jobs_destroy(jobs, NULL);
}

/* ---- fib ---- */

typedef struct fib_job {
    uint64_t *result;
    unsigned n;
} fib_job;

static uint64_t fib(tarn_worker *worker, unsigned n);

static void run_fib(tarn_worker *worker, void *payload)
{
    const fib_job *job = payload;
    *job->result = fib(worker, job->n);
}

static uint64_t fib(tarn_worker *worker, unsigned n)
{
    if (n < 2)
        return n;
    uint64_t one, two;
    tarn_job_group group;
    fib_job job = {&one, n - 1};
    tarn_job_group_begin(worker, &group);
    tarn_job_run(worker, &group, run_fib, &job, sizeof job);
    two = fib(worker, n - 2);
    tarn_job_group_wait(worker, &group);
    return one + two;
}

uint64_t subject_fib(unsigned n)
{
    return fib(first, n);
}

/* ---- empty, dispatch ---- */

static void run_nothing(tarn_worker *worker, void *payload)
{
    (void)worker;
    (void)payload;
}

void subject_empty(unsigned jobs)
{
    tarn_job_group group;
    tarn_job_group_begin(first, &group);
    for (unsigned i = 0; i < jobs; i++)
        tarn_job_run(first, &group, run_nothing, NULL, 0);
    tarn_job_group_wait(first, &group);
}

typedef struct chunk_job {
    void (*chunk)(unsigned number);
    uint64_t number;
} chunk_job;

static void run_chunk(tarn_worker *worker, void *payload)
{
    const chunk_job *job = payload;
    (void)worker;
    job->chunk((unsigned)job->number);
}

void subject_dispatch(void (*chunk)(unsigned number))
{
    tarn_job_group group;
    tarn_job_group_begin(first, &group);
    for (unsigned i = 0; i < JOBS_CHUNKS; i++) {
        chunk_job job = {chunk, i};
        tarn_job_run(first, &group, run_chunk, &job, sizeof job);
    }
    tarn_job_group_wait(first, &group);
}

/* ---- queens ---- */

typedef struct queens_job {
    uint64_t *result;
    jobs_board board;
    unsigned row;
} queens_job;

static uint64_t queens(tarn_worker *worker, const jobs_board *board, unsigned row);

static void run_queens(tarn_worker *worker, void *payload)
{
    const queens_job *job = payload;
    *job->result = queens(worker, &job->board, job->row);
}

static uint64_t queens(tarn_worker *worker, const jobs_board *board, unsigned row)
{
    if (row == JOBS_QUEENS)
        return 1;
    uint64_t results[JOBS_QUEENS] = {0}, sum = 0;
    tarn_job_group group;
    tarn_job_group_begin(worker, &group);
    for (unsigned column = 0; column < JOBS_QUEENS; column++) {
        if (!jobs_is_free(board, row, column))
            continue;
        queens_job job = {&results[column], *board, row + 1};
        job.board.columns[row] = (unsigned char)column;
        tarn_job_run(worker, &group, run_queens, &job, sizeof job);
    }
    tarn_job_group_wait(worker, &group);
    for (unsigned column = 0; column < JOBS_QUEENS; column++)
        sum += results[column];
    return sum;
}

uint64_t subject_queens(jobs_board board, unsigned row)
{
    return queens(first, &board, row);
}

/* ---- tree ---- */

typedef struct tree_job {
    uint64_t *result;
    uint64_t node;
    unsigned depth;
} tree_job;

static uint64_t tree(tarn_worker *worker, uint64_t node, unsigned depth);

static void run_tree(tarn_worker *worker, void *payload)
{
    const tree_job *job = payload;
    *job->result = tree(worker, job->node, job->depth);
}

static uint64_t tree(tarn_worker *worker, uint64_t node, unsigned depth)
{
    uint64_t results[100], sum = 1;
    unsigned count = jobs_children(node, depth);
    if (count == 0)
        return 1;
    tarn_job_group group;
    tarn_job_group_begin(worker, &group);
    for (unsigned i = 0; i < count; i++) {
        tree_job job = {&results[i], jobs_child(node, i), depth + 1};
        tarn_job_run(worker, &group, run_tree, &job, sizeof job);
    }
    tarn_job_group_wait(worker, &group);
    for (unsigned i = 0; i < count; i++)
        sum += results[i];
    return sum;
}

uint64_t subject_tree(uint64_t node, unsigned depth)
{
    return tree(first, node, depth);
}

/* ---- for ---- */

typedef struct for_context {
    void (*part)(size_t begin, size_t end);
} for_context;

static void run_part(tarn_worker *worker, void *context, size_t begin, size_t end)
{
    (void)worker;
    ((const for_context *)context)->part(begin, end);
}

void subject_for(size_t count, void (*part)(size_t begin, size_t end))
{
    for_context context = {part};
    tarn_parallel_for(first, 0, count, 0, run_part, &context);
}
