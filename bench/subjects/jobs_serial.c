/* No scheduler: calls where the others have jobs. */
#include "worker/jobs.h"

void subject_enter(unsigned threads, void (*body)(void))
{
    (void)threads;
    body();
}

__attribute__((noinline)) uint64_t subject_fib(unsigned n)
{
    return n < 2 ? n : subject_fib(n - 1) + subject_fib(n - 2);
}

__attribute__((noinline)) static void nothing(void)
{
    __asm__ volatile("");
}

void subject_empty(unsigned jobs)
{
    for (unsigned i = 0; i < jobs; i++)
        nothing();
}

void subject_dispatch(void (*chunk)(unsigned number))
{
    for (unsigned i = 0; i < JOBS_CHUNKS; i++)
        chunk(i);
}

uint64_t subject_queens(jobs_board board, unsigned row)
{
    uint64_t sum = 0;
    if (row == JOBS_QUEENS)
        return 1;
    for (unsigned column = 0; column < JOBS_QUEENS; column++) {
        if (!jobs_is_free(&board, row, column))
            continue;
        board.columns[row] = (unsigned char)column;
        sum += subject_queens(board, row + 1);
    }
    return sum;
}

uint64_t subject_tree(uint64_t node, unsigned depth)
{
    uint64_t sum = 1;
    unsigned count = jobs_children(node, depth);
    for (unsigned i = 0; i < count; i++)
        sum += subject_tree(jobs_child(node, i), depth + 1);
    return sum;
}

void subject_for(size_t count, void (*part)(size_t begin, size_t end))
{
    part(0, count);
}
