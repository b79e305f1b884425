/* OpenMP tasks: gcc's with its libgomp, clang's with LLVM's libomp. */
#include "worker/jobs.h"

void subject_enter(unsigned threads, void (*body)(void))
{
#pragma omp parallel num_threads((int)threads)
#pragma omp single
    body();
}

uint64_t subject_fib(unsigned n)
{
    uint64_t one, two;
    if (n < 2)
        return n;
#pragma omp task shared(one)
    one = subject_fib(n - 1);
    two = subject_fib(n - 2);
#pragma omp taskwait
    return one + two;
}

static void nothing(void)
{
    __asm__ volatile("");
}

void subject_empty(unsigned jobs)
{
    for (unsigned i = 0; i < jobs; i++) {
#pragma omp task
        nothing();
    }
#pragma omp taskwait
}

void subject_dispatch(void (*chunk)(unsigned number))
{
    for (unsigned i = 0; i < JOBS_CHUNKS; i++) {
#pragma omp task
        chunk(i);
    }
#pragma omp taskwait
}

uint64_t subject_queens(jobs_board board, unsigned row)
{
    uint64_t results[JOBS_QUEENS] = {0}, sum = 0;
    if (row == JOBS_QUEENS)
        return 1;
    for (unsigned column = 0; column < JOBS_QUEENS; column++) {
        if (!jobs_is_free(&board, row, column))
            continue;
        board.columns[row] = (unsigned char)column;
#pragma omp task firstprivate(board) shared(results)
        results[column] = subject_queens(board, row + 1);
    }
#pragma omp taskwait
    for (unsigned column = 0; column < JOBS_QUEENS; column++)
        sum += results[column];
    return sum;
}

uint64_t subject_tree(uint64_t node, unsigned depth)
{
    uint64_t results[100], sum = 1;
    unsigned count = jobs_children(node, depth);
    for (unsigned i = 0; i < count; i++) {
#pragma omp task shared(results)
        results[i] = subject_tree(jobs_child(node, i), depth + 1);
    }
#pragma omp taskwait
    for (unsigned i = 0; i < count; i++)
        sum += results[i];
    return sum;
}

/* In as many parts as the runtime likes is for loops of statements; so in the parts that it would
 * make by itself for each thread, and eight times as many for balance. */
void subject_for(size_t count, void (*part)(size_t begin, size_t end))
{
    size_t grain = count / 16 + 1;
#pragma omp taskloop grainsize(1)
    for (size_t begin = 0; begin < count; begin += grain)
        part(begin, begin + grain < count ? begin + grain : count);
}
