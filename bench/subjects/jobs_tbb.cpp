/* oneTBB: a task_group where the others wait, parallel_for with its own partitioner. */
#include "worker/jobs.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

extern "C" {

void subject_enter(unsigned threads, void (*body)(void))
{
    tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    tbb::task_arena arena(static_cast<int>(threads));
    arena.execute(body);
}

uint64_t subject_fib(unsigned n)
{
    if (n < 2)
        return n;
    uint64_t one;
    tbb::task_group group;
    group.run([&one, n] { one = subject_fib(n - 1); });
    uint64_t two = subject_fib(n - 2);
    group.wait();
    return one + two;
}

void subject_empty(unsigned jobs)
{
    tbb::task_group group;
    for (unsigned i = 0; i < jobs; i++)
        group.run([] {});
    group.wait();
}

void subject_dispatch(void (*chunk)(unsigned number))
{
    tbb::task_group group;
    for (unsigned i = 0; i < JOBS_CHUNKS; i++)
        group.run([chunk, i] { chunk(i); });
    group.wait();
}

uint64_t subject_queens(jobs_board board, unsigned row)
{
    if (row == JOBS_QUEENS)
        return 1;
    uint64_t results[JOBS_QUEENS] = {}, sum = 0;
    tbb::task_group group;
    for (unsigned column = 0; column < JOBS_QUEENS; column++) {
        if (!jobs_is_free(&board, row, column))
            continue;
        board.columns[row] = static_cast<unsigned char>(column);
        uint64_t *result = &results[column];
        group.run([result, board, row] { *result = subject_queens(board, row + 1); });
    }
    group.wait();
    for (uint64_t result : results)
        sum += result;
    return sum;
}

uint64_t subject_tree(uint64_t node, unsigned depth)
{
    uint64_t results[100], sum = 1;
    unsigned count = jobs_children(node, depth);
    if (count == 0)
        return 1;
    tbb::task_group group;
    for (unsigned i = 0; i < count; i++) {
        uint64_t *result = &results[i], child = jobs_child(node, i);
        group.run([result, child, depth] { *result = subject_tree(child, depth + 1); });
    }
    group.wait();
    for (unsigned i = 0; i < count; i++)
        sum += results[i];
    return sum;
}

void subject_for(size_t count, void (*part)(size_t begin, size_t end))
{
    tbb::parallel_for(tbb::blocked_range<size_t>(0, count),
                      [part](const tbb::blocked_range<size_t> &r) { part(r.begin(), r.end()); });
}
}
