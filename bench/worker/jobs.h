/* Job schedulers side by side. A worker is jobs.c with one subject, a file in subjects/ that says
 * in that scheduler's own words what each function below is; jobs.c times it.
 *
 * All of them compute the same, with a job where the text says so, and no cut-off. */
#ifndef TARN_BENCH_JOBS_H
#define TARN_BENCH_JOBS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define JOBS_QUEENS    10u
#define JOBS_CHUNKS    16u
#define JOBS_UTS_DEPTH 8u

/* Calls the body once, where so many threads are there to run its jobs. */
void subject_enter(unsigned threads, void (*body)(void));

/* The n-th Fibonacci number: of the two calls, one is a job. */
uint64_t subject_fib(unsigned n);

/* So many jobs that do nothing, and a wait for all. */
void subject_empty(unsigned jobs);

/* JOBS_CHUNKS jobs, of which each calls the function with its number, and a wait for all. */
void subject_dispatch(void (*chunk)(unsigned number));

/* Solutions: each place of a queen that no other threatens is a job. */
typedef struct jobs_board {
    unsigned char columns[JOBS_QUEENS]; /* of each row so far */
} jobs_board;
uint64_t subject_queens(jobs_board board, unsigned row);

/* Nodes of an unbalanced tree: each is a job. */
uint64_t subject_tree(uint64_t node, unsigned depth);

/* Calls the function for parts of 0 to count, as many as the scheduler likes. */
void subject_for(size_t count, void (*part)(size_t begin, size_t end));

/* ---- what they share ---- */

static inline int jobs_is_free(const jobs_board *board, unsigned row, unsigned column)
{
    for (unsigned i = 0; i < row; i++) {
        int distance = (int)column - board->columns[i];
        if (distance == 0 || distance == (int)(row - i) || distance == -(int)(row - i))
            return 0;
    }
    return 1;
}

/* The children of a node: a geometric distribution of mean 4, after S. Olivier et al., "UTS: An
 * Unbalanced Tree Search Benchmark" (LCPC 2006), tree T1, but with another hash (S. Vigna's
 * splitmix64) and fewer levels. */
static inline uint64_t jobs_hash(uint64_t word)
{
    word += UINT64_C(0x9E3779B97F4A7C15);
    word = (word ^ word >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    word = (word ^ word >> 27) * UINT64_C(0x94D049BB133111EB);
    return word ^ word >> 31;
}

static inline uint64_t jobs_child(uint64_t node, unsigned number)
{
    return jobs_hash(node + number + 1);
}

/* Each child is followed by another with probability 4/5. */
static inline unsigned jobs_children(uint64_t node, unsigned depth)
{
    unsigned count = 0;
    uint64_t dice = jobs_hash(~node);
    while (depth < JOBS_UTS_DEPTH && count < 100 && dice % 5 != 0) {
        dice = dice / 5 > 0 ? dice / 5 : jobs_hash(dice + count);
        count++;
    }
    return count;
}

#ifdef __cplusplus
}
#endif
#endif
